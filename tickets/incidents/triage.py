"""The first ten minutes of an incident in four steps, filled in by the machine where it can be.

Locate the kind, basic checks, deep checks, hand to who can fix it. A step is done when the
machine's own facts say so or a person says so; a person may say so with a note.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, models, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from diagnostics.examine.models import Examination, Watch
from fleet.changes.errors import Refused
from fleet.changes.services import announce, record
from fleet.people.models import User
from tickets.incidents.models import Incident, TriageMark
from tickets.incidents.states import LIVE

GOAL = timedelta(minutes=10)
LONGEST_NOTE = 500
BASIC = ("access", "hardware", "driver", "network")


class Step(models.TextChoices):
    KIND = "kind", gettext_lazy("Locate the kind")
    BASIC = "basic", gettext_lazy("Basic checks")
    DEEP = "deep", gettext_lazy("Deep checks")
    HAND = "hand", gettext_lazy("Hand to who can fix it")


ORDER = (Step.KIND, Step.BASIC, Step.DEEP, Step.HAND)


@dataclass(frozen=True, slots=True)
class Done:
    """When a step was done, and by whom: a person's number, or None for the machine."""

    at: datetime
    actor: int | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the machine knows of an incident: the readings by verdict and when they were taken."""

    basic: Mapping[str, int]
    deep: Mapping[str, int]
    failing_layer: str
    examined_at: datetime | None
    asked_at: datetime | None


def facts_of(incident: Incident) -> Facts:
    """Two queries: the newest readings of its host, and the visit that somebody asked for."""
    watch = Watch.objects.filter(node=incident.node_id).first()
    visits = Examination.objects.filter(node=incident.node_id, ended_at__gte=incident.opened_at)
    asked = visits.filter(asked=True).order_by("ended_at").values_list("ended_at", flat=True)
    readings = watch.readings if watch else []
    return Facts(
        basic=_counted(each for each in readings if each["layer"] in BASIC),
        deep=_counted(each for each in readings if each["layer"] not in BASIC),
        failing_layer=watch.failing_layer if watch else "",
        examined_at=watch.examined_at if watch else None,
        asked_at=asked.first(),
    )


def _counted(readings: Iterable[Mapping[str, str]]) -> Counter[str]:
    return Counter(each["verdict"] for each in readings)


def done(incident: Incident, facts: Facts) -> dict[str, Done]:
    """Which steps are done, by machine or person (one query)."""
    marks = TriageMark.objects.filter(incident=incident)
    found = {mark.step: Done(mark.at, mark.actor_id, mark.note) for mark in marks}
    return _by_machine(incident, facts) | found


def _by_machine(incident: Incident, facts: Facts) -> dict[str, Done]:
    found: dict[str, Done] = {}
    if incident.finding_id is not None:
        found[Step.KIND] = Done(incident.opened_at, None)
    seen = facts.examined_at
    if seen is not None and seen >= incident.opened_at and facts.basic:
        found[Step.BASIC] = Done(max(seen, incident.opened_at), None)
    if facts.asked_at is not None:
        found[Step.DEEP] = Done(facts.asked_at, None)
    if incident.acknowledged_at is not None and incident.owner_id is not None:
        found[Step.HAND] = Done(incident.acknowledged_at, incident.owner_id)
    return found


def took(incident: Incident, steps: Mapping[str, Done]) -> timedelta | None:
    """From finding it to the last of the four steps; None while one is left."""
    if any(step not in steps for step in ORDER):
        return None
    return max(step.at for step in steps.values()) - incident.opened_at


@transaction.atomic
def mark(incident: Incident, *, step: str, note: str, actor: User) -> TriageMark:
    """A person says that a step is done. Raises Refused when it is over or was marked before."""
    if step not in Step.values:
        raise Refused(_("There is no such step."))
    if incident.state not in LIVE:
        raise Refused(_("This incident is over."))
    if len(note) > LONGEST_NOTE:
        raise Refused(_("A note has at most %(most)d characters.") % {"most": LONGEST_NOTE})
    try:
        with transaction.atomic():
            made = TriageMark.objects.create(
                incident=incident, step=step, at=timezone.now(), actor=actor, note=note.strip()
            )
    except IntegrityError:
        raise Refused(_("Somebody has done this step already.")) from None
    data = {"incident": incident.pk, "step": step}
    record(kind="incident_triaged", actor=actor, node=incident.node, data=data)
    announce(f"incident:{incident.pk}")
    return made
