"""States of a lease and the moves between them."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class LeaseState(models.TextChoices):
    PLANNED = "planned", _("Planned")
    ACTIVE = "active", _("Running")
    ENDED = "ended", _("Ended")


LEASE_MOVES: dict[str, frozenset[str]] = {
    LeaseState.PLANNED: frozenset({LeaseState.ACTIVE, LeaseState.ENDED}),
    LeaseState.ACTIVE: frozenset({LeaseState.ENDED}),
    LeaseState.ENDED: frozenset({LeaseState.ACTIVE}),
}
