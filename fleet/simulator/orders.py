"""Orders of a person to the simulator that the fleet's own record must know of."""

from typing import Any

from django.utils import timezone

from fleet.changes.services import record
from fleet.inventory.models import Node
from fleet.people.models import User
from fleet.simulator.control import Client

RESTART = "restart_announced"


def clear(*, node: str, fault: str = "", by: User | None = None) -> dict[str, Any]:
    """Make a simulated host well; a restart it needs is announced, so that it is no surprise.

    Returns the simulator's answer (`node`, `cleared`, `restarted`). Raises SimulatorError.
    """
    asked_at = timezone.now()
    done = Client().clear(node, fault or None)
    if done["restarted"]:
        found = Node.objects.filter(name=node, provider__simulated=True).first()
        if found:
            record(kind=RESTART, actor=by, node=found, at=asked_at)
    return done
