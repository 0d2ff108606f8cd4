"""The cards a node list names: new ones are added, ones known elsewhere are refused by name."""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.inventory.importing.columns import split_gpus
from fleet.inventory.models import Gpu, Node
from fleet.inventory.services import add_gpu, change_gpu
from fleet.inventory.services.cards import read_uuid
from fleet.people.models import User

MOST = 32


def import_cards(node: Node, cells: Mapping[str, str], actor: User | None) -> list[str]:
    """Add the cards of the `gpus` cell to the node; returns what changed as words.

    A card that the list leaves out stays: absence is for an examination to find, not for a file.
    """
    uuids = [read_uuid(word) for word in split_gpus(cells.get("gpus", ""))]
    if len(uuids) > MOST:
        raise Refused({"gpus": _("A node has at most %(most)d cards.") % {"most": MOST}})
    facts = {"model": cells["gpu_model"][:80]} if "gpu_model" in cells else {}
    known = {gpu.uuid: gpu for gpu in Gpu.objects.select_related("node").filter(uuid__in=uuids)}
    changed: list[str] = []
    for uuid in dict.fromkeys(uuids):
        gpu = known.get(uuid)
        if gpu is None:
            add_gpu(node=node, uuid=uuid, actor=actor, **facts)
            changed.append(f"gpu {uuid}")
        elif gpu.node_id != node.pk:
            words = {"uuid": uuid, "node": gpu.node.name}
            raise Refused({"gpus": _("Card %(uuid)s is in node %(node)s.") % words})
        elif change_gpu(gpu=gpu, actor=actor, **facts):
            changed.append(f"gpu {uuid}")
    return changed
