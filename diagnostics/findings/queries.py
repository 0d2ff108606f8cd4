"""Reads of findings, always through `fleet.access`: staff by node, customers by what they rent."""

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce, Now

from diagnostics.findings.models import Finding
from diagnostics.findings.rules import NODE
from diagnostics.findings.states import FindingState
from fleet import access
from fleet.access import Anyone
from fleet.inventory.models import Node
from fleet.inventory.states import NodeState
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState


def findings(user: Anyone) -> QuerySet[Finding]:
    """Every finding this person may see, with node, card, lease and path joined."""
    rows = Finding.objects.select_related("node", "gpu", "lease", "path", "root")
    if access.is_staff(user):
        return rows.filter(node__in=access.nodes(user).values("pk"))
    mine = access.leases(user)
    return rows.filter(Q(lease__in=mine.values("pk")) | _whole_node(mine))


def _whole_node(leases: QuerySet[Lease]) -> Q:
    """Faults of the whole node that were open while one of these leases ran there."""
    during = leases.exclude(state=LeaseState.PLANNED).filter(
        Q(ends_at=None) | Q(ends_at__gt=OuterRef("opened_at")),
        Q(starts_at__lte=Coalesce(OuterRef("cleared_at"), Now())),
        node=OuterRef("node"),
    )
    return Q(Exists(during), target=NODE)


def open_findings(user: Anyone) -> QuerySet[Finding]:
    """What is wrong now, newest first. A retired node's findings are history."""
    rows = findings(user).filter(state=FindingState.OPEN)
    return rows.exclude(node__state=NodeState.RETIRED).order_by("-opened_at", "-pk")


def findings_of_node(user: Anyone, node: Node) -> QuerySet[Finding]:
    """Open and past findings of a node, open ones first, newest first."""
    return findings(user).filter(node=node).order_by("-state", "-opened_at", "-pk")


def findings_of_lease(user: Anyone, lease: Lease) -> QuerySet[Finding]:
    """Findings on the lease, its cards and ports, and those of the whole node while it ran."""
    rows = findings(user).filter(Q(lease=lease) | _whole_node(Lease.objects.filter(pk=lease.pk)))
    return rows.order_by("-state", "-opened_at", "-pk")


def leased(rows: QuerySet[Finding]) -> QuerySet[Finding]:
    """Annotate `on_lease`: whether a customer is on the node now."""
    running = Lease.objects.filter(node=OuterRef("node"), state=LeaseState.ACTIVE)
    return rows.annotate(on_lease=Exists(running))
