"""The lease page: the same facts for staff and for the customer, each in their words."""

from datetime import timedelta

from django.utils import timezone

from tests import factories
from tests.tickets.conftest import words
from tickets.advice import NOW


def test_a_customer_is_told_what_it_is_what_we_measured_and_what_to_do(fleet, customer) -> None:
    fleet.examined()
    fleet.dead_port()
    text = words(customer.get(f"/leases/{fleet.lease.pk}/"))
    for said in (
        "There is a fault: SSH service in the container not running.",
        "The container runs, but its login service does not.",
        "no SSH service answers at gw.example.net:22022",
        "please do not restart your instance.",
        "Not yet determined",
        "ssh -p 22022 root@gw.example.net",
    ):
        assert said in text


def test_a_consequence_is_a_line_under_its_root_and_does_not_speak_for_itself(
    fleet, customer
) -> None:
    fleet.examined()
    root = factories.make_finding(node=fleet.node, code="node_unreachable", target="node")
    fleet.dead_port(root=root, code="port_unreachable")
    for address in (f"/leases/{fleet.lease.pk}/", "/my/"):
        text = words(customer.get(address))
        assert "With it Port not reachable from outside · SSH port gw.example.net:22022" in text
        assert text.count("What it is") == 1
        assert "although the host is up" not in text


def test_nobody_is_sent_to_a_button_that_no_page_has(fleet, customer) -> None:
    fleet.examined()
    for code in NOW:
        found = fleet.dead_port(code=code)
        text = words(customer.get(f"/leases/{fleet.lease.pk}/"))
        for absent in ("port reset on the page", "on the page", "at the time shown"):
            assert absent not in text
        found.delete()


def test_a_customer_learns_nothing_of_the_node_behind(fleet, customer, ops) -> None:
    fleet.lease.container = "lease-77"
    fleet.lease.save()
    fleet.dead_port()
    page = customer.get(f"/leases/{fleet.lease.pk}/").content.decode()
    for ours in ("sh-r01-n01", "lease-77", "/nodes/", "Next step for staff", fleet.node.address):
        assert ours not in page
    staff = ops.get(f"/leases/{fleet.lease.pk}/").content.decode()
    for ours in ("sh-r01-n01", "lease-77", "Next step for staff"):
        assert ours in staff


def test_a_customer_sees_their_own_cards_only(fleet, customer) -> None:
    text = customer.get(f"/leases/{fleet.lease.pk}/").content.decode()
    assert fleet.cards[0].uuid in text
    assert fleet.cards[2].uuid not in text


def test_without_a_fresh_examination_we_do_not_say_that_all_is_well(fleet, customer) -> None:
    address = f"/leases/{fleet.lease.pk}/"
    reading = fleet.reading("access_path", "access", f"path:{fleet.path.pk}", "ok", "path_answers")
    assert "first examination of the host is on its way" in words(customer.get(address))
    fleet.examined(reading)
    assert "We see nothing wrong" in words(customer.get(address))
    fleet.examined(reading, ago=600)
    page = customer.get(address)
    assert "We could not examine the host lately" in words(page)
    assert "is-ok" not in page.content.decode()


def test_a_fault_that_is_only_on_record_does_not_alarm(fleet, customer) -> None:
    fleet.examined()
    fleet.dead_port(opens="record", severity="info")
    assert "We see nothing wrong" in words(customer.get(f"/leases/{fleet.lease.pk}/"))


def test_when_the_order_system_is_silent_the_lease_is_unknown(fleet, customer) -> None:
    fleet.lease.confirmed_at = timezone.now() - timedelta(minutes=20)
    fleet.lease.save()
    text = words(customer.get(f"/leases/{fleet.lease.pk}/"))
    assert "20 min ago" in text
    assert "whether it still runs is unknown" in text
