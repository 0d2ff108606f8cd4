"""The four steps of the first ten minutes as an incident's page shows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from diagnostics.catalogue.load import FAULTS
from tickets import wording
from tickets.desk.queries import names_of
from tickets.incidents import ourselves, triage
from tickets.incidents.models import Incident
from tickets.incidents.triage import Done, Step

FIXERS: dict[str, str | Promise] = {
    "platform": gettext_lazy("Our side can fix this: the host, its cards or its network."),
    "customer": gettext_lazy(
        "The customer can fix this: tell them kindly what to change, with the line that shows it."
    ),
    "either": gettext_lazy("Either side may be at fault: settle first whose it is."),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One step. `says` is what the machine found, `who` is empty where the machine did it."""

    key: str
    title: str
    done: bool
    at: datetime | None
    who: str
    says: str
    note: str
    next: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """The four steps; `goal` is when ten minutes are over, `seconds` how long they took in all."""

    lines: list[Line]
    goal: datetime
    left: bool
    minutes: str


def shown(incident: Incident, fault: str, target: str) -> Shown:
    """`fault` and `target` are the words the page has for them."""
    facts = triage.facts_of(incident)
    done = triage.done(incident, facts)
    names = names_of(step.actor for step in done.values() if step.actor)
    first = next((step for step in triage.ORDER if step not in done), None)
    says = {
        Step.KIND: _kind(incident, fault, target),
        Step.BASIC: _checks(facts.basic, facts.failing_layer),
        Step.DEEP: _checks(facts.deep, facts.failing_layer) if facts.asked_at else _("Examine now"),
        Step.HAND: _fixer(incident.code),
    }
    took = triage.took(incident, done)
    return Shown(
        lines=[
            _line(step, done.get(step), says[step], names, step == first) for step in triage.ORDER
        ],
        goal=incident.opened_at + triage.GOAL,
        left=took is None,
        minutes=_lasted(int(took.total_seconds())) if took is not None else "",
    )


def _line(step: Step, done: Done | None, says: str, names: Mapping[int, str], first: bool) -> Line:
    return Line(
        key=step.value,
        title=str(step.label),
        done=done is not None,
        at=done.at if done else None,
        who=names.get(done.actor or 0, "") if done else "",
        says=says,
        note=done.note if done else "",
        next=first,
    )


def _kind(incident: Incident, fault: str, target: str) -> str:
    if incident.finding is None:
        return fault
    words = {"layer": wording.layer(incident.finding.layer), "fault": fault, "target": target}
    return _("%(layer)s: %(fault)s, %(target)s") % words


def _checks(counted: Mapping[str, int], failing: str) -> str:
    """`11 of 12 checks are fine`, and the lowest layer that fails."""
    whole = sum(counted.values())
    if not whole:
        return _("The host was not examined yet.")
    sentence = ngettext(
        "%(fine)d of %(whole)d check is fine", "%(fine)d of %(whole)d checks are fine", whole
    )
    said = sentence % {"fine": counted.get("ok", 0), "whole": whole}
    if not failing:
        return said
    layer = wording.layer(failing)
    return _("%(checks)s; the lowest layer that fails: %(layer)s") % {
        "checks": said,
        "layer": layer,
    }


def _fixer(code: str) -> str:
    if code == ourselves.CODE:
        return str(FIXERS["platform"])
    fault = FAULTS.get(code)
    return str(FIXERS.get(fault.fixed_by if fault else "", FIXERS["either"]))


def _lasted(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02d}"
