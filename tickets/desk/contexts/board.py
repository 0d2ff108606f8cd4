"""The board: one row per fault that nothing else explains, its consequences folded under it."""

from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page
from django.urls import reverse

from diagnostics.findings.models import Finding
from fleet.inventory.models import Node
from fleet.leases.models import Lease
from tickets import naming, wording
from tickets.incidents.queries import leases_of_causes
from tickets.wording import Sign


@dataclass(frozen=True, slots=True)
class Customer:
    """Who is hit, with the lease that says so."""

    name: str
    order: str
    url: str


@dataclass(frozen=True, slots=True)
class Consequence:
    """A finding that another one explains."""

    id: int
    severity: Sign
    title: str
    target: str
    reading: str


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One fault on the board. `next` is what the catalogue tells staff to do first."""

    id: int
    since: datetime
    severity: Sign
    opens: str
    layer: str
    title: str
    target: str
    reading: str
    next: str
    occurrences: int
    node: str
    url: str
    place: str
    customers: tuple[Customer, ...]
    consequences: tuple[Consequence, ...]
    lead: bool
    due: datetime | None
    owner: str
    incident_url: str
    cause: str
    together: str


def rows(page: Page[Finding]) -> list[FindingRow]:
    """The rows of one page; only the very first finding of all leads."""
    leads, found = page.number == 1, list(page.object_list)
    causes = leases_of_causes(pk for each in found if (pk := _cause_number(each)))
    return [
        finding_row(
            each,
            running(each.node),
            lead=leads and place == 0,
            shared=causes.get(_cause_number(each)),
        )
        for place, each in enumerate(found)
    ]


def _cause_number(found: Finding) -> int:
    """The incident of the shared cause it stands for, or 0."""
    return getattr(found, "incident", 0) if getattr(found, "cause_scope", None) else 0


def finding_row(
    found: Finding,
    leases: list[Lease],
    *,
    lead: bool = False,
    shared: list[Lease] | None = None,
) -> FindingRow:
    """`leases` are those that run on the finding's node now, `shared` those that a cause hurts
    for which it stands; `consequences` must be prefetched."""
    node = found.node
    fault = wording.fault_text(found.code)
    return FindingRow(
        id=found.pk,
        since=found.opened_at,
        severity=wording.severity(found.severity),
        opens=wording.opens(found.opens),
        layer=wording.layer(found.layer),
        title=fault.title,
        target="" if found.target == "node" else wording.found_on(found),
        reading=wording.sentence(found.reason, found.values),
        next=fault.staff if lead else wording.first_step(fault.staff),
        occurrences=found.occurrences,
        node=node.name,
        url=f"{reverse('node', args=[node.pk])}#finding-{found.pk}",
        place=place(node),
        customers=_named(shared) if shared is not None else customers(found, leases),
        consequences=tuple(consequence(each) for each in found.consequences.all()),
        lead=lead,
        due=getattr(found, "due", None),
        owner=getattr(found, "owner", None) or "",
        incident_url=_incident_url(getattr(found, "incident", None)),
        cause=_cause(found),
        together=naming.together(getattr(found, "together", None) or 0) if _cause(found) else "",
    )


def _cause(found: Finding) -> str:
    """The rack, PDU, uplink or provider it stands for."""
    scope = getattr(found, "cause_scope", None)
    return naming.placed(scope, getattr(found, "cause_place", "")) if scope else ""


def _incident_url(pk: int | None) -> str:
    return reverse("incident", args=[pk]) if pk else ""


def consequence(found: Finding) -> Consequence:
    """A folded line."""
    return Consequence(
        id=found.pk,
        severity=wording.severity(found.severity),
        title=wording.fault_text(found.code).title,
        target=wording.found_on(found),
        reading=wording.sentence(found.reason, found.values),
    )


def running(node: Node) -> list[Lease]:
    """The leases of now, as `queries.running_leases` prefetched them."""
    return getattr(node, "running", [])


def place(node: Node) -> str:
    """Region, room, rack and height, as far as they are known."""
    where = (node.region.name, node.room, node.rack, node.rack_unit)
    return " · ".join(part for part in where if part)


def customers(found: Finding, leases: list[Lease]) -> tuple[Customer, ...]:
    """Whom this fault reaches: the lease of its target, of its card, or every lease of the node."""
    if found.lease is not None:
        hit = [found.lease]
    elif found.gpu is not None:
        hit = [lease for lease in leases if found.gpu in lease.gpus.all()]
    elif found.target == "node":
        hit = leases
    else:
        hit = []
    return _named(hit)


def _named(leases: list[Lease]) -> tuple[Customer, ...]:
    return tuple(
        Customer(lease.customer.name, lease.order_id, reverse("lease", args=[lease.pk]))
        for lease in leases
    )
