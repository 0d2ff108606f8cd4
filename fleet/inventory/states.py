"""States of a node, a card, a host key and its scan, and the moves between them: tables."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class NodeState(models.TextChoices):
    ENROLLING = "enrolling", _("Enrolling")
    ACTIVE = "active", _("In service")
    QUARANTINED = "quarantined", _("Quarantined")
    RETIRED = "retired", _("Retired")


class GpuState(models.TextChoices):
    IN_SERVICE = "in_service", _("In service")
    QUARANTINED = "quarantined", _("Quarantined")
    RETIRED = "retired", _("Retired")


class HostKeyState(models.TextChoices):
    OFFERED = "offered", _("Offered, not yet trusted")
    PINNED = "pinned", _("Pinned")
    RETIRED = "retired", _("Retired")


class ScanState(models.TextChoices):
    QUEUED = "queued", _("Queued")
    DONE = "done", _("Done")
    FAILED = "failed", _("Failed")


NODE_MOVES: dict[str, frozenset[str]] = {
    NodeState.ENROLLING: frozenset({NodeState.ACTIVE, NodeState.RETIRED}),
    NodeState.ACTIVE: frozenset({NodeState.QUARANTINED, NodeState.RETIRED}),
    NodeState.QUARANTINED: frozenset({NodeState.ACTIVE, NodeState.RETIRED}),
    NodeState.RETIRED: frozenset({NodeState.ENROLLING}),
}
GPU_MOVES: dict[str, frozenset[str]] = {
    GpuState.IN_SERVICE: frozenset({GpuState.QUARANTINED, GpuState.RETIRED}),
    GpuState.QUARANTINED: frozenset({GpuState.IN_SERVICE, GpuState.RETIRED}),
    GpuState.RETIRED: frozenset({GpuState.IN_SERVICE}),
}
HOST_KEY_MOVES: dict[str, frozenset[str]] = {
    HostKeyState.OFFERED: frozenset({HostKeyState.PINNED, HostKeyState.RETIRED}),
    HostKeyState.PINNED: frozenset({HostKeyState.RETIRED}),
    HostKeyState.RETIRED: frozenset(),
}
SCAN_MOVES: dict[str, frozenset[str]] = {
    ScanState.QUEUED: frozenset({ScanState.DONE, ScanState.FAILED}),
    ScanState.DONE: frozenset(),
    ScanState.FAILED: frozenset(),
}
