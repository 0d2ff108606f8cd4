"""What staff work on: incidents now, work items by day; and which finding was made into which."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from diagnostics.examine.models import Blackout
from diagnostics.findings.models import Finding
from fleet.inventory.models import Node
from fleet.leases.models import Lease
from fleet.people.models import User
from tickets.cases.models import Ticket
from tickets.incidents.states import LIVE, IncidentState, Scope, WorkState


class Incident(models.Model):
    """A fault somebody works on. `finding` is the newest one that stands for it; `parent` is what
    explains it, so that only parents are on the board. One is live per (node, code, target).

    A cause that several faults share is an incident too: `scope` says how far it reaches, `target`
    which rack, PDU, uplink or provider it is, `place` what people call that, and `node` is one of
    its hosts. `pinned` says that a person put it where it is: no rule moves it then.
    `opened_at` is when the fault was found, `recovered_at` when all of it was clear.
    """

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="incidents")
    finding = models.ForeignKey(Finding, null=True, on_delete=models.SET_NULL, related_name="+")
    parent = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="children"
    )
    code = models.CharField(max_length=60)
    target = models.CharField(max_length=200)
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.TARGET)
    place = models.CharField(max_length=160, blank=True)
    pinned = models.BooleanField(default=False)
    state = models.CharField(
        max_length=10, choices=IncidentState.choices, default=IncidentState.OPEN
    )
    opened_at = models.DateTimeField()
    recovered_at = models.DateTimeField(null=True, blank=True)
    episodes = models.PositiveIntegerField(default=1)
    owner = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    acknowledged_at = models.DateTimeField(null=True, blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    snooze_reason = models.CharField(max_length=200, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["node", "code", "target"],
                condition=Q(state__in=[state.value for state in LIVE]),
                name="one_live_incident_per_target",
            ),
            models.UniqueConstraint(
                fields=["scope", "target"],
                condition=Q(state__in=[state.value for state in LIVE]) & ~Q(scope="target"),
                name="one_live_incident_per_cause",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["state", "-opened_at"]),
            models.Index(fields=["node", "-opened_at"]),
        ]

    def __str__(self) -> str:
        return f"!{self.pk}"


class BlackoutReceipt(models.Model):
    """A time when our own view failed has been seen here, and became this incident."""

    blackout = models.OneToOneField(Blackout, on_delete=models.CASCADE, related_name="receipt")
    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="blackouts")
    cleared = models.BooleanField(default=False)


class Hit(models.Model):
    """A lease that an incident hurts, and the ticket in which its customer is told."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="hits")
    lease = models.ForeignKey(Lease, on_delete=models.CASCADE, related_name="+")
    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="hits")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["incident", "lease"], name="one_hit_of_a_lease")
        ]


class TriageMark(models.Model):
    """A person has done a step of the first ten minutes."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="marks")
    step = models.CharField(max_length=8)
    at = models.DateTimeField()
    actor = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    note = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["incident", "step"], name="one_mark_of_a_step")
        ]


class WorkItem(models.Model):
    """Something for the day: it wakes nobody and opens no ticket."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="work_items")
    finding = models.ForeignKey(Finding, null=True, on_delete=models.SET_NULL, related_name="+")
    code = models.CharField(max_length=60)
    target = models.CharField(max_length=100)
    state = models.CharField(max_length=10, choices=WorkState.choices, default=WorkState.OPEN)
    opened_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["node", "code", "target"],
                condition=Q(state="open"),
                name="one_open_work_item_per_target",
            )
        ]


class Receipt(models.Model):
    """A finding has been seen here, and became this. New findings are those without a receipt, so
    none is lost however late or in what order they come. `cleared` says the same of its end."""

    finding = models.OneToOneField(Finding, on_delete=models.CASCADE, related_name="receipt")
    incident = models.ForeignKey(
        Incident, null=True, on_delete=models.SET_NULL, related_name="receipts"
    )
    work_item = models.ForeignKey(
        WorkItem, null=True, on_delete=models.SET_NULL, related_name="receipts"
    )
    cleared = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["finding"], condition=Q(cleared=False), name="uncleared")
        ]
