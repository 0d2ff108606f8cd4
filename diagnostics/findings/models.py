"""Findings: open faults on a node, card, lease or port."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from diagnostics.findings.states import FindingState
from fleet.inventory.models import Gpu, Node
from fleet.leases.models import AccessPath, Lease


class Finding(models.Model):
    """One fault of the catalogue on one target; at most one is open per (node, code, target).

    `reason` and `values` are those of the reading that decided (rendered in the reader's
    language when shown); `root` points to the finding that explains this one, None for a root.
    Times are our clock at the visit's end.
    """

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="findings")
    gpu = models.ForeignKey(Gpu, null=True, blank=True, on_delete=models.SET_NULL)
    lease = models.ForeignKey(Lease, null=True, blank=True, on_delete=models.SET_NULL)
    path = models.ForeignKey(AccessPath, null=True, blank=True, on_delete=models.SET_NULL)
    root = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="consequences"
    )
    code = models.CharField(max_length=60)
    target = models.CharField(max_length=100)
    layer = models.CharField(max_length=16)
    severity = models.CharField(max_length=10)
    opens = models.CharField(max_length=10)
    state = models.CharField(max_length=8, choices=FindingState.choices, default=FindingState.OPEN)
    probe = models.CharField(max_length=60)
    reason = models.CharField(max_length=60)
    values = models.JSONField(default=dict)
    occurrences = models.PositiveIntegerField(default=1)
    opened_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()
    cleared_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["node", "code", "target"],
                condition=Q(state="open"),
                name="one_open_finding_per_target",
            )
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["state", "-opened_at"]),
            models.Index(fields=["node", "-opened_at"]),
        ]
