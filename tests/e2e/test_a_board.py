"""Both faults of the first promise come to the board without reload, and only to whom they may."""

import pytest
from playwright.sync_api import Browser

from tests.e2e import pixels
from tests.e2e.pixels import GPU_FAULT, PORT_FAULT
from tests.e2e.strangers import socket_hears, walls
from tests.parts.stack import Stack

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.timeout(300)]


def test_faults_come_to_the_board_without_reload(stack: Stack, browser: Browser) -> None:
    spare, leased = pixels.targets(stack)
    with pixels.signed_in(browser, stack, "ops") as page:
        pixels.follow(page, stack)
        faults = [(spare[0], GPU_FAULT), (leased[0], PORT_FAULT), (leased[1], "port_sshd_down")]
        seen = pixels.inject_and_watch(page, stack, faults)
        by_node = {sight.node: sight for sight in seen}
        assert by_node[spare[0]].code == "gpu_fallen_off_bus"
        assert by_node[leased[0]].code == "port_unreachable"
        assert by_node[leased[1]].code == "container_sshd_down"
        assert max(sight.seconds for sight in seen) <= 3
        row = page.locator(f"#finding-{by_node[spare[0]].finding}")
        assert "fallen off the bus" in row.inner_text().lower()
        for node in (spare[0], leased[0], leased[1]):
            stack.simulate("clear", node)


def test_another_customer_finds_nothing_and_hears_nothing(stack: Stack, browser: Browser) -> None:
    assert walls(stack) == []
    assert socket_hears(stack, browser) == []
