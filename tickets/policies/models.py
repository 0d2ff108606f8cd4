"""What was promised to whom: policies in versions, and the policy of each lease."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from fleet.leases.models import Lease


class SlaPolicy(models.Model):
    """A named promise. `zone` decides which month a clock belongs to; one policy is everybody's
    who has no other."""

    name = models.CharField(max_length=80, unique=True)
    zone = models.CharField(max_length=64, default="Asia/Shanghai")
    is_default = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["is_default"], condition=Q(is_default=True), name="one_default_policy"
            )
        ]

    def __str__(self) -> str:
        return self.name


class PolicyVersion(models.Model):
    """Its terms from `effective_at` on, as docs/sla-replay.md writes them. The database refuses to
    change a version: tickets refer to the one in force at their start."""

    policy = models.ForeignKey(SlaPolicy, on_delete=models.PROTECT, related_name="versions")
    version = models.PositiveIntegerField()
    effective_at = models.DateTimeField()
    terms = models.JSONField(default=dict)
    written_by = models.BigIntegerField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["policy", "version"], name="one_version_of_a_policy")
        ]


class LeasePolicy(models.Model):
    """Which policy a lease has from when until when; times of one lease do not overlap."""

    lease = models.ForeignKey(Lease, on_delete=models.CASCADE, related_name="policies")
    policy = models.ForeignKey(SlaPolicy, on_delete=models.PROTECT, related_name="+")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["lease", "starts_at"])]
