"""What an incident can be, and how it gets there."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class IncidentState(models.TextChoices):
    OPEN = "open", _("Open")
    SNOOZED = "snoozed", _("Snoozed")
    RECOVERED = "recovered", _("Recovered")


LIVE = (IncidentState.OPEN, IncidentState.SNOOZED)
INCIDENT_MOVES: dict[str, frozenset[str]] = {
    IncidentState.OPEN: frozenset({IncidentState.SNOOZED, IncidentState.RECOVERED}),
    IncidentState.SNOOZED: frozenset({IncidentState.OPEN, IncidentState.RECOVERED}),
    IncidentState.RECOVERED: frozenset({IncidentState.OPEN}),
}


class WorkState(models.TextChoices):
    OPEN = "open", _("Open")
    DONE = "done", _("Done")


WORK_MOVES: dict[str, frozenset[str]] = {
    WorkState.OPEN: frozenset({WorkState.DONE}),
    WorkState.DONE: frozenset({WorkState.OPEN}),
}
