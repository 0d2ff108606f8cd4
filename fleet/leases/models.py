"""Leases: a customer's right to cards, a container or VM, and ports on a node."""

from typing import ClassVar

from django.db import models
from django.utils.translation import gettext_lazy as _

from fleet.inventory.models import Gpu, Node
from fleet.leases.states import LeaseState
from fleet.people.models import Customer


class LeaseKind(models.TextChoices):
    CONTAINER = "container", _("Container")
    VM = "vm", _("Virtual machine")
    BARE_METAL = "bare_metal", _("Bare metal")


class AccessKind(models.TextChoices):
    SSH = "ssh", "SSH"
    JUPYTER = "jupyter", "Jupyter"
    HTTP = "http", "HTTP"
    RDP = "rdp", "RDP"
    VNC = "vnc", "VNC"
    TCP = "tcp", "TCP"


class LeaseGroup(models.Model):
    """Several leases that serve one job."""

    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="lease_groups")
    name = models.CharField(max_length=120)


class Lease(models.Model):
    """Kept in step with the order system by `order_id`; `confirmed_at` is when it last said so."""

    order_id = models.CharField(max_length=64, unique=True)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="leases")
    node = models.ForeignKey(Node, on_delete=models.PROTECT, related_name="leases")
    group = models.ForeignKey(LeaseGroup, null=True, blank=True, on_delete=models.SET_NULL)
    gpus = models.ManyToManyField(Gpu, related_name="leases", blank=True)
    state = models.CharField(max_length=16, choices=LeaseState.choices, default=LeaseState.PLANNED)
    kind = models.CharField(max_length=16, choices=LeaseKind.choices, default=LeaseKind.CONTAINER)
    container = models.CharField(max_length=120, blank=True)
    image = models.CharField(max_length=255, blank=True)
    limits = models.JSONField(default=dict, blank=True)
    price = models.DecimalField(max_digits=12, decimal_places=2, null=True, blank=True)
    price_unit = models.CharField(max_length=24, blank=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.order_id


class AccessPath(models.Model):
    """One published port: public name:port → gateway (may be none) → node:port → container:port."""

    lease = models.ForeignKey(Lease, on_delete=models.CASCADE, related_name="paths")
    kind = models.CharField(max_length=16, choices=AccessKind.choices, default=AccessKind.SSH)
    public_host = models.CharField(max_length=255)
    public_port = models.PositiveIntegerField()
    gateway = models.CharField(max_length=255, blank=True)
    node_port = models.PositiveIntegerField()
    container_port = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["public_host", "public_port"], name="one_path_per_public_port"
            )
        ]

    def __str__(self) -> str:
        return f"{self.public_host}:{self.public_port}"
