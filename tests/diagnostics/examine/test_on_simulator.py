"""The simulated fleet examined end to end: each fault on a host becomes the right finding."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from diagnostics.examine import outside, visit
from diagnostics.examine.services import examine_now
from diagnostics.findings.models import Finding
from diagnostics.findings.states import FindingState
from fleet.inventory.models import Node
from fleet.leases.models import Lease
from fleet.leases.states import LeaseState
from fleet.simulator import demo
from fleet.simulator.control import Client
from tests.parts.processes import spawn, stop, wait_until

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[3]
NODES = 6


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Short: a unix socket lives in it."""
    made = Path(tempfile.mkdtemp(prefix="halfhour-sim-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


@pytest.fixture(scope="module")
def serving(folder: Path) -> Iterator[list]:
    """Holds the simulator's process once the first test has made the world."""
    processes: list = []
    yield processes
    for process in processes:
        stop(process)


@pytest.fixture
def fleet(folder: Path, serving: list, settings, monkeypatch) -> Client:
    """The drill fleet in the database and on the wire. Waits are short."""
    settings.DATA_DIR = folder
    monkeypatch.setattr(visit, "AGAIN_S", (0.2, 0.4))
    monkeypatch.setattr(outside, "CONNECT_S", 0.5)
    monkeypatch.setattr(outside, "ANSWER_S", 1.0)
    demo.seed(nodes=NODES)
    client = Client(folder / "simulator" / "control.sock", timeout=10)
    if not serving:
        environment = {**os.environ, "HALFHOUR_DATA": str(folder)}
        argv = [sys.executable, ROOT / "manage.py", "simulate", "serve"]
        with (folder / "log").open("ab") as log:
            serving.append(spawn(argv, log=log, env=environment))
        socket = folder / "simulator" / "control.sock"
        wait_until(socket.exists, seconds=30, what="the simulator answers")
    return client


def leased(number: int) -> Node:
    """A simulated node with a running lease."""
    rows = Node.objects.filter(leases__state=LeaseState.ACTIVE).distinct().order_by("pk")
    return rows[number % rows.count()]


def open_on(node: Node) -> list[Finding]:
    return list(Finding.objects.filter(node=node, state=FindingState.OPEN))


def test_a_card_off_the_bus_is_the_root_of_all_that_is_found(fleet: Client) -> None:
    node = leased(0)
    assert examine_now(node).verdict == "ok"
    lease = Lease.objects.filter(node=node, state=LeaseState.ACTIVE).first()
    gpu = lease.gpus.first()
    fleet.inject(node.name, "gpu_off_bus", gpu=gpu.uuid)
    row = examine_now(node)
    assert (row.verdict, row.failing_layer) == ("fail", "hardware")
    root = Finding.objects.get(node=node, code="gpu_fallen_off_bus")
    assert (root.gpu, root.lease, root.root, root.state) == (gpu, lease, None, "open")
    assert all(each.root == root for each in open_on(node) if each != root)
    assert any(change.after == "fail" for change in row.changes.all())


@pytest.mark.parametrize(
    ("fault", "code", "reason"),
    [
        ("port_sshd_down", "container_sshd_down", "path_sshd_down"),
        ("port_mapping_gone", "port_unreachable", "path_mapping_gone"),
        ("port_taken", "port_unreachable", "path_port_held"),
        ("port_firewall", "firewall_blocked", "path_firewall"),
    ],
)
def test_a_dead_port_is_named_by_the_hop_that_fails(
    fleet: Client, fault: str, code: str, reason: str
) -> None:
    node = leased(1)
    fleet.clear(node.name)
    examine_now(node)
    fleet.inject(node.name, fault)
    row = examine_now(node)
    (found,) = open_on(node)
    assert (found.code, found.reason) == (code, reason)
    assert found.path is not None
    assert found.lease == found.path.lease
    assert row.reached == "ok"
    fleet.clear(node.name)
    examine_now(node)
    found.refresh_from_db()
    assert found.state == FindingState.CLEARED
    assert found.cleared_at > found.opened_at


def test_a_node_that_stops_answering_explains_its_dead_ports(fleet: Client) -> None:
    node, other = leased(2), leased(3)
    examine_now(other)  # a control that answers
    examine_now(node)
    fleet.inject(node.name, "node_unreachable")
    examine_now(node)
    root = Finding.objects.get(node=node, code="node_unreachable")
    found = open_on(node)
    assert root.root is None
    assert len(found) > 1
    assert all(each.root == root for each in found if each != root)


def test_a_stopped_container_explains_its_ports(fleet: Client) -> None:
    node = leased(3)
    examine_now(node)
    fleet.inject(node.name, "container_stopped")
    examine_now(node)
    root = Finding.objects.get(node=node, code="container_stopped")
    assert root.root is None
    assert root.lease is not None
    ports = [each for each in open_on(node) if each.path is not None]
    assert ports
    assert all(each.root == root for each in ports)
