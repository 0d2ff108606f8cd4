"""A clock that tests move, and a made-up April."""

import random
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from fleet.changes.errors import Refused
from tests import factories
from tickets.cases import services
from tickets.cases.models import Ticket
from tickets.cases.opening import open_ticket

APRIL = datetime(2026, 4, 1, tzinfo=UTC)


class Hand:
    """The time of day, moved by tests."""

    def __init__(self):
        self.now = APRIL


@pytest.fixture
def hand(monkeypatch):
    made = Hand()
    monkeypatch.setattr(timezone, "now", lambda: made.now)
    return made


class Past:
    """Tickets of two customers over six weeks, with all that people do to them."""

    def __init__(self, hand, count):
        self.hand, self.dice = hand, random.Random(7)
        self.ops = factories.make_user("ops")
        self.leases = [factories.make_lease(), factories.make_lease()]
        for _ in range(count):
            self._one()
        hand.now = APRIL + timedelta(days=45)

    def _one(self):
        lease = self.dice.choice(self.leases)
        self.hand.now = APRIL + timedelta(minutes=self.dice.randrange(-10_000, 50_000))
        ticket = open_ticket(
            customer=lease.customer,
            lease=lease,
            subject="Something",
            source=self.dice.choice(["portal", "phone"]),
            klass=self.dice.choice(["port", "complex", "general"]),
            code=self.dice.choice(["", "gpu_fallen_off_bus"]),
        )
        for _ in range(self.dice.randrange(5)):
            self.hand.now += timedelta(seconds=self.dice.randrange(20, 9000))
            with suppress(Refused):
                self._act(ticket)

    def _act(self, ticket):
        act = self.dice.randrange(9)
        if act <= 2:
            services.answer(ticket, body="Yes.", actor=self.ops)
        elif act == 3:
            services.ask(ticket, body="Which?", actor=self.ops, reason="waiting_customer_info")
        elif act == 4:
            services.customer_says(ticket, body="This.", actor=self.ops)
        elif act <= 6:
            services.resolve(ticket, body="Done.", actor=self.ops)
        elif act == 7:
            services.acknowledge(ticket, actor=self.ops)
        else:
            self._rare(ticket)

    def _rare(self, ticket):
        rare = self.dice.randrange(4)
        if rare == 0:
            services.mark(ticket, kind="spam", actor=self.ops)
        elif rare == 1:
            services.withdraw(ticket, actor=self.ops)
        elif rare == 2:
            services.change_class(ticket, to="complex", actor=self.ops)
        else:
            rows = Ticket.objects.filter(customer=ticket.customer_id, state="open")
            earlier = rows.filter(created_at__lt=self.hand.now).exclude(pk=ticket.pk)
            into = earlier.order_by("-created_at").first()
            if into is not None:
                services.merge(ticket, into=into, actor=self.ops)


@pytest.fixture
def past(db, hand):
    return Past(hand, 36)
