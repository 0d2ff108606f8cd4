"""Examinations: who watches a node, what a visit stored, and visits people asked for."""

from typing import ClassVar

from django.db import models

from diagnostics.examine.states import VisitState
from fleet.inventory.models import Node

SHARDS = 64


class Watch(models.Model):
    """What the examiners know of one node: whose turn it is, and the newest readings.

    A claim is (`claimed_until`, `token`); every write after a visit is conditional on `token`, so
    a stalled examiner can never overwrite a newer visit. `readings` is a list of
    {probe, layer, target, verdict, code, reason, values}; `streaks` counts verdicts in a row per
    (code, target); `memory` is what the next visit must know (boot id, journal cursor, Xids).
    """

    node = models.OneToOneField(
        Node, primary_key=True, on_delete=models.CASCADE, related_name="watch"
    )
    shard = models.PositiveSmallIntegerField()
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True, blank=True)
    token = models.CharField(max_length=32, blank=True)
    examined_at = models.DateTimeField(null=True, blank=True)
    verdict = models.CharField(max_length=8, default="unknown")
    failing_layer = models.CharField(max_length=16, blank=True)
    readings = models.JSONField(default=list)
    streaks = models.JSONField(default=dict)
    memory = models.JSONField(default=dict)
    facts = models.JSONField(default=dict)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["due_at", "shard"])]


class Examination(models.Model):
    """One visit to a node, kept 30 days. `whole` is the full set of readings, only for visits
    that changed a verdict, were asked for, or are evidence."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="examinations")
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    examiner = models.CharField(max_length=40)
    asked = models.BooleanField(default=False)
    reached = models.CharField(max_length=20)
    verdict = models.CharField(max_length=8)
    failing_layer = models.CharField(max_length=16, blank=True)
    host_ms = models.PositiveIntegerField(default=0)
    whole = models.JSONField(null=True, blank=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["node", "-ended_at"]),
            models.Index(fields=["ended_at"]),
        ]


class ReadingChange(models.Model):
    """A probe's verdict on a target changed."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="reading_changes")
    examination = models.ForeignKey(Examination, on_delete=models.CASCADE, related_name="changes")
    at = models.DateTimeField()
    probe = models.CharField(max_length=60)
    target = models.CharField(max_length=100)
    before = models.CharField(max_length=8)
    after = models.CharField(max_length=8)
    code = models.CharField(max_length=60, blank=True)
    reason = models.CharField(max_length=60)
    values = models.JSONField(default=dict)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["node", "-at"])]


class VisitRequest(models.Model):
    """A person asked for a visit now. The row is the queue; the message is only a nudge."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="visit_requests")
    asked_by = models.ForeignKey("fleet.User", null=True, on_delete=models.SET_NULL)
    state = models.CharField(max_length=8, choices=VisitState.choices, default=VisitState.QUEUED)
    created_at = models.DateTimeField(auto_now_add=True)
    examination = models.ForeignKey(Examination, null=True, blank=True, on_delete=models.SET_NULL)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["node"],
                condition=models.Q(state="queued"),
                name="one_queued_visit_per_node",
            )
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["state", "created_at"])]


class Blackout(models.Model):
    """Our own view of a world failed: too many hosts fell silent together to accuse any of them.

    `held_at` is when complaints were last taken back for it; `silent` of `asked` hosts did not
    answer then (0 of 0 when a control host of ours gave it away). One is open per world.
    """

    simulated = models.BooleanField()
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    opened_at = models.DateTimeField()
    held_at = models.DateTimeField()
    cleared_at = models.DateTimeField(null=True, blank=True)
    silent = models.PositiveIntegerField(default=0)
    asked = models.PositiveIntegerField(default=0)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["simulated"],
                condition=models.Q(cleared_at=None),
                name="one_open_blackout_of_a_world",
            )
        ]
