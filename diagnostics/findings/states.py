"""States of a finding and the moves between them."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class FindingState(models.TextChoices):
    OPEN = "open", _("Open")
    CLEARED = "cleared", _("Cleared")


FINDING_MOVES: dict[str, frozenset[str]] = {
    FindingState.OPEN: frozenset({FindingState.CLEARED}),
    FindingState.CLEARED: frozenset(),
}
