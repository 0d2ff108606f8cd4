"""Valkey stopped, then frozen: pages and forms answer, the board says so, all comes back."""

import pytest
from playwright.sync_api import Browser

from tests.e2e import outages, pixels
from tests.parts.stack import Stack
from tests.parts.valkey import Valkey
from tests.parts.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.timeout(600)]
SECONDS = 25


@pytest.mark.parametrize("how", ["stopped", "frozen"])
def test_a_lost_broker_delays_nobody_and_loses_nothing(
    stack: Stack, broker: Valkey, browser: Browser, how: str
) -> None:
    visitor = Visitor(stack.url).sign_in(*stack.login("ops"))
    fail = broker.stop if how == "stopped" else broker.freeze
    mend = broker.start if how == "stopped" else broker.thaw
    with pixels.signed_in(browser, stack, "ops") as page:
        pixels.follow(page, stack)
        outage = outages.endure(stack, page, visitor, fail, mend, seconds=SECONDS)
        assert outage.wrong == []
        assert outage.slowest < outages.MOST_S
        assert outage.not_live_after is not None
        assert outage.asked
        assert outage.lost == 0
        assert page.locator("#live-state").is_hidden()
