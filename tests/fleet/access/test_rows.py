"""Who sees which rows, asked of the door itself."""

import pytest
from django.contrib.auth.models import AnonymousUser

from fleet import access
from fleet.changes.models import Event
from fleet.changes.services import record

ROWS = (
    access.providers,
    access.nodes,
    access.gpus,
    access.customers,
    access.leases,
    access.paths,
    access.events,
)


@pytest.fixture
def rented(make_lease, make_node, make_customer, make_path):
    """A running lease of two cards with one port and one fact, in either world."""

    def rent(*, simulated=False, customer=None, **fields):
        node = make_node(simulated=simulated, gpus=2)
        customer = customer or make_customer(simulated=simulated)
        lease = make_lease(node=node, customer=customer, gpus=node.gpus.all()[:1], **fields)
        make_path(lease=lease)
        record(kind="lease_created", lease=lease)
        return lease

    return rent


def seen(user):
    return [rows(user).count() for rows in ROWS]


def test_nobody_sees_anything_without_signing_in(rented):
    rented()
    assert seen(AnonymousUser()) == [0] * len(ROWS)


def test_a_person_switched_off_sees_nothing(rented, make_user):
    rented()
    assert seen(make_user("ops", is_active=False)) == [0] * len(ROWS)


@pytest.mark.parametrize("role", ["ops", "manager"])
def test_staff_see_one_world_at_a_time(rented, make_user, role):
    real, simulated = rented(), rented(simulated=True)
    for drill_mode, lease in ((False, real), (True, simulated)):
        user = make_user(role, drill_mode=drill_mode)
        assert list(access.leases(user)) == [lease]
        assert list(access.nodes(user)) == [lease.node]
        assert seen(user) == [1, 1, 2, 1, 1, 1, 1]


def test_a_customer_sees_their_leases_cards_and_ports_and_no_node(rented, make_user):
    lease = rented()
    rented()
    user = make_user(customer=lease.customer)
    assert seen(user) == [0, 0, 1, 1, 1, 1, 1]
    assert list(access.gpus(user)) == list(lease.gpus.all())


def test_a_card_leaves_a_customers_sight_when_the_lease_ends(rented, make_user):
    lease = rented(state="ended")
    user = make_user(customer=lease.customer)
    assert access.leases(user).count() == 1
    assert access.gpus(user).count() == 0


def test_people_of_a_simulated_customer_are_always_in_the_drill(rented, make_user):
    lease = rented(simulated=True)
    user = make_user(customer=lease.customer, drill_mode=False)
    assert access.in_drill(user)
    assert list(access.leases(user)) == [lease]


def test_a_real_customer_never_is(rented, make_user):
    lease = rented()
    rented(simulated=True)
    user = make_user(customer=lease.customer, drill_mode=True)
    assert not access.in_drill(user)
    assert list(access.leases(user)) == [lease]


def test_a_lease_that_mixes_the_worlds_is_seen_in_neither(rented, make_user, make_customer):
    rented(simulated=True, customer=make_customer(simulated=False))
    assert access.leases(make_user("ops")).count() == 0
    assert access.leases(make_user("ops", drill_mode=True)).count() == 0


def test_facts_of_no_node_are_for_staff_outside_the_drill(make_user):
    record(kind="token_created")
    assert access.events(make_user("ops")).count() == 1
    assert access.events(make_user("ops", drill_mode=True)).count() == 0
    assert access.events(make_user()).count() == 0
    assert Event.objects.count() == 1


def test_sockets_of_equal_sight_share_an_audience(rented, make_user):
    lease = rented()
    one, two = (make_user(customer=lease.customer) for _ in range(2))
    assert access.viewer(one).audience == access.viewer(two).audience
    assert access.viewer(make_user("ops")).audience == access.viewer(make_user("manager")).audience
    audiences = {
        access.viewer(user).audience
        for user in (one, make_user("ops"), make_user("ops", drill_mode=True), make_user())
    }
    assert len(audiences) == 4


@pytest.mark.parametrize("key", ["", "x", "-1", "1 or 1", "9" * 40, "²", "１"])
def test_a_socket_key_that_is_no_number_names_nothing(db, make_user, key):
    assert not access.may_see(access.nodes, make_user("ops"), key)


def test_the_door_adds_no_query_of_its_own(rented, make_user, django_assert_num_queries):
    lease = rented()
    for user in (make_user("ops"), make_user(customer=lease.customer)):
        for rows in ROWS:
            with django_assert_num_queries(0 if rows(user).query.is_empty() else 1):
                list(rows(user))
