"""A clock that tests move, and tickets on it."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from tickets.cases.opening import open_ticket

TEN = datetime(2026, 4, 14, 10, tzinfo=UTC)


class Hand:
    """The time of day, moved by tests: `clock.at("10:30")`."""

    def __init__(self):
        self.now = TEN

    def at(self, text):
        hours, minutes, *seconds = (int(part) for part in text.split(":"))
        self.now = TEN.replace(hour=hours % 24, minute=minutes, second=sum(seconds))
        self.now += timedelta(days=hours // 24)
        return self.now


@pytest.fixture
def clock(monkeypatch):
    hand = Hand()
    monkeypatch.setattr(timezone, "now", lambda: hand.now)
    return hand


@pytest.fixture
def ops(make_user):
    return make_user("ops")


@pytest.fixture
def manager(make_user):
    return make_user("manager")


@pytest.fixture
def customer(make_customer):
    return make_customer()


@pytest.fixture
def chen(make_user, customer):
    return make_user(customer=customer)


@pytest.fixture
def ticket(clock, customer, chen):
    """A ticket of class complex, from the customer's page, at ten o'clock."""
    return open_ticket(
        customer=customer,
        subject="Training stopped",
        source="portal",
        klass="complex",
        body="It stopped at night.",
        actor=chen,
    )
