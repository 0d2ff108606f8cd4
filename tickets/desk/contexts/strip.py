"""The fleet in a line, and the calm notice of a board without findings."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from fleet.people import formats
from tickets import naming, wording
from tickets.desk.queries import Strip
from tickets.incidents.models import Incident
from tickets.wording import Sign


@dataclass(frozen=True, slots=True)
class Count:
    """How many nodes have this verdict."""

    sign: Sign
    number: int


@dataclass(frozen=True, slots=True)
class Calm:
    """Why the board is empty: nothing is wrong, or we do not know."""

    sign: Sign
    title: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Our own view fails: what to do, and where it is worked on."""

    title: str
    sentence: str
    url: str


@dataclass(frozen=True, slots=True)
class StripView:
    """What the strip shows. `calm` is None while a finding is open."""

    nodes: str
    counts: tuple[Count, ...]
    cards_out: int
    cards_text: str
    examined_at: datetime | None
    calm: Calm | None
    doubt: Doubt | None


def view(strip: Strip, doubted: Incident | None) -> StripView:
    """Word the counts, and say first if we cannot see."""
    nodes = ngettext("%(count)d node", "%(count)d nodes", strip.nodes)
    return StripView(
        nodes=nodes % {"count": strip.nodes},
        counts=tuple(
            Count(wording.verdict(key), number)
            for key, number in (
                ("fail", strip.fail),
                ("warn", strip.warn),
                ("unknown", strip.unknown),
                ("ok", strip.ok),
            )
        ),
        cards_out=strip.cards_out,
        cards_text=formats.number(strip.cards),
        examined_at=strip.examined_at,
        calm=None if strip.findings or doubted else _calm(strip),
        doubt=_doubt(doubted) if doubted else None,
    )


def _doubt(incident: Incident) -> Doubt:
    said = naming.fault_of(incident)
    return Doubt(said.title, said.staff, reverse("incident", args=[incident.pk]))


def _calm(strip: Strip) -> Calm:
    """Unknown nodes are never passed off as well."""
    if not strip.nodes and strip.waiting:
        title = ngettext(
            "%(count)d node waits to be enrolled",
            "%(count)d nodes wait to be enrolled",
            strip.waiting,
        )
        said = _("Open it in the fleet list and compare its host key; then examinations begin.")
        return Calm(wording.verdict("unknown"), title % {"count": strip.waiting}, said)
    if not strip.nodes:
        said = _("Nodes appear here as soon as they are imported or enrolled.")
        return Calm(wording.verdict("unknown"), _("No nodes yet"), said)
    if strip.unknown:
        said = ngettext(
            "No finding is open, but %(count)d node was not examined lately.",
            "No finding is open, but %(count)d nodes were not examined lately.",
            strip.unknown,
        )
        words = said % {"count": strip.unknown}
        return Calm(wording.verdict("unknown"), _("We do not know enough"), words)
    said = ngettext(
        "%(count)d node was examined and no finding is open.",
        "All %(count)d nodes were examined and no finding is open.",
        strip.nodes,
    )
    return Calm(wording.verdict("ok"), _("Nothing is wrong"), said % {"count": strip.nodes})
