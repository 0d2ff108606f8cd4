"""Is it you or us? A lease's health in words, the same for the lease page and for my leases."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from diagnostics.findings.models import Finding
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState
from tickets import wording
from tickets.wording import Sign

FELT = frozenset({"incident", "worklist"})


@dataclass(frozen=True, slots=True)
class Health:
    """One sentence, and the sign that goes with it."""

    sign: Sign
    sentence: str


@dataclass(frozen=True, slots=True)
class Told:
    """A finding as a customer is told it; `staff` is the line that only staff read."""

    id: int
    since: datetime
    severity: Sign
    title: str
    target: str
    side: str
    summary: str
    reading: str
    advice: str
    staff: str
    also: tuple[str, ...] = ()


def health(
    lease: Lease, found: Sequence[Finding], examined_at: datetime | None, *, fresh: bool
) -> Health:
    """What we can say now. Without a fresh examination we know nothing, and say so."""
    if lease.state == LeaseState.PLANNED:
        return Health(wording.verdict("unknown"), _("This instance has not started yet."))
    if lease.state == LeaseState.ENDED:
        return Health(wording.verdict("unknown"), _("This instance has ended."))
    felt = [each for each in found if each.opens in FELT]
    if felt:
        return _ill(felt)
    if not fresh:
        said = _("We could not examine the host lately, so we do not know how it is.")
        never = _("The first examination of the host is on its way.")
        return Health(wording.verdict("unknown"), said if examined_at else never)
    return Health(wording.verdict("ok"), _("We see nothing wrong with the host and your ports."))


def _ill(felt: Sequence[Finding]) -> Health:
    root = next((each for each in felt if each.root_id is None), felt[0])
    words = {"fault": wording.fault_text(root.code).title}
    if root.severity in {"critical", "high"}:
        return Health(wording.verdict("fail"), _("There is a fault: %(fault)s.") % words)
    return Health(wording.verdict("warn"), _("Something needs attention: %(fault)s.") % words)


def told(found: Sequence[Finding]) -> tuple[Told, ...]:
    """Each fault once: what another fault here explains is one line under that one."""
    shown = {each.pk for each in found}
    return tuple(
        _told(each, [other for other in found if other.root_id == each.pk])
        for each in found
        if each.root_id not in shown
    )


def _told(found: Finding, consequences: Sequence[Finding]) -> Told:
    """The catalogue's words for the customer, with the reading that decided."""
    fault = wording.fault_text(found.code)
    return Told(
        id=found.pk,
        since=found.opened_at,
        severity=wording.severity(found.severity),
        title=fault.title,
        target=wording.found_on(found),
        side=fault.side,
        summary=fault.summary,
        reading=wording.sentence(found.reason, found.values),
        advice=fault.advice,
        staff=fault.staff,
        also=tuple(
            f"{wording.fault_text(each.code).title} · {wording.found_on(each)}"
            for each in consequences
        ),
    )
