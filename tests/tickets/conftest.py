"""A small drill fleet with two customers, and people who look at it."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from diagnostics.findings.models import Finding
from fleet.inventory.models import Gpu, Node
from fleet.leases.models import AccessPath, Lease
from fleet.people.models import Customer, Role, User
from tests import factories
from tickets.cases.models import Ticket
from tickets.incidents.models import Incident


@dataclass
class Fleet:
    """One node of four cards: two rented by `customer`, whose port is `path`; `other` has none."""

    node: Node
    cards: list[Gpu]
    customer: Customer
    lease: Lease
    path: AccessPath
    other: Customer
    other_lease: Lease
    people: dict[str, User] = field(default_factory=dict)

    def reading(
        self, probe: str, layer: str, target: str, verdict: str, reason: str, **values: object
    ):
        return {
            "probe": probe,
            "layer": layer,
            "target": target,
            "verdict": verdict,
            "code": "",
            "reason": reason,
            "values": values,
        }

    def examined(self, *readings: dict, verdict: str = "ok", ago: int = 5, **fields: object):
        at = timezone.now() - timedelta(seconds=ago)
        return factories.make_watch(
            node=self.node, readings=list(readings), verdict=verdict, examined_at=at, **fields
        )

    @cached_property
    def ticket(self) -> Ticket:
        """A ticket of `customer` about `lease`."""
        return factories.make_ticket(
            lease=self.lease, body="It stopped at night.", actor=self.people["customer"]
        )

    @cached_property
    def incident(self) -> Incident:
        """An incident of the whole node."""
        return factories.make_incident(node=self.node)

    def lost_card(self, **fields: object) -> Finding:
        defaults = {
            "node": self.node,
            "code": "gpu_fallen_off_bus",
            "target": f"gpu:{self.cards[0].uuid}",
            "gpu": self.cards[0],
            "layer": "hardware",
            "reason": "gpu_lost",
            "values": {"slot": "0"},
        }
        return factories.make_finding(**{**defaults, **fields})

    def dead_port(self, **fields: object) -> Finding:
        defaults = {
            "node": self.node,
            "code": "container_sshd_down",
            "target": f"path:{self.path.pk}",
            "path": self.path,
            "lease": self.lease,
            "layer": "access",
            "severity": "high",
            "reason": "path_sshd_down",
            "values": {"host": "gw.example.net", "port": 22022},
        }
        return factories.make_finding(**{**defaults, **fields})


@pytest.fixture
def fleet(db: None) -> Fleet:
    node = factories.make_node(
        simulated=True, gpus=4, name="sh-r01-n01", rack="R01", rack_unit="U7"
    )
    cards = list(node.gpus.order_by("slot"))
    customer = factories.make_customer(name="Qinglan Lab", simulated=True)
    other = factories.make_customer(name="Northlight", simulated=True)
    lease = factories.make_lease(node=node, customer=customer, gpus=cards[:2], order_id="HT-1")
    made = Fleet(
        node=node,
        cards=cards,
        customer=customer,
        lease=lease,
        path=factories.make_path(lease=lease, public_host="gw.example.net", public_port=22022),
        other=other,
        other_lease=factories.make_lease(
            node=factories.make_node(simulated=True), customer=other, order_id="HT-2"
        ),
    )
    made.people = {
        "ops": factories.make_user(Role.OPS, drill_mode=True, name="Lin Yue"),
        "manager": factories.make_user(Role.MANAGER, drill_mode=True),
        "customer": factories.make_user(customer=customer),
        "stranger": factories.make_user(customer=other),
    }
    return made


@pytest.fixture
def sign_in(fleet: Fleet) -> Callable[[str], Client]:
    """A browser without JavaScript, signed in as `ops`, `manager`, `customer` or `stranger`."""

    def signed_in(who: str) -> Client:
        client = Client()
        client.force_login(fleet.people[who])
        return client

    return signed_in


@pytest.fixture
def ops(sign_in: Callable[[str], Client]) -> Client:
    return sign_in("ops")


@pytest.fixture
def customer(sign_in: Callable[[str], Client]) -> Client:
    return sign_in("customer")


def words(response: HttpResponse) -> str:
    """What a reader of the page sees: the text of its body, in one line."""
    text = re.sub(r"(?s)<head.*?</head>", " ", response.content.decode())
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))
