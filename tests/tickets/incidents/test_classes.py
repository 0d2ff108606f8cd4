"""The class of a ticket follows the root fault that the first examination finds."""

from datetime import timedelta

import pytest

from diagnostics.examine.models import Examination
from tests import factories
from tickets.cases.models import TicketEvent
from tickets.cases.opening import open_ticket


@pytest.fixture
def ticket(site):
    return reported(site)


def reported(site, **fields):
    said = {"source": "portal", "subject": "Cannot log in", "body": "Help."} | fields
    return open_ticket(customer=site.lease.customer, lease=site.lease, **said)


def examined(site):
    return Examination.objects.create(
        node=site.node,
        started_at=site.now - timedelta(seconds=5),
        ended_at=site.now,
        examiner="1",
        reached="ok",
        verdict="fail",
    )


def dead_port(site, **fields):
    path = factories.make_path(lease=site.lease)
    found = {"target": f"path:{path.pk}", "path": path, "lease": site.lease, "severity": "high"}
    return site.fault("port_unreachable", card=None, **(found | fields))


def test_a_dead_port_makes_it_a_port_ticket_as_of_its_start(site, ticket):
    site.after(seconds=40)
    dead_port(site)
    seen = examined(site)
    site.pull()
    ticket.refresh_from_db()
    assert (ticket.klass, ticket.code, ticket.provisional) == ("port", "port_unreachable", False)
    assert ticket.resolution_due_at == ticket.start_at + timedelta(minutes=5)
    assert TicketEvent.objects.get(kind="class_set").at == seen.ended_at


def test_it_waits_for_the_examination(site, ticket):
    dead_port(site)
    site.pull()
    ticket.refresh_from_db()
    assert (ticket.klass, ticket.provisional) == ("general", True)


def test_a_port_is_no_port_fault_when_something_worse_is_wrong(site, ticket):
    site.after(seconds=40)
    dead_port(site)
    site.fault("gpu_fallen_off_bus", opened_at=site.now)
    examined(site)
    site.pull()
    ticket.refresh_from_db()
    assert (ticket.klass, ticket.code) == ("complex", "gpu_fallen_off_bus")


def test_a_consequence_decides_nothing(site, ticket):
    site.after(seconds=40)
    dead_port(site, root=site.fault("driver_hung", card=None))
    examined(site)
    site.pull()
    ticket.refresh_from_db()
    assert (ticket.klass, ticket.code) == ("complex", "driver_hung")


def test_another_leases_fault_decides_nothing(site, ticket):
    site.after(seconds=40)
    site.fault("gpu_fallen_off_bus", card=1)
    examined(site)
    site.pull()
    ticket.refresh_from_db()
    assert (ticket.klass, ticket.provisional) == ("general", False)


@pytest.mark.parametrize(("seconds", "klass"), [(180, "port"), (181, "general")])
def test_three_minutes_are_the_limit(site, ticket, seconds, klass):
    site.after(seconds=seconds)
    dead_port(site)
    examined(site)
    site.pull()
    ticket.refresh_from_db()
    assert (ticket.klass, ticket.provisional) == (klass, False)


def test_nobody_waits_for_ever(site, ticket):
    site.after(minutes=10)
    site.pull()
    ticket.refresh_from_db()
    assert not ticket.provisional


def test_the_class_that_staff_chose_stands(site):
    ticket = reported(site, source="phone", klass="complex")
    site.after(seconds=40)
    dead_port(site)
    examined(site)
    site.pull()
    ticket.refresh_from_db()
    assert ticket.klass == "complex"


def test_it_is_set_once(site, ticket):
    site.after(seconds=40)
    port = dead_port(site)
    examined(site)
    site.pull()
    site.mend(port)
    site.after(seconds=40)
    site.fault("driver_hung", card=None)
    examined(site)
    site.pull()
    ticket.refresh_from_db()
    assert ticket.klass == "port"
    assert TicketEvent.objects.filter(kind="class_set").count() == 1
