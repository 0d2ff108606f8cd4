"""What a drill may touch."""

from fleet import access
from fleet.inventory.models import Node
from fleet.inventory.states import NodeState
from fleet.people.models import User


def nodes(user: User) -> list[Node]:
    """The simulated nodes in service that this person sees; none outside drill mode."""
    seen = access.nodes(user).filter(state=NodeState.ACTIVE, provider__simulated=True)
    return list(seen.select_related("region").order_by("name"))
