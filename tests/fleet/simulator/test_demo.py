"""The demo: the same fleet every time, on ports of its own, with logins that work."""

import json
import stat
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.utils import timezone

from fleet.inventory.models import Gpu, HostKey, Node, Provider
from fleet.leases.models import AccessPath, Lease
from fleet.people.models import Customer, Membership, Role, User
from fleet.simulator import demo, world
from fleet.transport import keys

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def folder(settings, tmp_path: Path) -> Path:
    settings.DATA_DIR = tmp_path
    return tmp_path


def counts() -> list[int]:
    models = (Provider, Node, Gpu, HostKey, Lease, AccessPath, Customer, User, Membership)
    return [model.objects.count() for model in models]


def test_seeding_makes_the_drill_fleet():
    demo.seed()
    assert counts()[:2] == [2, 24]
    assert Node.objects.filter(state="active", provider__simulated=True).count() == 24
    assert Node.objects.values("region").distinct().count() == 3
    cards = [node.gpus.count() for node in Node.objects.all()]
    assert min(cards) == 4
    assert max(cards) == 8
    assert Gpu.objects.filter(model="NVIDIA GeForce RTX 4090 D").count() > 0
    assert Lease.objects.filter(state="active").count() == 14
    assert Node.objects.filter(leases__isnull=True).count() >= 10


def test_seeding_twice_changes_nothing_but_the_confirmation():
    first = demo.seed()
    before, ports = counts(), list(Node.objects.values_list("name", "address", "port"))
    Lease.objects.update(confirmed_at=timezone.now() - timedelta(hours=2))
    assert [p.password for p in demo.seed()] == [p.password for p in first]
    assert counts() == before
    assert list(Node.objects.values_list("name", "address", "port")) == ports
    recent = timezone.now() - timedelta(minutes=1)
    assert Lease.objects.filter(confirmed_at__gte=recent).count() == 14


def test_what_was_removed_comes_back():
    demo.seed()
    Lease.objects.get(order_id="HH-20417").delete()
    User.objects.get(email="ops@demo.example").delete()
    demo.seed()
    assert Lease.objects.get(order_id="HH-20417").gpus.count() == 4
    assert User.objects.get(email="ops@demo.example").role == Role.OPS


def test_the_printed_logins_open_the_door_and_are_kept_private(folder):
    people = demo.seed()
    assert [each.role for each in people] == ["ops", "manager", "customer", "customer"]
    assert {each.language for each in people} == {"en", "zh-hans"}
    for each in people:
        user = authenticate(username=each.email, password=each.password)
        assert user is not None
        assert user.drill_mode
        assert bool(each.customer) == user.memberships.exists()
    path = folder / "demo-logins.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(path.read_text())[0]["password"] == people[0].password


def test_lost_logins_are_made_anew_and_a_changed_password_stays(folder):
    first = demo.seed()
    user = User.objects.get(email=first[1].email)
    user.set_password("my own")
    user.save()
    demo.seed()
    assert authenticate(username=first[1].email, password="my own")
    (folder / "demo-logins.json").unlink()
    again = demo.seed()
    assert again[0].password != first[0].password
    assert authenticate(username=again[1].email, password=again[1].password)


def test_hosts_show_the_pinned_keys_and_let_our_credential_in(folder):
    demo.seed()
    known = world.load(folder / "simulator")
    credential = Node.objects.first().credential
    assert known.authorized == (credential.public_key,)
    assert "PRIVATE KEY" in keys.decrypt(credential.secret)
    assert "PRIVATE KEY" not in credential.secret
    for host in known.hosts:
        pinned = HostKey.objects.get(node__name=host.name, state="pinned")
        assert f"{pinned.algorithm} {pinned.public_key}" == host.host_public
        assert pinned.fingerprint == keys.fingerprint(host.host_public)


def test_moving_gives_new_ports_and_keeps_the_rest():
    demo.seed()
    before = dict(Node.objects.values_list("name", "port"))
    paths = set(AccessPath.objects.values_list("public_port", flat=True))
    host_keys = set(HostKey.objects.values_list("public_key", "state"))
    demo.seed(move=True)
    after = dict(Node.objects.values_list("name", "port"))
    assert before.keys() == after.keys()
    assert set(before.values()) != set(after.values())
    assert len(paths & set(AccessPath.objects.values_list("public_port", flat=True))) < 5
    assert AccessPath.objects.count() == len(paths)
    assert set(HostKey.objects.values_list("public_key", "state")) == host_keys


@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_text('{"port": 1}')])
def test_a_lost_or_damaged_world_is_made_anew_with_keys_pinned_again(folder, damage):
    demo.seed()
    damage(folder / "simulator" / "fleet.json")
    demo.seed()
    known = world.load(folder / "simulator")
    for host in known.hosts:
        pinned = HostKey.objects.get(node__name=host.name, state="pinned")
        assert f"{pinned.algorithm} {pinned.public_key}" == host.host_public
    assert Gpu.objects.count() == sum(len(host.cards) for host in known.hosts)


def test_the_database_and_the_hosts_agree(folder):
    demo.seed()
    for host in world.load(folder / "simulator").hosts:
        node = Node.objects.get(name=host.name)
        cards = {(g.uuid, g.pci_bus_id, g.power_limit_w) for g in node.gpus.all()}
        assert cards == {(c.uuid, c.bdf, c.limit_w) for c in host.cards}
        for container in host.containers:
            lease = Lease.objects.get(order_id=container.order)
            assert lease.node == node
            assert lease.container == container.name
            assert {g.uuid for g in lease.gpus.all()} == set(container.cards)
            assert {(p.kind, p.node_port, p.container_port) for p in lease.paths.all()} == {
                (p.kind, p.port, p.inside) for p in container.ports
            }


def test_more_nodes_take_no_more_statements(django_assert_max_num_queries, folder):
    with django_assert_max_num_queries(320):
        demo.seed(nodes=200)
    assert Node.objects.count() == 200
    assert Node.objects.values("address", "port").distinct().count() == 200


def test_a_lease_that_cannot_be_confirmed_does_not_stop_the_others(folder, monkeypatch):
    from fleet.changes.errors import StaleState

    demo.seed()
    real = demo.upsert_lease

    def sometimes(**facts: object) -> object:
        if facts["order_id"] == "HH-20433":
            raise StaleState("busy")
        return real(**facts)

    monkeypatch.setattr(demo, "upsert_lease", sometimes)
    assert demo.confirm_leases(world.load(folder / "simulator")) == 13
