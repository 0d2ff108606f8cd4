"""States of a requested visit and the moves between them."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class VisitState(models.TextChoices):
    QUEUED = "queued", _("Queued")
    DONE = "done", _("Done")


VISIT_MOVES: dict[str, frozenset[str]] = {
    VisitState.QUEUED: frozenset({VisitState.DONE}),
    VisitState.DONE: frozenset(),
}
