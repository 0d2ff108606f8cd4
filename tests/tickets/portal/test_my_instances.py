"""My instances: each with its health in words and how to dial in."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.leases.states import LeaseState
from tests import factories
from tests.tickets.conftest import words


def test_an_ill_instance_stands_first_with_what_to_do(fleet, customer) -> None:
    well = factories.make_lease(customer=fleet.customer, node=fleet.node, order_id="A-0")
    fleet.examined()
    fleet.dead_port()
    page = customer.get("/my/")
    text = words(page)
    assert text.index("HT-1") < text.index("A-0")
    assert "There is a fault: SSH service in the container not running." in text
    assert "please do not restart your instance." in text
    assert "We see nothing wrong with the host and your ports." in text
    assert f'href="/leases/{well.pk}/"' in page.content.decode()


def test_every_port_says_how_to_dial_it(fleet, customer) -> None:
    factories.make_path(
        lease=fleet.lease, kind="jupyter", public_host="j.example.net", public_port=8
    )
    factories.make_path(lease=fleet.lease, kind="rdp", public_host="r.example.net", public_port=9)
    page = customer.get("/my/").content.decode()
    assert 'data-copy="ssh -p 22022 root@gw.example.net"' in page
    assert 'href="http://j.example.net:8/"' in page
    assert 'data-copy="r.example.net:9"' in page


def test_a_fault_of_the_whole_node_is_told_to_everybody_on_it(fleet, customer) -> None:
    factories.make_finding(node=fleet.node)
    assert "There is a fault: Host unreachable." in words(customer.get("/my/"))


def test_ended_instances_are_gone_and_planned_ones_say_so(fleet, customer) -> None:
    factories.make_lease(customer=fleet.customer, order_id="OLD", state=LeaseState.ENDED)
    factories.make_lease(
        customer=fleet.customer, node=fleet.node, order_id="SOON", state=LeaseState.PLANNED
    )
    text = words(customer.get("/my/"))
    assert "OLD" not in text
    assert "This instance has not started yet." in text


def test_who_acts_for_nobody_is_told_whom_to_ask(db: None, client) -> None:
    client.force_login(factories.make_user())
    assert "Your account acts for no customer yet" in words(client.get("/my/"))


def test_who_acts_for_two_customers_sees_both_and_follows_both(fleet, client) -> None:
    person = fleet.people["customer"]
    factories.Membership.objects.create(user=person, customer=fleet.other)
    client.force_login(person)
    page = client.get("/my/").content.decode()
    assert f"regions=mine:{fleet.other.pk}@0,mine:{fleet.customer.pk}@0" in page
    assert "HT-1" in page
    assert "HT-2" in page


def test_twenty_instances_cost_the_queries_of_two(fleet, customer) -> None:
    def queries(more: int) -> int:
        for _ in range(more):
            node = factories.make_node(provider=fleet.node.provider, gpus=1)
            lease = factories.make_lease(
                node=node, customer=fleet.customer, gpus=list(node.gpus.all())
            )
            factories.make_path(lease=lease)
            factories.make_finding(node=node)
        with CaptureQueriesContext(connection) as seen:
            customer.get("/my/")
        return len(seen)

    assert queries(2) == queries(18)
