"""A node with two rented cards and one spare, and faults that come and go at will."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from diagnostics.findings.models import Finding
from tests import factories
from tickets.incidents.pull import pull

TEN = datetime(2026, 4, 14, 10, tzinfo=UTC)


class Site:
    """Time, a node, its leases, and what happens to it."""

    def __init__(self):
        self.now = TEN
        self.node = factories.make_node(gpus=3)
        self.cards = list(self.node.gpus.order_by("slot"))
        self.lease = factories.make_lease(node=self.node, gpus=self.cards[:1])
        self.other = factories.make_lease(node=self.node, gpus=self.cards[1:2])

    def fault(self, code="gpu_fallen_off_bus", *, card=0, opens="incident", **fields):
        """A finding that opens now, on a card or, with `card=None`, on the whole node."""
        gpu = None if card is None else self.cards[card]
        target = "node" if gpu is None else f"gpu:{gpu.uuid}"
        defaults = {"gpu": gpu, "target": target, "code": code, "opens": opens}
        defaults |= {"opened_at": self.now, "last_seen_at": self.now, "severity": "critical"}
        return factories.make_finding(node=self.node, **{**defaults, **fields})

    def mend(self, finding):
        """The finding clears now."""
        Finding.objects.filter(pk=finding.pk).update(state="cleared", cleared_at=self.now)

    def after(self, **lasts):
        """Time passes."""
        self.now += timedelta(**lasts)

    def pull(self):
        return pull(self.now)


@pytest.fixture
def site(db, monkeypatch):
    made = Site()
    monkeypatch.setattr(timezone, "now", lambda: made.now)
    return made
