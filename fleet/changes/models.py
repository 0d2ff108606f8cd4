"""The change record: append-only facts. The database refuses UPDATE and DELETE on this table."""

from typing import ClassVar

from django.db import models


class Event(models.Model):
    """Who did what to which thing, and when.

    Holds ids, kinds and numbers only, so that names and texts stay erasable: `node_id` and
    `lease_id` are plain numbers (no cascade can touch the record).
    """

    kind = models.CharField(max_length=60)
    at = models.DateTimeField()
    actor_id = models.BigIntegerField(null=True, blank=True)
    node_id = models.BigIntegerField(null=True, blank=True)
    gpu_id = models.BigIntegerField(null=True, blank=True)
    lease_id = models.BigIntegerField(null=True, blank=True)
    data = models.JSONField(default=dict)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["node_id", "-at"]),
            models.Index(fields=["lease_id", "-at"]),
            models.Index(fields=["kind", "-at"]),
        ]
