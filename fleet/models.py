"""Every model of `fleet`, gathered for Django; each lives with its subject."""

from fleet.changes.models import Event
from fleet.inventory.models import (
    Credential,
    Gpu,
    HostKey,
    ImportDraft,
    JumpHost,
    KeyScan,
    Node,
    Provider,
    Region,
)
from fleet.leases.models import AccessPath, Lease, LeaseGroup
from fleet.live.models import LiveVersion
from fleet.people.models import ApiToken, Customer, Membership, User

__all__ = [
    "AccessPath",
    "ApiToken",
    "Credential",
    "Customer",
    "Event",
    "Gpu",
    "HostKey",
    "ImportDraft",
    "JumpHost",
    "KeyScan",
    "Lease",
    "LeaseGroup",
    "LiveVersion",
    "Membership",
    "Node",
    "Provider",
    "Region",
    "User",
]
