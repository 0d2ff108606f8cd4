"""A month's figures on a page: the same for the operator's report and the customer's statement."""

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from functools import partial

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from fleet.changes.errors import Refused
from fleet.people import formats
from tickets import clocks, wording
from tickets.cases.models import Ticket
from tickets.cases.states import Clock
from tickets.policies.services import default_policy
from tickets.reports.figures import ClockFigures, Figures, figures
from tickets.reports.period import Month, month, neighbours, this_month
from tickets.reports.rows import of_month, rows
from tickets.reports.writing import FORMATS, export
from tickets.sla.attribution import Block
from tickets.sla.instants import SECOND

NAMES: dict[str, str | Promise] = {
    "class": _("By class"),
    "customer": _("By customer"),
    "provider": _("By provider"),
    "layer": _("By layer"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One block's figures, written out."""

    key: str
    attainment: str
    share: int
    met: int
    breached: int
    in_flight: int
    excluded: int
    automated: int
    p50: str
    p90: str
    p95: str
    small: bool


@dataclass(frozen=True, slots=True)
class Table:
    """One clock by one thing."""

    name: str
    lines: list[Line]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """A month: its neighbours, what it counts at all, and both clocks with their tables."""

    month: Month
    before: str
    after: str
    last: bool
    tickets: int
    proactive: int
    tta: str
    acknowledged: int
    unacknowledged: int
    clocks: list[tuple[str, Line, list[Table]]]


def read_month(asked: str) -> Month:
    """The month that was asked for, else this one; in the default contract's zone."""
    zone, at = default_policy().zone, timezone.now()
    try:
        return month(asked, zone, at)
    except Refused:
        return month(this_month(zone, at), zone, at)


def page(tickets: QuerySet[Ticket], shown: Month, *, by: tuple[str, ...]) -> ReportPage:
    """Count the month of these tickets."""
    told = figures(shown, rows(of_month(tickets, shown), shown))
    before, after = neighbours(shown.name)
    return ReportPage(
        month=shown,
        before=before,
        after=after,
        last=shown.name >= this_month(shown.zone.key, timezone.now()),
        tickets=told.tickets,
        proactive=told.proactive,
        tta=_duration(told.percentile(50)),
        acknowledged=len(told.acknowledged),
        unacknowledged=told.unacknowledged,
        clocks=[
            (str(clock.label), _line("", found.overall), _tables(found, by))
            for clock, found in _both(told)
        ],
    )


def _both(told: Figures) -> list[tuple[Clock, ClockFigures]]:
    return [(Clock.RESPONSE, told.response), (Clock.RESOLUTION, told.resolution)]


def _tables(found: ClockFigures, by: tuple[str, ...]) -> list[Table]:
    words: dict[str, Callable[[str], str]] = {"class": clocks.klass, "layer": wording.layer}
    return [
        Table(
            str(NAMES[name]),
            [
                _line(words.get(name, str)(key) or formats.NOTHING, block)
                for key, block in sorted(found.by[name].items())
            ],
        )
        for name in by
    ]


def _line(key: str, block: Block) -> Line:
    return Line(
        key=key,
        attainment=f"{block.attainment} %" if block.n else str(_("n/a")),
        share=block.met * 100 // block.n if block.n else 0,
        met=block.met,
        breached=block.breached,
        in_flight=block.in_flight,
        excluded=sum(block.excluded.values()),
        automated=block.automated,
        p50=_duration(block.percentile(50)),
        p90=_duration(block.percentile(90)),
        p95=_duration(block.percentile(95)),
        small=block.small_sample,
    )


def _duration(milliseconds: int | None) -> str:
    return formats.NOTHING if milliseconds is None else formats.clock(milliseconds / SECOND)


def download(
    request: HttpRequest, kind: str, shown: Month, tickets: QuerySet[Ticket], name: str
) -> HttpResponseBase:
    """The month as a file, streamed: the browser saves it while we still count."""
    portions = export(kind, shown, tickets)
    streamed = _one_by_one(portions) if isinstance(request, ASGIRequest) else portions
    answer = StreamingHttpResponse(streamed, content_type=FORMATS[kind])
    file = f"{name}-{shown.name}.{kind}"
    answer["Content-Disposition"] = f'attachment; filename="{file}"'
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Cache-Control"] = "private, no-store"
    return answer


async def _one_by_one(portions: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The same, for a server that would else gather all of it before it sends anything."""
    following = sync_to_async(partial(next, portions, None))
    while (portion := await following()) is not None:
        yield portion
