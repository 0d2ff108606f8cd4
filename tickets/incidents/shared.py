"""Which faults share a cause: cards of one host, hosts of one rack, PDU, uplink or provider (pure).

Nothing here accuses: a group says that faults came together in one place, which is where staff
look first. Members keep their own tickets and their own end.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tickets.incidents.states import Scope

Place = tuple[str, str]  # scope and key


@dataclass(frozen=True, slots=True)
class Member:
    """A live incident that nothing else explains. `places` has the key of each scope it is in."""

    id: int
    node: int
    code: str
    on_card: bool
    places: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rule:
    """When faults of these codes in one place are one thing: how many, on how many hosts, and
    which share of the place's hosts. Empty `codes` are all faults of cards."""

    codes: frozenset[str]
    scopes: tuple[str, ...]
    members: int
    nodes: int
    share: float


@dataclass(frozen=True, slots=True)
class Group:
    """Incidents that share a cause in one place; `code` is the fault most of them have."""

    scope: str
    key: str
    code: str
    members: frozenset[int]


HEAT = frozenset({"thermal_throttling", "hw_thermal_slowdown"})
POWER = frozenset({"hw_power_brake_slowdown", "psu_fault", "unplanned_reboot", "node_unreachable"})
CUT_OFF = frozenset({"node_unreachable", "network_degraded", "outbound_network_down"})
# Where two places explain as much, the one named first in this order is told.
WIDTH = (Scope.PDU, Scope.UPLINK, Scope.RACK, Scope.PROVIDER, Scope.NODE)
RULES = (
    Rule(HEAT, (Scope.RACK,), members=3, nodes=2, share=0.0),
    Rule(POWER, (Scope.PDU,), members=2, nodes=2, share=0.5),
    Rule(CUT_OFF, (Scope.UPLINK, Scope.RACK, Scope.PROVIDER), members=3, nodes=3, share=0.5),
    Rule(frozenset(), (Scope.NODE,), members=2, nodes=1, share=0.0),
)


def groups(members: Sequence[Member], hosts: Mapping[Place, int]) -> list[Group]:
    """Groups of these incidents, the one that explains most first; each incident is in one.

    `hosts` says how many hosts each place has that are in service.
    """
    left = {member.id: member for member in members}
    found: list[Group] = []
    while (best := _best(list(left.values()), hosts)) is not None:
        found.append(best)
        for pk in best.members:
            del left[pk]
    return found


def _best(members: Sequence[Member], hosts: Mapping[Place, int]) -> Group | None:
    """Most members; of equals the place with fewest hosts, so that a rack is not its provider."""
    candidates = [group for rule in RULES for group in _of(rule, members, hosts)]
    return min(
        candidates,
        key=lambda group: (
            -len(group.members),
            hosts.get((group.scope, group.key), 1),
            WIDTH.index(Scope(group.scope)),
            group.key,
        ),
        default=None,
    )


def _of(rule: Rule, members: Sequence[Member], hosts: Mapping[Place, int]) -> Iterable[Group]:
    fitting = [each for each in members if _fits(rule, each)]
    for scope in rule.scopes:
        together: dict[str, list[Member]] = defaultdict(list)
        for member in fitting:
            if key := member.places.get(scope):
                together[key].append(member)
        for key, rows in together.items():
            nodes = {row.node for row in rows}
            enough = len(rows) >= rule.members and len(nodes) >= rule.nodes
            if enough and len(nodes) >= rule.share * hosts.get((scope, key), len(nodes)):
                yield Group(scope, key, _most(rows), frozenset(row.id for row in rows))


def _fits(rule: Rule, member: Member) -> bool:
    return member.code in rule.codes if rule.codes else member.on_card


def _most(rows: Iterable[Member]) -> str:
    counted = Counter(row.code for row in rows)
    return min(counted, key=lambda code: (-counted[code], code))
