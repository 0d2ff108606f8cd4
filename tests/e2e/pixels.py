"""From the end of an examination to the pixel: injected faults, timed in a real browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

from playwright.sync_api import Browser, Page

from tests.parts.processes import wait_until
from tests.parts.stack import Stack
from tests.parts.visitor import Visitor

# Notes when each row of the board was first painted. Rows that were there before count as 0.
WATCH_ROWS = """() => {
  const painted = window.painted = {};
  const look = (first) => document.querySelectorAll('[id^="finding-"]').forEach((row) => {
    if (!/^finding-[0-9]+$/.test(row.id) || row.id in painted) return;
    painted[row.id] = 0;
    if (!first) requestAnimationFrame(() => { painted[row.id] = Date.now(); });
  });
  look(true);
  new MutationObserver(() => look(false)).observe(document.body, {childList: true, subtree: true});
}"""
GPU_FAULT, PORT_FAULT = "gpu_off_bus", "port_mapping_gone"


@dataclass(frozen=True)
class Sight:
    """One finding that came to the board: seconds from the visit's end to the pixel."""

    finding: int
    node: str
    code: str
    seconds: float


@contextmanager
def signed_in(browser: Browser, stack: Stack, role: str, number: int = 0) -> Iterator[Page]:
    """A page of that demo login, in a browser context of its own."""
    context = browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900})
    visitor = Visitor(stack.url).sign_in(*stack.login(role, number))
    context.add_cookies(visitor.cookies())  # type: ignore[arg-type]
    page = context.new_page()
    try:
        yield page
    finally:
        context.close()


def instant(text: str) -> float:
    """A database time as epoch seconds."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def follow(page: Page, stack: Stack) -> None:
    """Open the board once; from here on nothing reloads it."""
    page.goto(f"{stack.url}/board/")
    page.locator("html[data-live=live]").wait_for(state="attached", timeout=30_000)
    page.evaluate(WATCH_ROWS)


def painted(page: Page) -> dict[int, float]:
    """Finding → epoch seconds of its first paint (only rows that came after `follow`).

    Fails when the page was reloaded meanwhile: the notes would be gone.
    """
    rows: dict[str, float] = page.evaluate("window.painted")
    return {int(name.split("-")[1]): at / 1000 for name, at in rows.items() if at}


def targets(stack: Stack) -> tuple[list[str], list[str]]:
    """Active simulated nodes: without a running lease, and with a lease that has an SSH port."""
    leased = stack.query(
        "select distinct n.name from fleet_node n join fleet_lease l on l.node_id = n.id"
        " join fleet_accesspath p on p.lease_id = l.id"
        " where l.state = 'active' and p.kind = 'ssh' and n.state = 'active' order by n.name"
    )
    names = [name for (name,) in leased]
    every = stack.query("select name from fleet_node where state = 'active' order by name")
    return [name for (name,) in every if name not in names], names


def opened_since(stack: Stack, start: float) -> list[tuple[int, str, str, float]]:
    """Root findings opened after `start`: (id, node, code, epoch seconds of the visit's end)."""
    rows = stack.query(
        "select f.id, n.name, f.code, f.opened_at from diagnostics_finding f"
        " join fleet_node n on n.id = f.node_id where f.root_id is null and f.state = 'open'"
    )
    found = [(pk, node, code, instant(at)) for pk, node, code, at in rows]
    return [row for row in found if row[3] >= start]


def sights(page: Page, stack: Stack, start: float) -> list[Sight]:
    """Every root finding since `start` that has come to the page."""
    rows = painted(page)
    return [
        Sight(pk, node, code, rows[pk] - ended)
        for pk, node, code, ended in opened_since(stack, start)
        if pk in rows
    ]


def inject_and_watch(page: Page, stack: Stack, faults: list[tuple[str, str]]) -> list[Sight]:
    """Inject (node, fault) pairs and wait until each node shows a row. One sweep is 60 s."""
    start = time.time()
    for node, fault in faults:
        gpu = ["--gpu", "0"] if fault == GPU_FAULT else []
        stack.simulate("inject", node, fault, *gpu)
    nodes = {node for node, _ in faults}

    def all_there() -> list[Sight]:
        page.wait_for_timeout(200)
        seen = sights(page, stack, start)
        return seen if nodes <= {sight.node for sight in seen} else []

    return wait_until(all_there, seconds=180, what=f"rows for {sorted(nodes)}")


def percentile(values: list[float], share: float) -> float:
    """Nearest rank: the value that `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)]
