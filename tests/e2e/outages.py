"""The broker goes away: pages and forms still answer, the board says so, and all comes back."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Page

from tests.parts.processes import wait_until
from tests.parts.stack import Stack
from tests.parts.visitor import Visitor

MOST_S = 3.0


@dataclass
class Outage:
    """What one outage looked like from outside. Seconds throughout."""

    answers: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    not_live_after: float | None = None
    live_again_after: float | None = None
    healthy_again_after: float | None = None
    asked: list[int] = field(default_factory=list)
    lost: int = 0

    @property
    def slowest(self) -> float:
        return max(self.answers)


def endure(
    stack: Stack, page: Page, visitor: Visitor, fail: Callable[[], None], mend: Callable[[], None],
    *, seconds: float,
) -> Outage:  # fmt: skip
    """Break the broker for `seconds`, ask for pages and post forms meanwhile, then mend it."""
    outage = Outage()
    nodes = [pk for (pk,) in stack.query("select id from fleet_node where state = 'active'")]
    before = _last_request(stack)
    start = time.monotonic()
    fail()
    while time.monotonic() - start < seconds:
        node = nodes[len(outage.answers) % len(nodes)]
        _ask(outage, visitor, "get", "/board/", 200)
        _ask(outage, visitor, "get", f"/nodes/{node}/", 200)
        _ask(outage, visitor, "post", f"/nodes/{node}/examine", 302)
        if outage.not_live_after is None and _live(page) == "lost":
            outage.not_live_after = time.monotonic() - start
        page.wait_for_timeout(1500)
    mend()
    _recover(stack, page, outage)
    rows = stack.query("select id from diagnostics_visitrequest where id > ?", before)
    outage.asked = [pk for (pk,) in rows]
    _nothing_lost(stack, outage, before)
    return outage


def _ask(outage: Outage, visitor: Visitor, how: str, path: str, status: int) -> None:
    try:
        answer = getattr(visitor, how)(path, timeout=30)
    except OSError as error:
        outage.wrong.append(f"{how} {path}: {error}")
        return
    outage.answers.append(answer.seconds)
    if answer.status != status:
        outage.wrong.append(f"{how} {path}: {answer.status}")


def _live(page: Page) -> str:
    return str(page.evaluate("document.documentElement.dataset.live"))


def _recover(stack: Stack, page: Page, outage: Outage) -> None:
    mended = time.monotonic()

    def live() -> bool:
        page.wait_for_timeout(200)
        return _live(page) == "live"

    wait_until(live, seconds=60, what="the page is live again")
    outage.live_again_after = time.monotonic() - mended
    wait_until(lambda: stack.health()[0] == 200, seconds=150, what="healthy again", every=1)
    outage.healthy_again_after = time.monotonic() - mended


def _last_request(stack: Stack) -> int:
    ((last,),) = stack.query("select coalesce(max(id), 0) from diagnostics_visitrequest")
    return int(last)


def _nothing_lost(stack: Stack, outage: Outage, before: int) -> None:
    """Every visit asked for during the outage is carried out once the broker is back."""

    def left() -> int:
        sql = "select count(*) from diagnostics_visitrequest where state = 'queued' and id > ?"
        ((count,),) = stack.query(sql, before)
        return int(count)

    try:
        wait_until(lambda: left() == 0, seconds=150, what="no visit left queued", every=1)
    except AssertionError:
        outage.lost = left()
