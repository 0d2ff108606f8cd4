"""What an incident can be, and how it gets there."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class Scope(models.TextChoices):
    """How far the cause of an incident reaches. Wider than a fault of one target, it is a parent
    to the incidents that share it."""

    TARGET = "target", _("One fault")
    NODE = "node", _("Host")
    RACK = "rack", _("Rack")
    PDU = "pdu", _("PDU")
    UPLINK = "uplink", _("Uplink")
    PROVIDER = "provider", _("Provider")
    OURSELVES = "ourselves", _("Ourselves")


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
