"""What a customer's own page reads."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import QuerySet

from diagnostics.findings.models import Finding
from diagnostics.findings.queries import open_findings
from fleet import access
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState
from fleet.people.models import Customer, User
from tickets.ordering import ORDERS, rank


def customers(user: User) -> QuerySet[Customer]:
    """For whom this person acts."""
    return access.customers(user).order_by("name")


def leases(user: User, customer: int) -> list[Lease]:
    """What the customer rents now or from a later day on, running ones first."""
    rows = access.leases(user).filter(customer=customer).exclude(state=LeaseState.ENDED)
    joined = rows.select_related("node__region", "node__watch").prefetch_related("gpus", "paths")
    return list(joined.order_by("state", "order_id"))


def findings(user: User, leases: Sequence[Lease]) -> Mapping[int, list[Finding]]:
    """Lease → its open findings, the worst first; a fault of the whole node is every lease's."""
    numbers = [lease.pk for lease in leases]
    weighed = open_findings(user).annotate(weight=rank("severity"))
    found = list(weighed.order_by("weight", "opened_at", "pk")) if numbers else []
    sorted_out: dict[int, list[Finding]] = defaultdict(list)
    for lease in leases:
        for each in found:
            if each.lease_id == lease.pk or (
                each.target == "node" and each.node_id == lease.node_id
            ):
                sorted_out[lease.pk].append(each)
    return sorted_out


def worst(found: Sequence[Finding]) -> int:
    """The place of the worst severity, for sorting: 0 is critical, none at all comes last."""
    order = ORDERS["severity"]
    places = [order.index(each.severity) for each in found if each.severity in order]
    return min(places, default=len(order))
