"""Whom a fault hurts."""

from diagnostics.findings.models import Finding
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState


def leases_hit(finding: Finding) -> list[Lease]:
    """Running leases that this fault hurts: its own, its card's, or all of the node."""
    running = Lease.objects.filter(node=finding.node_id, state=LeaseState.ACTIVE)
    if finding.gpu_id is not None:
        running = running.filter(gpus=finding.gpu_id)
    elif finding.lease_id is not None:
        running = running.filter(pk=finding.lease_id)
    elif finding.target != "node":
        return []
    return list(running.select_related("customer", "node__provider").order_by("pk").distinct())
