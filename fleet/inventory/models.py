"""Inventory: providers, regions, nodes, cards, and what is needed to reach a node."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from fleet.inventory.states import GpuState, HostKeyState, NodeState, ScanState


class Provider(models.Model):
    """Who owns the hosts. `simulated` is set at creation; the database refuses to change it."""

    name = models.CharField(max_length=80, unique=True)
    simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Region(models.Model):
    """Where a host stands: jurisdiction decides law, carrier decides how customers reach it."""

    code = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    jurisdiction = models.CharField(max_length=40, blank=True)
    carrier = models.CharField(max_length=80, blank=True)

    def __str__(self) -> str:
        return self.name


class Credential(models.Model):
    """A private key we log in with. `secret` is a Fernet token (HALFHOUR_KEYS)."""

    name = models.CharField(max_length=80, unique=True)
    username = models.CharField(max_length=64, default="halfhour-probe")
    secret = models.TextField()
    public_key = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class JumpHost(models.Model):
    """A bastion in front of nodes. Its host key is pinned like a node's (`algorithm base64`)."""

    name = models.CharField(max_length=80, unique=True)
    address = models.CharField(max_length=255)
    port = models.PositiveIntegerField(default=22)
    credential = models.ForeignKey(Credential, on_delete=models.PROTECT)
    host_key = models.TextField()

    def __str__(self) -> str:
        return self.name


class Node(models.Model):
    """A rented host: where it stands, how it is reached, what it is made of."""

    name = models.CharField(max_length=80, unique=True)
    provider = models.ForeignKey(Provider, on_delete=models.PROTECT, related_name="nodes")
    region = models.ForeignKey(Region, on_delete=models.PROTECT, related_name="nodes")
    state = models.CharField(max_length=16, choices=NodeState.choices, default=NodeState.ENROLLING)
    address = models.CharField(max_length=255)
    port = models.PositiveIntegerField(default=22)
    credential = models.ForeignKey(Credential, null=True, blank=True, on_delete=models.PROTECT)
    jump = models.ForeignKey(JumpHost, null=True, blank=True, on_delete=models.PROTECT)
    room = models.CharField(max_length=40, blank=True)
    rack = models.CharField(max_length=40, blank=True)
    rack_unit = models.CharField(max_length=16, blank=True)
    pdu = models.CharField(max_length=40, blank=True)
    circuit = models.CharField(max_length=40, blank=True)
    uplink = models.CharField(max_length=40, blank=True)
    asset_tag = models.CharField(max_length=40, blank=True)
    psu_watts = models.PositiveIntegerField(null=True, blank=True)
    cpu_model = models.CharField(max_length=120, blank=True)
    cpu_cores = models.PositiveIntegerField(null=True, blank=True)
    ram_gib = models.PositiveIntegerField(null=True, blank=True)
    disk_gib = models.PositiveIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["address", "port"], name="one_node_per_address")
        ]

    def __str__(self) -> str:
        return self.name


class Gpu(models.Model):
    """One card, known by UUID; index order changes at reboot and is never a key."""

    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="gpus")
    uuid = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=16, choices=GpuState.choices, default=GpuState.IN_SERVICE)
    model = models.CharField(max_length=80, default="NVIDIA GeForce RTX 4090")
    pci_bus_id = models.CharField(max_length=24, blank=True)
    slot = models.CharField(max_length=16, blank=True)
    memory_mib = models.PositiveIntegerField(null=True, blank=True)
    power_limit_w = models.PositiveIntegerField(null=True, blank=True)
    pcie_width = models.PositiveIntegerField(null=True, blank=True)
    vbios = models.CharField(max_length=32, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.uuid


class HostKey(models.Model):
    """A key a node showed: `algorithm` and, in `public_key`, its base64 alone.

    Only a person pins one; a node has at most one pinned key.
    """

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="host_keys")
    algorithm = models.CharField(max_length=40)
    public_key = models.TextField()
    fingerprint = models.CharField(max_length=80)
    state = models.CharField(
        max_length=16, choices=HostKeyState.choices, default=HostKeyState.OFFERED
    )
    offered_at = models.DateTimeField(auto_now_add=True)
    pinned_at = models.DateTimeField(null=True, blank=True)
    pinned_by = models.ForeignKey(
        "fleet.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["node"], condition=Q(state="pinned"), name="one_pinned_key_per_node"
            )
        ]

    def __str__(self) -> str:
        return self.line

    @property
    def line(self) -> str:
        """`algorithm base64`, as transport and `.pub` files have it."""
        return f"{self.algorithm} {self.public_key}"


class KeyScan(models.Model):
    """Somebody asked which host key a node shows. The row is the queue; the message a nudge.

    `outcome` is a short key: `offered`, `known` (the pinned key again), `changed`, `timed_out`,
    `no_such_host`, `unreachable`, `no_ssh`, `bastion_failed`.
    """

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="key_scans")
    asked_by = models.ForeignKey(
        "fleet.User", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    state = models.CharField(max_length=16, choices=ScanState.choices, default=ScanState.QUEUED)
    outcome = models.CharField(max_length=20, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["node"], condition=Q(state="queued"), name="one_queued_scan_per_node"
            )
        ]
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["state", "created_at"])]


class ImportDraft(models.Model):
    """A list somebody uploaded and is looking at before it is imported; kept for a day.

    `kind` is `csv` or `ssh_config`; `report` is what the import did, once it was done.
    """

    user = models.ForeignKey("fleet.User", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)
    text = models.TextField()
    provider = models.CharField(max_length=80, blank=True)
    region = models.CharField(max_length=80, blank=True)
    all_or_nothing = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    done_at = models.DateTimeField(null=True, blank=True)
    report = models.JSONField(null=True, blank=True)
