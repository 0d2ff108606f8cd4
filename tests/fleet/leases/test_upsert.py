"""A lease says what the order system says, however often and in whatever order it says it."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from fleet.changes.errors import NotAllowed, Refused
from fleet.changes.models import Event
from fleet.leases.facts import PathFacts
from fleet.leases.models import AccessPath, Lease
from fleet.leases.queries import confirmation, leases_not_listed
from fleet.leases.services import end_lease, reconcile, upsert_lease
from fleet.live.models import LiveVersion

START = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def node(make_node):
    return make_node(name="alpha", gpus=4)


@pytest.fixture
def customer(make_customer):
    return make_customer(name="Lab")


@pytest.fixture
def told(node, customer):
    """Says one lease to the service, as the order system would."""

    def tell(order_id="A-1", **facts):
        facts = {"customer": "Lab", "node": "alpha", "starts_at": START, **facts}
        return upsert_lease(order_id=order_id, **facts)

    return tell


def uuids(node, count):
    return [gpu.uuid for gpu in node.gpus.order_by("pk")[:count]]


def test_a_new_lease_is_running_with_its_cards_and_ports(told, node):
    ssh = PathFacts(public_host="gw.example", public_port=20022, node_port=20022, container_port=22)
    done = told(gpus=uuids(node, 2), paths=[ssh], group="job 7", price=Decimal("3.50"))
    lease = Lease.objects.get()
    assert done.outcome == "created"
    assert (lease.state, lease.gpus.count(), lease.paths.get().public_port) == ("active", 2, 20022)
    assert lease.group.name == "job 7"
    assert Event.objects.get().kind == "lease_created"


def test_the_same_word_twice_changes_nothing_but_the_confirmation(told, node):
    facts = {"gpus": uuids(node, 2), "image": "pytorch:2.6", "price": Decimal("3.50")}
    first = told(confirmed_at=timezone.now() - timedelta(minutes=9), **facts)
    second = told(**facts)
    assert second.outcome == "unchanged"
    assert Lease.objects.get().confirmed_at > first.lease.confirmed_at
    assert Event.objects.count() == 1


def test_older_word_never_overwrites_newer(told):
    told(image="new")
    late = told(image="old", confirmed_at=timezone.now() - timedelta(minutes=1))
    assert late.outcome == "stale"
    assert Lease.objects.get().image == "new"


def test_a_change_is_recorded_with_before_and_after(told, node):
    told(image="a", gpus=uuids(node, 1))
    told(image="b", gpus=uuids(node, 2))
    data = Event.objects.get(kind="lease_changed").data
    assert data["image"] == ["a", "b"]
    assert [len(cards) for cards in data["gpus"]] == [1, 2]


def test_a_field_left_out_stays_as_it_is(told, node):
    told(image="a", gpus=uuids(node, 2))
    upsert_lease(order_id="A-1", container="box")
    lease = Lease.objects.get()
    assert (lease.image, lease.container, lease.gpus.count()) == ("a", "box", 2)


def test_ports_are_replaced_in_place_and_what_stays_keeps_its_row(told):
    def path(port, inside):
        return PathFacts("gw.example", port, port, container_port=inside)

    told(paths=[path(1001, 22), path(1002, 8888)])
    kept = AccessPath.objects.get(public_port=1001)
    told(paths=[path(1001, 2222), path(1003, 80)])
    assert {p.public_port for p in AccessPath.objects.all()} == {1001, 1003}
    assert AccessPath.objects.get(pk=kept.pk).container_port == 2222


def test_a_port_of_an_ended_lease_passes_on_and_of_a_running_one_does_not(told):
    path = PathFacts("gw.example", 1001, 1001)
    first = told("A-1", paths=[path]).lease
    with pytest.raises(Refused) as refused:
        told("A-2", paths=[path])
    assert refused.value.errors == {"paths[0]": "Lease A-1 publishes this port."}
    end_lease(lease=first)
    told("A-2", paths=[path])
    assert AccessPath.objects.get().lease.order_id == "A-2"


def test_one_card_serves_one_running_lease(told, node):
    told("A-1", gpus=uuids(node, 2))
    with pytest.raises(Refused, match="held by running leases: A-1"):
        told("A-2", gpus=uuids(node, 1))
    told("A-2", gpus=uuids(node, 1), state="planned")
    with pytest.raises(Refused, match="held by running leases: A-1"):
        upsert_lease(order_id="A-2", state="active")
    told("A-1", state="ended")
    assert upsert_lease(order_id="A-2", state="active").outcome == "updated"


def test_a_card_must_sit_on_the_node(told, make_gpu):
    with pytest.raises(Refused, match="Not on this node"):
        told(gpus=[make_gpu().uuid])


def test_all_that_is_wrong_is_said_at_once_by_field(db):
    with pytest.raises(Refused) as refused:
        upsert_lease(order_id="A-1", customer="Nobody", node="nowhere", state="odd", kind="odd")
    assert set(refused.value.errors) == {"customer", "node", "state", "kind", "starts_at"}
    assert not Lease.objects.exists()


@pytest.mark.parametrize(
    ("facts", "field"),
    [
        ({"gpus": ["GPU-unknown"]}, "gpus"),
        ({"ends_at": START - timedelta(days=1)}, "ends_at"),
        ({"price": Decimal("-1")}, "price"),
        ({"price": Decimal("NaN")}, "price"),
        ({"image": "x" * 256}, "image"),
        ({"paths": [PathFacts("gw", 70000, 1)]}, "paths[0]"),
        ({"paths": [PathFacts("gw", 1, 1, kind="odd")]}, "paths[0]"),
        ({"paths": [PathFacts("gw", 1, 1)] * 2}, "paths"),
        ({"paths": [PathFacts("gw", port, 1) for port in range(1, 99)]}, "paths"),
        ({"confirmed_at": datetime(2020, 1, 1)}, "confirmed_at"),
        ({"confirmed_at": timezone.now() + timedelta(days=1)}, "confirmed_at"),
        ({"order_id": " "}, "order_id"),
    ],
)
def test_bad_input_is_named_and_nothing_is_stored(told, facts, field):
    with pytest.raises(Refused) as refused:
        told(**facts)
    assert list(refused.value.errors) == [field]
    assert not Lease.objects.exists()
    assert not Event.objects.exists()


def test_a_real_customer_gets_no_simulated_node(told, make_node):
    make_node(name="drill", simulated=True)
    with pytest.raises(Refused, match="drill"):
        told(node="drill")


def test_a_running_lease_does_not_become_planned_again(told):
    told()
    with pytest.raises(NotAllowed):
        told(state="planned")


def test_a_lease_moved_to_another_node_is_told_on_both(
    told, make_node, django_capture_on_commit_callbacks
):
    old = told().lease.node
    new = make_node(name="beta")
    with django_capture_on_commit_callbacks(execute=True):
        lease = told(node="beta").lease
    told_of = set(LiveVersion.objects.values_list("region", flat=True))
    mine = f"mine:{lease.customer_id}"
    assert {f"node:{old.pk}", f"node:{new.pk}", f"lease:{lease.pk}", mine} <= told_of


def test_word_older_than_fifteen_minutes_is_unknown(told):
    lease = told().lease
    assert confirmation(lease) == "confirmed"
    later = timezone.now() + timedelta(minutes=15, seconds=1)
    assert confirmation(lease, now=later) == "unknown"
    lease.confirmed_at = None
    assert confirmation(lease) == "unknown"


def test_a_lease_the_order_system_no_longer_lists_is_found_and_ended_only_when_asked(
    told, make_lease, make_node, make_customer
):
    told("A-1")
    told("A-2")
    told("A-3", state="ended")
    drill = make_customer(simulated=True)
    make_lease(customer=drill, node=make_node(simulated=True))
    assert [lease.order_id for lease in leases_not_listed(["A-1"])] == ["A-2"]
    reconcile(listed=["A-1"])
    assert Lease.objects.get(order_id="A-2").state == "active"
    reconcile(listed=["A-1"], end=True)
    assert Lease.objects.get(order_id="A-2").state == "ended"
    assert Event.objects.filter(kind="lease_moved").get().data["reason"] == "not_listed"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("container", "x; rm -rf /"),
        ("container", "-v"),
        ("image", "a\x1b[31m"),
        ("price_unit", "h\u202e"),
        ("limits", {"disk_gib": -1}),
        ("limits", {"disk_gib": 10**400}),
    ],
)
def test_what_can_be_no_such_thing_is_refused_by_its_field(told, field, value):
    with pytest.raises(Refused) as refused:
        told(**{field: value})
    assert set(refused.value.errors) == {field}
    assert not Lease.objects.exists()


def test_a_public_name_that_could_be_an_order_to_a_shell_is_refused(told):
    bad = PathFacts(public_host="a b; id", public_port=1, node_port=1)
    with pytest.raises(Refused) as refused:
        told(paths=[bad])
    assert "neither a host name nor an address" in refused.value.errors["paths[0]"]


def test_an_order_number_with_a_line_break_inside_is_refused(told):
    with pytest.raises(Refused):
        told(order_id="ctl\n\x1b[31m1")
