"""Line 2: twenty injected faults timed in Chromium, pictures of each step, and strangers."""

import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.e2e import pixels
from tests.e2e.pixels import GPU_FAULT, PORT_FAULT
from tests.e2e.strangers import socket_hears, walls
from tests.parts.chromium import chromium
from tests.parts.stack import Stack
from tests.show.proof import ROOT, Proof

SCREENS = ROOT / "docs" / "screens"
INJECTIONS, P95_S = 20, 3.0
SICK = (
    "select n.name from diagnostics_finding f join fleet_node n on n.id = f.node_id"
    " where f.state = 'open'"
)


def board(proof: Proof) -> None:
    folder = Path(tempfile.mkdtemp(prefix="halfhour-show-"))
    stack = Stack(folder).start(healthy_within=150)
    try:
        with chromium() as browser:
            _pictures_before(browser, stack)
            with pixels.signed_in(browser, stack, "ops") as page:
                pixels.follow(page, stack)
                _two_faults(proof, page, stack)
                _twenty(proof, page, stack)
            _other_pages(browser, stack)
            _strangers(proof, stack, browser)
    finally:
        stack.stop()
        stack.remove()


def _shot(page: Page, name: str) -> None:
    page.screenshot(path=SCREENS / f"{name}.png")


def _pictures_before(browser: Browser, stack: Stack) -> None:
    SCREENS.mkdir(parents=True, exist_ok=True)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{stack.url}/accounts/login/")
    _shot(page, "1-sign-in")
    page.close()


def _two_faults(proof: Proof, page: Page, stack: Stack) -> None:
    """The newcomer's two: a card off the bus on one node, a customer's SSH port on another."""
    spare, leased = pixels.targets(stack)
    _shot(page, "2-board-before")
    both = [(spare[0], GPU_FAULT), (leased[0], PORT_FAULT)]
    seen = {sight.node: sight for sight in pixels.inject_and_watch(page, stack, both)}
    codes = (seen[spare[0]].code, seen[leased[0]].code)
    wanted = ("gpu_fallen_off_bus", "port_unreachable")
    proof.check(codes == wanted, f"both faults on the board without reload: {', '.join(codes)}")
    _shot(page, "3-board-both-faults")
    for name, node in (("4-node-card-lost", spare[0]), ("5-node-port-dead", leased[0])):
        ((pk,),) = stack.query("select id from fleet_node where name = ?", node)
        tab = page.context.new_page()
        tab.goto(f"{stack.url}/nodes/{pk}/")
        _shot(tab, name)
        tab.close()


def _twenty(proof: Proof, page: Page, stack: Stack) -> None:
    """Both kinds of fault, in one sweep, on twenty nodes that have no finding yet."""
    sick = {name for (name,) in stack.query(SICK)}
    spare, leased = (
        [name for name in names if name not in sick] for names in pixels.targets(stack)
    )
    faults = [(node, PORT_FAULT) for node in leased[: INJECTIONS // 2]]
    faults += [(node, GPU_FAULT) for node in spare]
    faults += [(node, GPU_FAULT) for node in leased[INJECTIONS // 2 :]]
    faults = faults[:INJECTIONS]
    first: dict[str, float] = {}
    for sight in pixels.inject_and_watch(page, stack, faults):
        first.setdefault(sight.node, sight.seconds)
    sights = [first[node] for node, _ in faults]
    p95, worst = pixels.percentile(sights, 0.95), max(sights)
    figure = f"examination end → pixel over {len(sights)} injections: p95 {p95:.2f} s"
    median = pixels.percentile(sights, 0.5)
    enough = len(sights) == INJECTIONS and p95 <= P95_S
    proof.check(enough, f"{figure} (≤ {P95_S:g}), median {median:.2f}, worst {worst:.2f}")
    _shot(page, "6-board-twenty")


def _other_pages(browser: Browser, stack: Stack) -> None:
    with pixels.signed_in(browser, stack, "ops") as page:
        for name, path in (("7-fleet", "/fleet/"), ("8-drill", "/drill/")):
            page.goto(stack.url + path)
            _shot(page, name)
    with pixels.signed_in(browser, stack, "customer") as page:
        page.goto(f"{stack.url}/my/")
        _shot(page, "9-my-instances")


def _strangers(proof: Proof, stack: Stack, browser: Browser) -> None:
    holes = walls(stack)
    proof.check(
        not holes, f"other customers' ids, nodes and staff pages: all 404 {holes[:3] or ''}"
    )
    heard = socket_hears(stack, browser)
    proof.check(not heard, f"other customers' sockets: refused, nothing heard {heard[:3] or ''}")
