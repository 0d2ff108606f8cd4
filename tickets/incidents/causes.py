"""Shared causes as incidents: made, joined, widened and ended as their members come and go."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from diagnostics.findings.states import FindingState
from fleet.changes.services import announce, move_state, record
from fleet.inventory.models import Node
from fleet.inventory.states import NodeState
from tickets.incidents.models import Incident
from tickets.incidents.shared import Group, Member, Place, groups
from tickets.incidents.states import INCIDENT_MOVES, LIVE, IncidentState, Scope
from tickets.incidents.windows import FLAP

IN_SERVICE = (NodeState.ACTIVE, NodeState.QUARANTINED)


def live_causes() -> QuerySet[Incident]:
    """Incidents that others share."""
    return Incident.objects.filter(state__in=LIVE).exclude(scope=Scope.TARGET)


def gather(now: datetime) -> int:
    """Put incidents that came together in one place under one; returns how many moved."""
    rows = _loose()
    moved = 0
    if len(rows) > 1:
        hosts, names = _places()
        known = {row.pk: row for row in rows}
        for group in groups([_member(row) for row in rows], hosts):
            with transaction.atomic():
                members = [known[pk] for pk in sorted(group.members)]
                moved += _join(group, members, names.get((group.scope, group.key), ""))
    return moved + _end_empty(now)


def _loose() -> list[Incident]:
    """Live incidents of single faults that no other fault explains and nobody has placed."""
    live = Incident.objects.filter(state__in=LIVE, scope=Scope.TARGET, pinned=False)
    explained = Q(finding__root__state=FindingState.OPEN)
    free = Q(parent=None) | ~Q(parent__scope__in=(Scope.TARGET, Scope.OURSELVES))
    rows = live.filter(free).exclude(explained)
    return list(rows.select_related("node", "parent").order_by("opened_at", "pk")[:2000])


def places_of(node: Node) -> dict[str, str]:
    """The keys of the places a host is in; unknown places are left out. A rack, a PDU or an uplink
    is known by its name within provider and region, a rack by its room too."""
    site = f"{node.provider_id}/{node.region_id}"
    keys = {
        Scope.NODE: str(node.pk),
        Scope.RACK: f"{site}/{node.room}/{node.rack}" if node.rack else "",
        Scope.PDU: f"{site}/{node.room}/{node.pdu}" if node.pdu else "",
        Scope.UPLINK: f"{site}/{node.uplink}" if node.uplink else "",
        Scope.PROVIDER: str(node.provider_id),
    }
    return {scope.value: key for scope, key in keys.items() if key}


def _member(row: Incident) -> Member:
    on_card = row.target.startswith("gpu:")
    return Member(row.pk, row.node_id, row.code, on_card, places_of(row.node))


def _places() -> tuple[Mapping[Place, int], Mapping[Place, str]]:
    """How many hosts in service each place has, and what people call it."""
    hosts: Counter[Place] = Counter()
    names: dict[Place, str] = {}
    served = Node.objects.filter(state__in=IN_SERVICE).select_related("provider", "region")
    for node in served:
        for place in places_of(node).items():
            hosts[place] += 1
            names.setdefault(place, _name(place[0], node))
    return hosts, names


def _name(scope: str, node: Node) -> str:
    rack = " · ".join(part for part in (node.region.name, node.room, node.rack) if part)
    return {
        Scope.NODE: node.name,
        Scope.RACK: rack,
        Scope.PDU: node.pdu,
        Scope.UPLINK: node.uplink,
        Scope.PROVIDER: node.provider.name,
    }[Scope(scope)]


def _join(group: Group, members: Sequence[Incident], name: str) -> int:
    parent = _live(group) or _again(group) or _make(group, members, name)
    new = [row for row in members if row.parent_id != parent.pk]
    Incident.objects.filter(pk__in=[row.pk for row in new]).update(parent=parent)
    _stand_for(parent, members)
    if new:
        data = {"incident": parent.pk, "members": len(members)}
        record(kind="incident_gathered", node=parent.node, data=data)
        announce("board", f"incident:{parent.pk}", *(f"incident:{row.pk}" for row in new))
    return len(new)


def _same(group: Group) -> QuerySet[Incident]:
    return Incident.objects.filter(scope=group.scope, target=f"{group.scope}:{group.key}")


def _live(group: Group) -> Incident | None:
    return _same(group).filter(state__in=LIVE).first()


def _again(group: Group) -> Incident | None:
    """The one of this place that ended a moment ago, when its members come back."""
    last = _same(group).filter(state=IncidentState.RECOVERED).order_by("-recovered_at").first()
    newest = Incident.objects.filter(pk__in=group.members).order_by("-opened_at").first()
    if last is None or last.recovered_at is None or newest is None:
        return None
    if newest.opened_at - last.recovered_at > FLAP:
        return None
    move_state(last, IncidentState.OPEN, INCIDENT_MOVES)
    Incident.objects.filter(pk=last.pk).update(recovered_at=None, episodes=last.episodes + 1)
    record(kind="incident_reopened", node=last.node, data={"incident": last.pk})
    return last


def _make(group: Group, members: Sequence[Incident], name: str) -> Incident:
    """Whoever had one of the members, or what it was part of, has this too."""
    first = members[0]
    held = [row for row in members if row.owner_id] + [
        row.parent for row in members if row.parent is not None and row.parent.owner_id
    ]
    try:
        with transaction.atomic():
            made = Incident.objects.create(
                node=first.node,
                code=group.code,
                scope=group.scope,
                target=f"{group.scope}:{group.key}",
                place=name[:160],
                opened_at=first.opened_at,
                owner_id=held[0].owner_id if held else None,
                acknowledged_at=held[0].acknowledged_at if held else None,
            )
    except IntegrityError:  # another process was quicker
        return _same(group).get(state__in=LIVE)
    record(kind="incident_opened", node=first.node, data={"incident": made.pk})
    return made


def _stand_for(parent: Incident, members: Sequence[Incident]) -> None:
    """The oldest member's finding is what lists show of the whole."""
    findings = [row.finding_id for row in members if row.finding_id is not None]
    if findings and parent.finding_id not in findings:
        Incident.objects.filter(pk=parent.pk).update(finding=findings[0])


def _end_empty(now: datetime) -> int:
    """A cause ends with the last of what shares it."""
    shared = live_causes().exclude(scope=Scope.OURSELVES)
    empty = shared.exclude(children__state__in=LIVE).select_related("node")
    rows = list(empty.distinct()[:200])
    for row in rows:
        with transaction.atomic():
            _end(row, now)
    return len(rows)


def _end(row: Incident, now: datetime) -> None:
    ends = row.children.exclude(recovered_at=None).values_list("recovered_at", flat=True)
    at = max((end for end in ends if end is not None), default=now)
    move_state(row, IncidentState.RECOVERED, INCIDENT_MOVES)
    Incident.objects.filter(pk=row.pk).update(recovered_at=at)
    record(kind="incident_recovered", node=row.node, data={"incident": row.pk}, at=at)
    announce("board", f"incident:{row.pk}")
