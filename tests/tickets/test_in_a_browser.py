"""The pages in Chromium: nothing spills over, clocks tick, keys work; and all without scripts."""

import re

import pytest
from django.conf import settings
from django.test import Client

from config.assets import compile_messages
from tests import factories
from tickets.cases import services

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STAFF = ("/board/", "/fleet/", "/nodes/{node}/", "/leases/{lease}/", "/drill/", "/settings/")
STAFF += ("/tickets/", "/tickets/new", "/tickets/{ticket}/", "/incidents/{incident}/", "/reports/")
CUSTOMER = ("/my/", "/leases/{lease}/", "/settings/", "/my/tickets/", "/my/tickets/{ticket}/")
CUSTOMER += ("/my/tickets/new", "/my/statement/{customer}/")
SPILLS = """() => [...document.querySelectorAll('body *')]
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
  .filter((e) => !e.closest('.unseen, .menu > div'))
  .map((e) => e.outerHTML.slice(0, 120))"""


def go(page, path: str, fleet) -> None:
    """To another page of the same site."""
    site = re.sub(r"(http://[^/]+).*", r"\1", page.url)
    page.goto(site + address(path, fleet))


def address(path: str, fleet) -> str:
    """The path with its numbers."""
    return path.format(
        node=fleet.node.pk,
        lease=fleet.lease.pk,
        customer=fleet.customer.pk,
        ticket=fleet.ticket.pk,
        incident=fleet.incident.pk,
    )


@pytest.fixture
def shown(fleet):
    """A fleet with long names, faults, and readings of every verdict."""
    card = f"gpu:{fleet.cards[0].uuid}"
    path = f"path:{fleet.path.pk}"
    r = fleet.reading
    fleet.examined(
        r("node_reachable", "access", "node", "ok", "node_reached"),
        r(
            "access_path",
            "access",
            path,
            "fail",
            "path_sshd_down",
            host="gw.example.net",
            port=22022,
        ),
        r("gpu_state", "hardware", card, "fail", "gpu_lost", slot="0"),
        r("xid", "hardware", card, "unknown", "section_error", section="kernel", text="x" * 120),
        r("persistence", "driver", card, "unknown", "layer_below"),
        r("disk_space", "storage", "node", "warn", "disk_low", mount="/" + "d" * 60),
        verdict="fail",
        failing_layer="access",
    )
    fleet.path.public_host = "gateway-with-a-long-name.region-one.example.net"
    fleet.path.save()
    root = fleet.lost_card()
    fleet.lost_card(code="gpu_missing", target="node", gpu=None, root=root)
    fleet.dead_port()
    factories.make_watch(node=fleet.other_lease.node)
    services.answer(fleet.ticket, body="w" * 400, actor=fleet.people["ops"])
    services.note(fleet.ticket, body="/" + "d" * 300, actor=fleet.people["ops"])
    return fleet


@pytest.fixture
def visit(browser, live_server, shown):
    """Opens a page as somebody, in a window of this width."""
    contexts = []

    def open_page(path: str, who: str, width: int = 1440, **options: object):
        client = Client()
        client.force_login(shown.people[who])
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        name = settings.SESSION_COOKIE_NAME
        context.add_cookies(
            [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
        )
        page = context.new_page()
        page.goto(live_server.url + address(path, shown))
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("density", ["dense", "roomy"])
def test_no_page_scrolls_sideways_at_any_width(visit, shown, language: str, density: str) -> None:
    compile_messages()
    factories.User.objects.update(language=language, density=density)
    for who, paths, widths in (
        ("ops", STAFF, (390, 768, 1440)),
        ("customer", CUSTOMER, (320, 390, 1440)),
    ):
        page = visit("/settings/", who)
        for path in paths:
            go(page, path, shown)
            for width in widths:
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, (
                    path, width, page.evaluate(SPILLS)[-3:],
                )  # fmt: skip
                assert page.evaluate(SPILLS) == [], (path, width)


def test_the_clock_of_the_worst_finding_is_the_largest_text_and_ticks(visit) -> None:
    page = visit("/board/", "ops")
    sizes = page.evaluate(
        """() => [...document.querySelectorAll('body *')]
             .filter((e) => e.children.length === 0 && e.textContent.trim())
             .map((e) => [parseFloat(getComputedStyle(e).fontSize), e.className])
             .sort((a, b) => b[0] - a[0]).slice(0, 2)"""
    )
    assert "tick-clock" in sizes[0][1]
    assert sizes[0][0] > 2 * sizes[1][0]
    clock = page.locator(".lead .tick-clock")
    before = clock.inner_text()
    page.wait_for_timeout(1300)
    assert re.fullmatch(r"\d\d:\d\d", before)
    assert clock.inner_text() != before


def test_clocks_follow_the_server_not_the_device(visit) -> None:
    page = visit("/board/", "ops")
    wrong = page.context.new_page()
    wrong.add_init_script("const real = Date.now; Date.now = () => real() + 7 * 3600 * 1000;")
    wrong.goto(page.url)
    wrong.wait_for_timeout(200)
    assert re.fullmatch(r"00:\d\d", wrong.locator(".lead .tick-clock").inner_text())


def test_a_port_is_copied_with_one_press(visit, shown) -> None:
    page = visit("/my/", "customer")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    button = page.locator("[data-copy]").first
    button.click()
    page.get_by_text("Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == button.get_attribute("data-copy")


def test_copying_works_without_the_clipboard_of_secure_pages(visit) -> None:
    page = visit("/my/", "customer")
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.locator("[data-copy]").first.click()
    page.get_by_text("Copied").wait_for()


def test_everything_works_without_scripts(visit, shown) -> None:
    page = visit("/board/", "ops", java_script_enabled=False)
    page.locator("summary", has_text="1 consequence").click()
    assert page.get_by_text("Fewer GPUs than the lease says").is_visible()
    page.get_by_role("link", name="Next step").first.click()
    assert page.url.endswith(
        f"/nodes/{shown.node.pk}/#finding-{shown.node.findings.earliest('pk').pk}"
    )
    page.get_by_role("button", name="Examine now").click()
    assert page.get_by_text("Examination queued").is_visible()
    page.get_by_role("link", name="Fleet").first.click()
    page.get_by_label("Verdict").select_option("unknown")
    page.get_by_role("button", name="Filter").click()
    assert shown.node.name not in page.locator("tbody").inner_text()
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    assert "/accounts/login/" in page.url


def test_the_board_is_walked_by_keyboard_with_a_visible_focus(visit) -> None:
    page = visit("/board/", "ops")
    page.keyboard.press("Tab")
    skip = page.locator(":focus")
    assert skip.inner_text() == "Skip to the content"
    assert skip.bounding_box()["y"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    for _ in range(12):
        where = page.locator(":focus")
        style = where.evaluate(
            "(e) => getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth"
        )
        assert style == "solid2px"
        page.keyboard.press("Tab")


def test_an_open_menu_closes_with_escape_and_gives_the_focus_back(visit) -> None:
    page = visit("/board/", "ops")
    page.locator(".menu summary").focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("button", name="Sign out").is_visible()
    page.keyboard.press("Escape")
    assert not page.get_by_role("button", name="Sign out").is_visible()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


def test_the_browser_reports_no_error_on_any_page(visit, shown) -> None:
    said: list[str] = []
    for who, paths in (("ops", STAFF), ("customer", CUSTOMER)):
        page = visit("/settings/", who)
        # This server has no websockets; the tests of the whole installation have them.
        page.add_init_script("window.WebSocket = class extends EventTarget { close() {} };")
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: said.append(line.text) if line.type == "error" else None)
        for path in paths:
            go(page, path, shown)
    assert said == []


def test_a_replaced_row_keeps_its_open_fold_and_the_focus(visit, shown) -> None:
    page = visit("/board/", "ops")
    summary = page.locator(".fold > summary")
    summary.click()
    summary.focus()
    with page.expect_response("**/board/rows*"):
        page.evaluate("htmx.trigger('#region-board', 'refetch')")
    page.wait_for_timeout(300)
    assert page.get_by_text("Fewer GPUs than the lease says").is_visible()
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    page.get_by_role("link", name="Next step").first.focus()
    before = page.evaluate("document.activeElement.href")
    with page.expect_response("**/board/rows*"):
        page.evaluate("htmx.trigger('#region-board', 'refetch')")
    page.wait_for_timeout(300)
    assert page.evaluate("document.activeElement.href") == before
