"""Tickets: a customer's conversation and what they were promised."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from fleet.leases.models import Lease
from fleet.people.models import Customer, User
from tickets.cases.states import LIVE, Author, Clock, ClockState, Source, TicketState
from tickets.policies.models import SlaPolicy


class Ticket(models.Model):
    """One matter of one customer. What the first block says is fixed at creation; the second block
    follows from the events and is written by `cases/settle.py` alone, so that lists need no clock.

    `wake_at` is when something happens to it by itself: a warning, a due, the end of a pause.
    `provisional`: its class and code may still follow from the first examination.
    """

    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="tickets")
    lease = models.ForeignKey(Lease, null=True, blank=True, on_delete=models.SET_NULL)
    policy = models.ForeignKey(SlaPolicy, on_delete=models.PROTECT, related_name="+")
    subject = models.CharField(max_length=160)
    source = models.CharField(max_length=8, choices=Source.choices)
    first_class = models.CharField(max_length=20)
    code = models.CharField(max_length=60, blank=True)
    created_at = models.DateTimeField()
    opened_by = models.BigIntegerField(null=True)
    provisional = models.BooleanField(default=False)
    assignee = models.ForeignKey(
        User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    state = models.CharField(max_length=10, choices=TicketState.choices, default=TicketState.OPEN)
    klass = models.CharField(max_length=20)
    start_at = models.DateTimeField()
    response_state = models.CharField(
        max_length=10, choices=ClockState.choices, default=ClockState.IN_FLIGHT
    )
    response_due_at = models.DateTimeField(null=True)
    response_at = models.DateTimeField(null=True)
    resolution_state = models.CharField(
        max_length=10, choices=ClockState.choices, default=ClockState.IN_FLIGHT
    )
    resolution_due_at = models.DateTimeField(null=True)
    resolution_at = models.DateTimeField(null=True)
    waits_since = models.DateTimeField(null=True)
    next_due_at = models.DateTimeField(null=True)
    soonest_at = models.DateTimeField(null=True)
    wake_at = models.DateTimeField(null=True)
    merged_into = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="absorbed"
    )

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["state", "soonest_at"]),
            models.Index(fields=["customer", "-created_at"]),
            models.Index(fields=["lease", "-created_at"]),
            models.Index(fields=["id"], condition=Q(provisional=True), name="provisional"),
            models.Index(fields=["wake_at"], condition=Q(wake_at__isnull=False), name="waking"),
            models.Index(fields=["policy", "created_at"]),
        ]

    def __str__(self) -> str:
        return f"#{self.pk}"

    @property
    def is_live(self) -> bool:
        """Somebody still has to do something."""
        return self.state in LIVE


class TicketText(models.Model):
    """What a person wrote. Kept apart from the events, so that it can be erased."""

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="texts")
    body = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)


class TicketEvent(models.Model):
    """An append-only fact of a ticket, in the words of docs/sla-replay.md.

    `worded` says that a text with a visible character belongs to it, also when that was erased.
    `logged_at` is when we learnt of it, if later than `at`. `data` holds ids, kinds and numbers.
    """

    ticket = models.ForeignKey(Ticket, on_delete=models.PROTECT, related_name="events")
    at = models.DateTimeField()
    logged_at = models.DateTimeField(null=True)
    kind = models.CharField(max_length=20)
    author = models.CharField(max_length=8, choices=Author.choices)
    actor_id = models.BigIntegerField(null=True)
    text_id = models.BigIntegerField(null=True)
    worded = models.BooleanField(default=False)
    public = models.BooleanField(default=True)
    channel = models.CharField(max_length=8, default="portal")
    data = models.JSONField(default=dict)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["ticket", "at"])]


class Outcome(models.Model):
    """A decision on a clock; append-only. The highest `serial` is in force, `because` is what
    superseded the one before (empty for the first). Durations in milliseconds."""

    ticket = models.ForeignKey(Ticket, on_delete=models.PROTECT, related_name="outcomes")
    clock = models.CharField(max_length=10, choices=Clock.choices)
    serial = models.PositiveIntegerField()
    state = models.CharField(max_length=10, choices=ClockState.choices)
    reason = models.CharField(max_length=20, blank=True)
    decided_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    counted_ms = models.BigIntegerField(null=True)
    because = models.CharField(max_length=20, blank=True)
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["ticket", "clock", "serial"], name="one_outcome_of_a_serial"
            )
        ]


class Alarm(models.Model):
    """A share of a clock was used up (percent; 100 is the breach): told once per due.

    `due_at` is the due it belongs to: when a pause or a change moves the due, the alarm is armed
    anew. The row is the queue of the mail about it.
    """

    ticket = models.ForeignKey(Ticket, on_delete=models.CASCADE, related_name="alarms")
    clock = models.CharField(max_length=10, choices=Clock.choices)
    percent = models.PositiveSmallIntegerField()
    due_at = models.DateTimeField()
    at = models.DateTimeField()
    noticed_at = models.DateTimeField(auto_now_add=True)
    mailed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["ticket", "clock", "percent", "due_at"], name="one_alarm_of_a_due"
            )
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["noticed_at"], condition=Q(mailed_at=None), name="unmailed")
        ]
