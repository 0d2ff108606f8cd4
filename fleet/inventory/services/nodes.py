"""Nodes: add, change, move between states."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from fleet import typed
from fleet.changes.errors import Refused
from fleet.changes.services import announce, move_state, record
from fleet.inventory.models import Credential, JumpHost, Node, Provider, Region
from fleet.inventory.services.credentials import default_credential
from fleet.inventory.states import NODE_MOVES
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState
from fleet.people.models import User

PLACE = ("room", "rack", "rack_unit", "pdu", "circuit", "uplink", "asset_tag")
FACTS = ("psu_watts", "cpu_model", "cpu_cores", "ram_gib", "disk_gib")
LINKS = ("region", "credential", "jump")
CHANGEABLE = frozenset({"address", "port", *LINKS, *PLACE, *FACTS})


def add_node(
    *,
    name: str,
    provider: Provider,
    region: Region,
    address: str,
    port: int = 22,
    credential: Credential | None = None,
    jump: JumpHost | None = None,
    actor: User | None = None,
    **facts: Any,
) -> Node:
    """Take a node into the inventory, in state `enrolling`. Raises Refused with field errors.

    Without `credential` it gets the default login key. `facts` are fields of PLACE and FACTS.
    """
    node = Node(
        name=name.strip(),
        provider=provider,
        region=region,
        address=address.strip(),
        port=port,
        credential=credential or default_credential(actor=actor),
        jump=jump,
        **_known(facts),
    )
    with transaction.atomic():
        _save(node)
        record(kind="node_added", actor=actor, node=node)
        announce("fleet")
    return node


def change_node(*, node: Node, actor: User | None = None, **changes: Any) -> dict[str, list[Any]]:
    """Write these fields; returns {field: [before, after]} of what really changed.

    Name and provider stay: the one is how people know the node, the other decides its world.
    """
    changed: dict[str, list[Any]] = {}
    for field, value in _known(changes, CHANGEABLE).items():
        attname = f"{field}_id" if field in LINKS else field
        before = getattr(node, attname)
        setattr(node, field, value)
        if getattr(node, attname) != before:
            changed[field] = [before, getattr(node, attname)]
    if not changed:
        return {}
    with transaction.atomic():
        _save(node, list(changed))
        record(kind="node_changed", actor=actor, node=node, data=changed)
        announce("fleet", f"node:{node.pk}")
    return changed


def move_node(*, node: Node, to: str, actor: User | None = None, reason: str = "") -> Node:
    """Move a node between states. `reason` is a short key, kept in the event.

    Raises NotAllowed, StaleState, and Refused when a node that still has a running lease is to
    retire.
    """
    with transaction.atomic():
        running = Lease.objects.filter(node=node, state=LeaseState.ACTIVE)
        if to == "retired" and running.exists():
            raise Refused(_("This node still has a running lease. End or move the lease first."))
        before = move_state(node, to, NODE_MOVES)
        moved = {"from": before, "to": to, "reason": reason}
        record(kind="node_moved", actor=actor, node=node, data=moved)
        announce("board", "fleet", f"node:{node.pk}")
    return node


def _known(facts: dict[str, Any], known: frozenset[str] = CHANGEABLE) -> dict[str, Any]:
    unknown = set(facts) - known
    if unknown:
        raise TypeError(f"not a field of a node that can be set: {', '.join(sorted(unknown))}")
    return facts


def _save(node: Node, fields: list[str] | None = None) -> None:
    """Check and write; every complaint becomes a field error."""
    try:
        node.full_clean(validate_unique=False, validate_constraints=False)
        _check(node)
    except ValidationError as error:
        raise Refused(
            {name: " ".join(all_) for name, all_ in error.message_dict.items()}
        ) from error
    try:
        with transaction.atomic():
            node.save(update_fields=fields)
    except IntegrityError as error:
        raise Refused(_taken(node)) from error


def _check(node: Node) -> None:
    """What a name, an address and a port can be; commands and pages show them as they are."""
    if not 1 <= node.port <= 65535:
        raise ValidationError({"port": _("A port is a number from 1 to 65535.")})
    if not typed.is_node_name(node.name):
        said = _("A node's name begins with a letter or digit; “.”, “_” and “-” may follow.")
        raise ValidationError({"name": said})
    if not typed.is_host(node.address):
        words = {"name": typed.visible(node.address)}
        said = _("“%(name)s” is neither a host name nor an address.") % words
        raise ValidationError({"address": said})
    for field in (*PLACE, "cpu_model"):
        if not typed.is_line(getattr(node, field)):
            raise ValidationError({field: _("A character in it is invisible: type it again.")})


def _taken(node: Node) -> dict[str, str]:
    """Name what was taken: a name, or an address with its port."""
    others = Node.objects.exclude(pk=node.pk)
    if others.filter(name=node.name).exists():
        return {"name": _("There is already a node of this name.")}
    holder = others.filter(address=node.address, port=node.port).first()
    if holder and holder.provider.simulated != node.provider.simulated:
        return {"address": _("A node of the drill has this address and port.")}
    return {
        "address": _("Node %(name)s already has this address and port.")
        % {"name": holder.name if holder else "?"}
    }
