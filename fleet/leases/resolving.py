"""Turns the names in a lease's facts into rows, or into one sentence per field that is wrong."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from fleet import access, typed
from fleet.changes.errors import Refused
from fleet.inventory.models import Gpu, Node
from fleet.inventory.states import NodeState
from fleet.leases.facts import MOST_PATHS, LeaseFacts, PathFacts
from fleet.leases.models import AccessKind, AccessPath, Lease, LeaseKind
from fleet.leases.states import LeaseState
from fleet.people.models import Customer, User

MOST_LIMIT = 10**9


@dataclass
class Resolved:
    """The rows behind the facts. `gpus` and `paths` are None where the facts leave them out."""

    customer: Customer
    node: Node
    state: str
    gpus: list[Gpu] | None
    paths: Sequence[PathFacts] | None


def resolve(lease: Lease | None, facts: LeaseFacts, actor: User | None = None) -> Resolved:
    """Find every row named, locking the cards. Raises Refused with all that is wrong at once.

    What `actor` may not see does not exist for them.
    """
    errors: dict[str, str] = {}
    customer = _customer(lease, facts, actor, errors)
    node = _node(lease, facts, actor, errors)
    state = facts.get("state") or (lease.state if lease else LeaseState.ACTIVE)
    _check_words(lease, facts, state, errors)
    if customer is None or node is None:
        raise Refused(errors)
    if customer.simulated != node.provider.simulated:
        errors["node"] = _("Node and customer are not both of the drill or both real.")
    if state == LeaseState.ACTIVE and node.state == NodeState.RETIRED:
        errors["node"] = _("This node has retired.")
    gpus = _gpus(lease, facts, node, state, errors)
    _check_paths(lease, facts.get("paths", ()), errors)
    if errors:
        raise Refused(errors)
    return Resolved(customer, node, state, gpus, facts.get("paths"))


def _customer(
    lease: Lease | None, facts: LeaseFacts, actor: User | None, errors: dict[str, str]
) -> Customer | None:
    if "customer" not in facts:
        if lease is None:
            errors["customer"] = _("A new lease needs its customer.")
        return lease.customer if lease else None
    seen = access.customers(actor) if actor else Customer.objects.all()
    found = seen.filter(name=facts["customer"]).first()
    if found is None:
        errors["customer"] = _("No customer is called “%(name)s”.") % {"name": facts["customer"]}
    return found


def _node(
    lease: Lease | None, facts: LeaseFacts, actor: User | None, errors: dict[str, str]
) -> Node | None:
    if "node" not in facts:
        if lease is None:
            errors["node"] = _("A new lease needs its node.")
        return lease.node if lease else None
    seen = access.nodes(actor) if actor else Node.objects.all()
    found = seen.select_related("provider").filter(name=facts["node"]).first()
    if found is None:
        errors["node"] = _("No node is called “%(name)s”.") % {"name": facts["node"]}
    return found


def _check_words(
    lease: Lease | None, facts: LeaseFacts, state: str, errors: dict[str, str]
) -> None:
    if state not in LeaseState.values:
        errors["state"] = _("The state is one of: %(words)s.") % _words(LeaseState.values)
    if facts.get("kind", LeaseKind.CONTAINER) not in LeaseKind.values:
        errors["kind"] = _("The kind is one of: %(words)s.") % _words(LeaseKind.values)
    starts = facts.get("starts_at", lease.starts_at if lease else None)
    ends = facts.get("ends_at", lease.ends_at if lease else None)
    if starts is None:
        errors["starts_at"] = _("A new lease needs its start.")
    elif ends is not None and ends < starts:
        errors["ends_at"] = _("A lease cannot end before it starts.")
    for name in ("container", "image", "price_unit"):
        if not typed.is_line(str(facts.get(name) or "")):
            errors[name] = _("A character in it is invisible: type it again.")
    if facts.get("container") and not typed.is_container(facts["container"]):
        errors["container"] = _("A container's name has letters, digits, “_”, “.” and “-” only.")
    if any(number < 0 or number > MOST_LIMIT for number in _numbers(facts)):
        errors["limits"] = _("A limit is a number from 0 to 1,000,000,000.")
    price = facts.get("price")
    if price is not None and not (price.is_finite() and 0 <= price < 10**10):
        errors["price"] = _("The price is a number from 0 to 9,999,999,999.99.")


def _numbers(facts: LeaseFacts) -> list[float]:
    limits = facts.get("limits") or {}
    return [value for value in limits.values() if isinstance(value, int | float)]


def _words(values: Iterable[str]) -> dict[str, str]:
    return {"words": ", ".join(values)}


def _gpus(
    lease: Lease | None, facts: LeaseFacts, node: Node, state: str, errors: dict[str, str]
) -> list[Gpu] | None:
    """The cards, locked so that two orders cannot take one card at once."""
    cards = Gpu.objects.select_for_update().order_by("pk")
    if "gpus" in facts:
        wanted = list(dict.fromkeys(facts["gpus"]))
        gpus = list(cards.filter(uuid__in=wanted))
        found = {gpu.uuid for gpu in gpus}
        unknown = [uuid for uuid in wanted if uuid not in found]
        if unknown:
            errors["gpus"] = _("Not a card we know: %(words)s.") % _words(unknown)
    else:
        gpus = list(cards.filter(leases=lease)) if lease else []
    elsewhere = [gpu.uuid for gpu in gpus if gpu.node_id != node.pk]
    if elsewhere:
        errors["gpus"] = _("Not on this node: %(words)s.") % _words(elsewhere)
    if state == LeaseState.ACTIVE and gpus:
        _refuse_taken(lease, gpus, errors)
    return gpus if "gpus" in facts else None


def _refuse_taken(lease: Lease | None, gpus: list[Gpu], errors: dict[str, str]) -> None:
    others = Lease.objects.filter(gpus__in=gpus, state=LeaseState.ACTIVE).distinct()
    if lease is not None:
        others = others.exclude(pk=lease.pk)
    orders = list(others.order_by("pk").values_list("order_id", flat=True)[:5])
    if orders:
        errors["gpus"] = _("Cards are held by running leases: %(words)s.") % _words(orders)


def _check_paths(lease: Lease | None, paths: Sequence[PathFacts], errors: dict[str, str]) -> None:
    if len(paths) > MOST_PATHS:
        errors["paths"] = _("A lease publishes at most %(most)d ports.") % {"most": MOST_PATHS}
        return
    for index, path in enumerate(paths):
        complaint = _complaint(path)
        if complaint:
            errors[f"paths[{index}]"] = complaint
    public = [(path.public_host, path.public_port) for path in paths]
    if len(set(public)) < len(public):
        errors["paths"] = _("A public name and port is listed twice.")
    others = AccessPath.objects.exclude(lease__state=LeaseState.ENDED)
    others = others.filter(public_host__in={host for host, _port in public})
    if lease is not None:
        others = others.exclude(lease=lease)
    taken = {(path.public_host, path.public_port): path for path in others.select_related("lease")}
    for index, address in enumerate(public):
        if address in taken:
            words = {"order": taken[address].lease.order_id}
            errors[f"paths[{index}]"] = _("Lease %(order)s publishes this port.") % words


def _complaint(path: PathFacts) -> str:
    """What is wrong with one published port, or nothing."""
    if not path.public_host or len(path.public_host) > 255 or len(path.gateway) > 255:
        return _("A published port needs a public name of at most 255 characters.")
    if not typed.is_host(path.public_host) or (path.gateway and not typed.is_host(path.gateway)):
        return _("“%(name)s” is neither a host name nor an address.") % {
            "name": typed.visible(
                path.gateway if typed.is_host(path.public_host) else path.public_host
            )
        }
    if path.kind not in AccessKind.values:
        return _("The kind is one of: %(words)s.") % _words(AccessKind.values)
    inside = 22 if path.container_port is None else path.container_port
    if not all(1 <= port <= 65535 for port in (path.public_port, path.node_port, inside)):
        return _("A port is a number from 1 to 65535.")
    return ""
