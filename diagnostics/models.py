"""Every model of `diagnostics`, gathered for Django; each lives with its subject."""

from diagnostics.examine.models import Blackout, Examination, ReadingChange, VisitRequest, Watch
from diagnostics.findings.models import Finding

__all__ = ["Blackout", "Examination", "Finding", "ReadingChange", "VisitRequest", "Watch"]
