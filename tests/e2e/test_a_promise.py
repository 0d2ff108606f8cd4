"""The half hour end to end, in two browsers: a fault, its incident, the customer's ticket, answers,
the customer's word, the resolve, and the row of the export with the right minutes."""

import csv
import io
from datetime import UTC, datetime

import pytest
from playwright.sync_api import Browser, Page

from tests.e2e import pixels
from tests.e2e.pixels import PORT_FAULT
from tests.parts.processes import wait_until
from tests.parts.stack import Stack
from tests.parts.visitor import Visitor

pytestmark = [pytest.mark.browser, pytest.mark.worker, pytest.mark.timeout(300)]

# The first customer's running lease with an SSH port, and its node.
LEASED = (
    "select l.id, n.name from fleet_lease l join fleet_node n on n.id = l.node_id"
    " join fleet_accesspath p on p.lease_id = l.id and p.kind = 'ssh'"
    " join fleet_membership m on m.customer_id = l.customer_id"
    " join fleet_user u on u.id = m.user_id"
    " where l.state = 'active' and u.email = ? order by l.id desc"
)
CLOCK = (
    "select response_state, response_at, resolution_state, state from tickets_ticket where id = ?"
)


def clocks(stack: Stack, ticket: int) -> tuple[str, str | None, str, str]:
    """Response and resolution as the rows say."""
    return stack.query(CLOCK, ticket)[0]  # type: ignore[return-value]


def row_of(stack: Stack, ticket: int) -> dict[str, str]:
    """The ticket's row in this month's export."""
    visitor = Visitor(stack.url).sign_in(*stack.login("manager"))
    text = visitor.get("/reports/file.csv").text.lstrip("\ufeff")
    return next(row for row in csv.DictReader(io.StringIO(text)) if row["ticket"] == str(ticket))


def write(page: Page, act: str, text: str) -> None:
    field = "#note-body" if act == "Keep as a note" else "#public-body"
    page.fill(field, text)
    page.get_by_role("button", name=act, exact=True).click()
    page.locator(".talk", has_text=text).wait_for(timeout=10_000)


def test_the_half_hour_end_to_end(stack: Stack, browser: Browser) -> None:
    lease, node = stack.query(LEASED, stack.login("customer")[0])[0]
    stack.simulate("inject", node, PORT_FAULT)
    try:
        with (
            pixels.signed_in(browser, stack, "ops") as ops,
            pixels.signed_in(browser, stack, "customer") as customer,
        ):
            ticket = told_first(stack, lease)
            no_answer_yet(stack, ops, ticket)
            answered(stack, ops, customer, ticket)
            solved(stack, ops, customer, ticket)
    finally:
        stack.simulate("clear", node)
    row = row_of(stack, ticket)
    start, stop = (datetime.fromisoformat(row[name]) for name in ("start", "response_at"))
    assert (row["response_state"], row["proactive"]) == ("met", "true")
    assert float(row["response_seconds"]) == pytest.approx((stop - start).total_seconds(), abs=0.01)
    assert row["state"] == "resolved"


def told_first(stack: Stack, lease: int) -> int:
    """The customer has a ticket although they said nothing; its clock is the contract's."""

    def ticket() -> list[tuple[int, str, str]]:
        return stack.query(
            "select id, start_at, response_due_at from tickets_ticket"
            " where lease_id = ? and source = 'alert' order by id desc",
            lease,
        )

    pk, start, due = wait_until(ticket, seconds=150, what="a ticket for the customer")[0]
    times = [datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, due)]
    assert (times[1] - times[0]).total_seconds() == 30 * 60
    return pk


def no_answer_yet(stack: Stack, ops: Page, ticket: int) -> None:
    """What we measured, a note, an acknowledgement and an assignment stop nothing."""
    ops.goto(f"{stack.url}/tickets/{ticket}/")
    write(ops, "Keep as a note", "Look at the mapping first.")
    ops.get_by_role("button", name="I have seen it").click()
    ops.locator(".talk", has_text="Acknowledged").wait_for(timeout=10_000)
    assert clocks(stack, ticket)[0] == "in_flight"


def answered(stack: Stack, ops: Page, customer: Page, ticket: int) -> None:
    """A person's answer stops the response clock and comes to the customer without reload."""
    customer.goto(f"{stack.url}/my/tickets/{ticket}/")
    customer.get_by_text("It is our turn").wait_for(timeout=10_000)
    assert "mapping first" not in customer.content()
    write(ops, "Answer", "We are setting the port up again.")
    customer.locator(".talk", has_text="setting the port up again").wait_for(timeout=10_000)
    assert clocks(stack, ticket)[0] == "met"


def solved(stack: Stack, ops: Page, customer: Page, ticket: int) -> None:
    """The customer writes, staff resolve, both without reload."""
    customer.fill("#word", "Thank you, how long?")
    customer.get_by_role("button", name="Send", exact=True).click()
    ops.locator(".talk", has_text="how long?").wait_for(timeout=10_000)
    assert stack.query("select waits_since from tickets_ticket where id = ?", ticket)[0][0]
    write(ops, "Resolve", "The port answers again.")
    customer.get_by_text("Please look whether it works").wait_for(timeout=10_000)
    assert clocks(stack, ticket)[3] == "resolved"
