"""Pulls facts up: findings become incidents, work items or a mere record, and end with them.

What is new is what has no receipt yet: no number and no time is remembered, so nothing is lost
when rows become visible out of order. Every step may run twice or in two processes at once.
"""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TypeVar

from django.db import IntegrityError, transaction
from django.db.models import BigIntegerField, Exists, F, Model, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from fleet.changes.services import announce, record
from tickets.incidents import causes, classes, ourselves, recover
from tickets.incidents.hits import leases_hit
from tickets.incidents.models import Incident, Receipt, WorkItem
from tickets.incidents.states import LIVE, Scope, WorkState

Row = TypeVar("Row", bound=Model)
log = logging.getLogger(__name__)
AT_ONCE = 50
INCIDENT, WORKLIST = "incident", "worklist"


def pull(now: datetime) -> int:
    """Take in what is new; returns how many facts were taken."""
    return (
        _each(ourselves.doubt, ourselves.new(), now)
        + _each(_take, _new(now), now)
        + _each(recover.clear, recover.cleared(), now)
        + _each(ourselves.see_again, ourselves.over(), now)
        + _each(_fold, _explained(), now)
        + causes.gather(now)
        + _each(classes.settle, classes.waiting(), now)
    )


def _each(act: Callable[[Row, datetime], None], rows: Iterable[Row], now: datetime) -> int:
    """Each fact in its own transaction: one that cannot be taken keeps no other waiting."""
    taken = 0
    for row in rows:
        try:
            with transaction.atomic():
                act(row, now)
            taken += 1
        except Exception:
            log.exception("%s of row %s failed; it is tried again", act.__name__, row.pk)
    return taken


def _new(now: datetime) -> list[Finding]:
    """Findings without a receipt, roots before what they explain."""
    unseen = Finding.objects.filter(~Exists(Receipt.objects.filter(finding=OuterRef("pk"))))
    young = Finding.objects.filter(ourselves.unsettled(now), state=FindingState.OPEN)
    settled = unseen.exclude(pk__in=young.values("pk"))
    joined = settled.select_related("node__provider", "gpu", "root", "lease")
    return list(joined.order_by(F("root").asc(nulls_first=True), "opened_at", "pk")[:AT_ONCE])


def _take(finding: Finding, now: datetime) -> None:
    """Decide what a finding is for us, and leave a receipt."""
    root = finding.root if finding.root and finding.root.state == FindingState.OPEN else None
    receipt, new = Receipt.objects.get_or_create(finding=finding)
    if not new:
        return
    if finding.state == FindingState.CLEARED:
        receipt.cleared = True  # it came and went unseen: nothing was opened for it
    elif root is not None and finding.opens == INCIDENT:
        receipt.incident = _incident_of(root, now)
    elif finding.opens == INCIDENT and not _waits_for_day(finding):
        receipt.incident = open_incident(finding, now)
    elif finding.opens in {INCIDENT, WORKLIST}:
        receipt.work_item = _work_item(finding)
    receipt.save()
    announce("board")


def _incident_of(root: Finding, now: datetime) -> Incident:
    """The incident of what explains a fault; a root that was only daytime work now is one."""
    receipt, _new = Receipt.objects.get_or_create(finding=root)
    if receipt.incident is None:
        receipt.incident = open_incident(root, now)
        receipt.save(update_fields=["incident"])
    return receipt.incident


def _waits_for_day(finding: Finding) -> bool:
    """A card that nobody rents hurts nobody tonight."""
    return finding.gpu_id is not None and not leases_hit(finding)


def open_incident(finding: Finding, now: datetime) -> Incident:
    """A new incident, the live one of the same fault, or one that flaps and is open again."""
    same = {"node": finding.node, "code": finding.code, "target": finding.target}
    incident = Incident.objects.filter(**same, state__in=LIVE).first()
    if incident is None:
        incident = recover.flapped(finding) or _create(finding, same)
    Incident.objects.filter(pk=incident.pk).update(finding=finding)
    doubted = _doubted(finding)
    if doubted is None:
        ourselves.accuse(incident, finding, now)
    else:
        Incident.objects.filter(pk=incident.pk).update(parent=doubted)
    announce("board", f"incident:{incident.pk}")
    return incident


def _doubted(finding: Finding) -> Incident | None:
    """The incident about ourselves, when a host fell silent to our own failed view."""
    if finding.code != ourselves.SILENT:
        return None
    return ourselves.lasting(finding.node.provider.simulated)


def _create(finding: Finding, same: dict[str, object]) -> Incident:
    try:
        with transaction.atomic():
            made = Incident.objects.create(**same, finding=finding, opened_at=finding.opened_at)
    except IntegrityError:  # another process was quicker
        return Incident.objects.get(**same, state__in=LIVE)
    record(kind="incident_opened", node=finding.node, data={"incident": made.pk})
    return made


def _work_item(finding: Finding) -> WorkItem:
    same = {"node": finding.node, "code": finding.code, "target": finding.target}
    made, new = WorkItem.objects.get_or_create(
        **same,
        state=WorkState.OPEN,
        defaults={"finding": finding, "opened_at": finding.opened_at},
    )
    if new:
        record(kind="work_item_opened", node=finding.node, data={"work_item": made.pk})
    return made


def _explained() -> list[Incident]:
    """Live incidents whose place has changed: something explains them now, or no longer does."""
    live = Incident.objects.filter(state__in=LIVE).select_related("finding__root")
    explains = Receipt.objects.filter(
        finding=OuterRef("finding__root"), finding__state=FindingState.OPEN
    )
    above = Subquery(explains.exclude(incident=OuterRef("pk")).values("incident")[:1])
    number = BigIntegerField()
    placed = live.annotate(
        above=Coalesce(above, 0, output_field=number),
        under=Coalesce("parent", 0, output_field=number),
    )
    # A shared cause keeps its members, and a person's word stands, until another fault explains.
    kept = Q(above=0) & Q(parent__isnull=False) & ~Q(parent__scope=Scope.TARGET)
    moved = placed.filter(pinned=False).exclude(under=F("above")).exclude(kept)
    return list(moved.order_by("pk")[:AT_ONCE])


def _fold(incident: Incident, now: datetime) -> None:
    """Under what explains it; back on the board when nothing does any more."""
    root = incident.finding.root if incident.finding else None
    above = None
    if root is not None and root.state == FindingState.OPEN:
        receipt = Receipt.objects.filter(finding=root).exclude(incident=incident).first()
        above = receipt.incident_id if receipt else None
    Incident.objects.filter(pk=incident.pk).update(parent=above)
    announce("board", f"incident:{incident.pk}")
