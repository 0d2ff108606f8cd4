"""What can be injected where."""

from collections.abc import Mapping
from dataclasses import dataclass

from fleet import access
from fleet.inventory.models import Gpu, Node
from fleet.inventory.states import NodeState
from fleet.people.models import User


@dataclass(frozen=True, slots=True)
class Fleet:
    """The simulated nodes this person drills on, with their cards."""

    nodes: list[Node]
    cards: list[Gpu]

    @property
    def by_name(self) -> Mapping[str, Node]:
        """Node name → node, for the simulator's answers."""
        return {node.name: node for node in self.nodes}


def fleet(user: User) -> Fleet:
    """Two queries."""
    nodes = access.nodes(user).filter(state=NodeState.ACTIVE, provider__simulated=True)
    cards = Gpu.objects.filter(node__in=nodes).select_related("node")
    return Fleet(
        nodes=list(nodes.select_related("region").order_by("name")),
        cards=list(cards.order_by("node__name", "slot")),
    )
