"""Ends of faults: an incident recovers when all of it is clear, and flaps if it is soon back."""

from datetime import datetime

from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from fleet.changes.services import announce, move_state, record
from tickets.incidents import telling
from tickets.incidents.models import Incident, Receipt
from tickets.incidents.states import (
    INCIDENT_MOVES,
    LIVE,
    WORK_MOVES,
    IncidentState,
    Scope,
    WorkState,
)
from tickets.incidents.windows import FLAP

AT_ONCE = 50


def cleared() -> list[Receipt]:
    """Findings that ended, whose end has not been taken in."""
    rows = Receipt.objects.filter(cleared=False, finding__state=FindingState.CLEARED)
    joined = rows.select_related(
        "finding", "incident__node", "incident__parent__node", "work_item__node"
    )
    return list(joined.order_by("finding__cleared_at", "pk")[:AT_ONCE])


def clear(receipt: Receipt, now: datetime) -> None:
    """Take the end of a finding in; the last one of an incident ends that too."""
    if not Receipt.objects.filter(pk=receipt.pk, cleared=False).update(cleared=True):
        return
    at = receipt.finding.cleared_at or now
    incident, work_item = receipt.incident, receipt.work_item
    if work_item is not None and work_item.state == WorkState.OPEN:
        move_state(work_item, WorkState.DONE, WORK_MOVES)
        type(work_item).objects.filter(pk=work_item.pk).update(done_at=at)
        record(kind="work_item_done", node=work_item.node, data={"work_item": work_item.pk})
    if incident is not None:
        recover_if_clear(incident, at)
    announce("board")


def recover_if_clear(incident: Incident, at: datetime) -> bool:
    """End an incident whose faults are all gone, and then what it was merged into if that only
    waited for it. Returns whether it ended."""
    if incident.state not in LIVE or not is_clear(incident):
        return False
    _recover(incident, at)
    above = incident.parent
    if incident.pinned and above is not None:
        recover_if_clear(above, at)
    return True


def is_clear(incident: Incident) -> bool:
    """None of its own faults is open, nor any incident that a person merged into it."""
    own = Receipt.objects.filter(incident=incident, cleared=False)
    merged = incident.children.filter(pinned=True, state__in=LIVE)
    return not own.exists() and not merged.exists()


def _recover(incident: Incident, at: datetime) -> None:
    move_state(incident, IncidentState.RECOVERED, INCIDENT_MOVES)
    shares = incident.parent is not None and (
        incident.pinned or incident.parent.scope != Scope.TARGET
    )
    kept = {} if shares else {"parent": None}
    Incident.objects.filter(pk=incident.pk).update(recovered_at=at, **kept)
    record(kind="incident_recovered", node=incident.node, data={"incident": incident.pk}, at=at)
    telling.tell_recovery(incident, at)
    announce("board", f"incident:{incident.pk}")


def flapped(finding: Finding) -> Incident | None:
    """The incident of the same fault that recovered a moment ago, open again."""
    same = {"node": finding.node, "code": finding.code, "target": finding.target}
    last = (
        Incident.objects.filter(**same, state=IncidentState.RECOVERED)
        .order_by("-recovered_at")
        .first()
    )
    if last is None or last.recovered_at is None or finding.opened_at - last.recovered_at > FLAP:
        return None
    move_state(last, IncidentState.OPEN, INCIDENT_MOVES)
    changes = {"recovered_at": None, "episodes": last.episodes + 1}
    Incident.objects.filter(pk=last.pk).update(**changes)
    record(kind="incident_reopened", node=finding.node, data={"incident": last.pk})
    telling.tell_return(last, finding.opened_at)
    return last
