"""What a visit is told before it starts."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from config import env
from diagnostics.examine import claim
from diagnostics.examine.models import Watch
from diagnostics.examine.queries import sweep_state
from fleet.changes.services import record
from fleet.inventory.models import JumpHost
from fleet.inventory.states import GpuState, NodeState
from fleet.leases.models import LeaseKind
from fleet.leases.states import LeaseState
from fleet.transport import keys

pytestmark = pytest.mark.django_db


def test_a_plan_knows_cards_leases_and_ports(watched, take, make_lease, make_path) -> None:
    (node,) = watched(gpus=2)
    first, second = node.gpus.order_by("pk")
    lease = make_lease(node=node, gpus=[first])
    path = make_path(lease=lease, public_host="gw.example", public_port=40022, node_port=33022)
    metal = make_lease(node=node, gpus=[second], kind=LeaseKind.BARE_METAL, container="x")
    make_lease(node=node, state=LeaseState.ENDED)
    plan = take(node)[0]
    expected = plan.expectation
    assert [gpu.uuid for gpu in expected.gpus] == [first.uuid, second.uuid]
    assert [(each.order_id, each.container) for each in expected.leases] == [
        (lease.order_id, lease.container),
        (metal.order_id, ""),
    ]
    assert expected.leases[0].gpu_uuids == (first.uuid,)
    (port,) = expected.paths
    assert (port.id, port.host, port.port, port.node_port) == (path.pk, "gw.example", 40022, 33022)
    assert plan.leases[lease.order_id].customer == lease.customer_id


def test_a_recent_announcement_of_a_restart_is_known(watched, take) -> None:
    (node,) = watched()
    now = timezone.now()
    for minutes in (300, 5):
        record(kind="restart_announced", node=node, at=now - timedelta(minutes=minutes))
    announced = take(node)[0].expectation.restart_announced_at
    assert announced == pytest.approx((now - timedelta(minutes=5)).timestamp())


def test_a_retired_card_is_not_expected(watched, take) -> None:
    (node,) = watched(gpus=2)
    node.gpus.filter(pk=node.gpus.first().pk).update(state=GpuState.RETIRED)
    assert len(take(node)[0].expectation.gpus) == 1


def test_the_address_carries_the_pinned_key_and_the_bastion(watched, take) -> None:
    (node,) = watched()
    private, _public = keys.generate()
    node.credential.pk = None
    node.credential.name = "bastion"
    node.credential.secret = keys.encrypt(private)
    node.credential.save()
    node.refresh_from_db()
    bastion = type(node.credential).objects.get(name="bastion")
    node.jump = JumpHost.objects.create(
        name="b", address="10.0.0.1", credential=bastion, host_key="ssh-ed25519 JUMP"
    )
    node.save()
    address = take(node)[0].address
    pinned = node.host_keys.get()
    assert address.host_key == f"{pinned.algorithm} {pinned.public_key}"
    assert (address.host, address.username) == (node.address, "halfhour-probe")
    assert (address.jump.host, address.jump.host_key) == ("10.0.0.1", "ssh-ed25519 JUMP")
    assert keys.ring.get(address.jump.key_id, str) == private


def test_a_credential_that_was_replaced_is_loaded_anew(watched, take) -> None:
    (node,) = watched()
    take(node)
    private, _public = keys.generate()
    node.credential.secret = keys.encrypt(private)
    node.credential.save()
    Watch.objects.update(claimed_until=None)
    address = take(node)[0].address
    assert keys.ring.get(address.key_id, str) == private


def test_a_credential_that_cannot_be_decrypted_costs_no_other_node(
    watched, take, make_credential, make_node, make_host_key
) -> None:
    (good,) = watched()
    bad = make_node(credential=make_credential(secret="no token of ours"))
    make_host_key(node=bad)
    claim.watch_new_nodes(timezone.now())
    assert len(take(good, bad)) == 2


def test_controls_are_other_nodes_that_answered_lately(watched, take, make_finding) -> None:
    good, silent, stale, node = watched(4)
    Watch.objects.filter(node__in=[good, silent]).update(examined_at=timezone.now())
    make_finding(node=silent, code="node_unreachable")
    assert take(node)[0].controls == ((good.address, good.port),)
    assert take(good)[0].controls == ()
    assert stale.address


def test_a_simulated_node_is_no_control_for_a_real_one(watched, take) -> None:
    (node,) = watched()
    (simulated,) = watched(simulated=True)
    Watch.objects.update(examined_at=timezone.now())
    assert take(node)[0].controls == ()
    assert take(simulated)[0].controls == ()


def test_control_hosts_that_are_named_are_used_for_real_nodes(watched, take, settings) -> None:
    settings.CONTROL_HOSTS = [("192.0.2.1", 443)]
    (node,), (simulated,) = watched(), watched(simulated=True)
    assert take(node)[0].controls == (("192.0.2.1", 443),)
    assert take(simulated)[0].controls == ()


@pytest.mark.parametrize("text", ["host", "host:", ":22", "host:x", "host:0", "host:70000"])
def test_a_control_host_without_a_port_is_refused_at_start(text: str, monkeypatch) -> None:
    monkeypatch.setenv("SOMEWHERE", text)
    with pytest.raises(env.BadSetting, match="SOMEWHERE"):
        env.addresses("SOMEWHERE", "")


def test_a_node_without_a_login_or_pinned_key_has_no_address(make_node, take) -> None:
    node = make_node()
    claim.watch_new_nodes(timezone.now())
    assert take(node)[0].address is None


def test_the_sweep_says_what_is_late_and_what_was_left_claimed(watched, make_node) -> None:
    now = timezone.now()
    fresh, late, _never = watched(3)
    make_node(state=NodeState.RETIRED)
    Watch.objects.filter(node=fresh).update(examined_at=now)
    Watch.objects.filter(node=late).update(examined_at=now - timedelta(seconds=200))
    state = sweep_state()
    assert (state.nodes, state.never, state.overdue) == (3, 1, 1)
    assert 199 < state.oldest_s < 210
    assert state.newest_s < 5
    assert state.claim_s is None
    assert not state.healthy
    Watch.objects.filter(node=late).update(examined_at=now)
    assert sweep_state().healthy
    claim.claim_nodes([late.pk], now=now - timedelta(seconds=95))
    state = sweep_state()
    assert 94 < state.claim_s < 100
    assert not state.healthy


def test_a_plan_s_deadline_is_the_claim_s(watched, take) -> None:
    (node,) = watched()
    left = take(node)[0].deadline - time.monotonic()
    assert 44 < left <= 45
