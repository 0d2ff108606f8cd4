"""Cards: add, change, move between states, move to another node."""

import re
from typing import Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused, StaleState
from fleet.changes.services import announce, move_state, record
from fleet.inventory.models import Gpu, Node
from fleet.inventory.states import GPU_MOVES
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState
from fleet.people.models import User

UUID = re.compile(r"GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
CHANGEABLE = frozenset(
    {"model", "pci_bus_id", "slot", "memory_mib", "power_limit_w", "pcie_width", "vbios"}
)


def read_uuid(text: str) -> str:
    """A card's UUID in the driver's spelling. Raises Refused for anything else."""
    uuid = text.strip()
    uuid = "GPU-" + uuid.removeprefix("GPU-").removeprefix("gpu-").lower()
    if not UUID.match(uuid):
        raise Refused(
            {"uuid": _("A card is named by its UUID, as nvidia-smi -L shows it: GPU-xxxxxxxx-…")}
        )
    return uuid


def add_gpu(*, node: Node, uuid: str, actor: User | None = None, **facts: Any) -> Gpu:
    """Put a card that is new to us into a node. Raises Refused when the UUID is known."""
    gpu = Gpu(node=node, uuid=read_uuid(uuid), **_known(facts))
    try:
        with transaction.atomic():
            gpu.save()
            record(kind="gpu_added", actor=actor, gpu=gpu)
            announce("fleet", f"node:{node.pk}")
    except IntegrityError as error:
        where = Gpu.objects.select_related("node").filter(uuid=gpu.uuid).first()
        words = {"node": where.node.name if where else "?"}
        raise Refused(
            {"uuid": _("This card is already known, in node %(node)s.") % words}
        ) from error
    return gpu


def change_gpu(*, gpu: Gpu, actor: User | None = None, **changes: Any) -> dict[str, list[Any]]:
    """Write these facts of a card; returns {field: [before, after]} of what really changed."""
    changed = {
        field: [getattr(gpu, field), value]
        for field, value in _known(changes).items()
        if getattr(gpu, field) != value
    }
    if not changed:
        return {}
    with transaction.atomic():
        for field, (_before, after) in changed.items():
            setattr(gpu, field, after)
        gpu.save(update_fields=list(changed))
        record(kind="gpu_changed", actor=actor, gpu=gpu, data=changed)
        announce(f"node:{gpu.node_id}")
    return changed


def move_gpu(*, gpu: Gpu, to: str, actor: User | None = None, reason: str = "") -> Gpu:
    """Move a card between states. Raises NotAllowed and StaleState. `reason` is a short key."""
    with transaction.atomic():
        before = move_state(gpu, to, GPU_MOVES)
        moved = {"from": before, "to": to, "reason": reason}
        record(kind="gpu_moved", actor=actor, gpu=gpu, data=moved)
        announce("board", "fleet", f"node:{gpu.node_id}")
    return gpu


def relocate_gpu(*, gpu: Gpu, node: Node, slot: str = "", actor: User | None = None) -> Gpu:
    """Record that a card now sits in another node; its history follows it.

    Raises Refused while a running lease holds the card, and for a move between a simulated and a
    real node; StaleState when somebody moved it first.
    """
    before = gpu.node
    if before.provider.simulated != node.provider.simulated:
        raise Refused(_("A card cannot move between the drill and the real fleet."))
    with transaction.atomic():
        if Lease.objects.filter(gpus=gpu, state=LeaseState.ACTIVE).exists():
            raise Refused(_("A running lease holds this card. End or change the lease first."))
        rows = Gpu.objects.filter(pk=gpu.pk, node=before)
        if not rows.update(node=node, slot=slot):
            raise StaleState(_("Somebody moved this card a moment ago. Load the page again."))
        gpu.node, gpu.slot = node, slot
        moved = {"from_node": before.pk, "to_node": node.pk, "slot": slot}
        record(kind="gpu_relocated", actor=actor, gpu=gpu, data=moved)
        record(kind="gpu_left", actor=actor, node=before, data={"gpu": gpu.pk})
        announce("fleet", f"node:{before.pk}", f"node:{node.pk}")
    return gpu


def _known(facts: dict[str, Any]) -> dict[str, Any]:
    unknown = set(facts) - CHANGEABLE
    if unknown:
        raise TypeError(f"not a field of a card that can be set: {', '.join(sorted(unknown))}")
    return facts
