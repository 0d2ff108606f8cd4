"""Orders to the simulator: answers, refusals in sentences, faults that outlive a restart."""

import json
import socket
import time

import pytest

from fleet.simulator import sockets
from fleet.simulator.control import (
    Client,
    SimulatorDown,
    UnknownFault,
    UnknownNode,
    UnknownPlace,
)
from fleet.simulator.serve import AlreadyServing

from .conftest import Served, make_folder

NODE = "sh-r01-n01"


@pytest.fixture
def client(served: Served) -> Client:
    return Client(served.folder / "control.sock")


def test_the_list_names_every_node_with_its_faults(client):
    client.inject(NODE, "overheating", gpu=3)
    rows = {row["node"]: row for row in client.list()}
    assert len(rows) == 4
    (fault,) = rows[NODE]["faults"]
    assert (fault["fault"], fault["gpu"], fault["code"]) == ("overheating", 3, "thermal_throttling")
    client.clear(NODE)
    assert client.list()[0]["faults"] == []


def test_the_state_tells_cards_containers_and_ports(client):
    state = client.state(NODE)
    assert [card["index"] for card in state["gpus"]] == list(range(8))
    assert state["gpus"][0]["order"] == "HH-20417"
    assert {port["kind"] for each in state["containers"] for port in each["ports"]} == {
        "ssh",
        "jupyter",
        "http",
    }
    json.dumps(state)


def test_clearing_says_what_ended_and_whether_the_host_restarted(client):
    client.inject(NODE, "disk_full")
    assert client.clear(NODE)["restarted"] is False
    client.inject(NODE, "driver_hung")
    done = client.clear(NODE)
    assert done["restarted"] is True
    assert [fault["fault"] for fault in done["cleared"]] == ["driver_hung"]


def test_unknown_names_are_answered_with_near_ones(client):
    with pytest.raises(UnknownNode, match=r"Did you mean .*sh-r01-n01") as node:
        client.inject("sh-r01-n1", "disk_full")
    assert NODE in node.value.near
    with pytest.raises(UnknownNode, match="no node “nothing like it”"):
        client.clear("nothing like it")
    with pytest.raises(UnknownFault, match="Did you mean disk_full"):
        client.inject(NODE, "disk_ful")
    with pytest.raises(UnknownPlace, match="no GPU “9”"):
        client.inject(NODE, "overheating", gpu=9)
    with pytest.raises(UnknownPlace, match="no published port “1”"):
        client.inject(NODE, "port_taken", path=1)


def test_nonsense_on_the_socket_is_answered_and_harms_nobody(served, client):
    with sockets.connect(served.folder / "control.sock", 3) as link:
        link.sendall(b'rubbish\n{"do": "sing"}\n[]\n{"do":"inject"}\n')
        got = b""
        while got.count(b"\n") < 4:
            got += link.recv(4096)
    assert all(not json.loads(line)["ok"] for line in got.splitlines())
    assert client.list()


def test_a_simulator_that_is_not_there_is_said_at_once(tmp_path):
    with pytest.raises(SimulatorDown, match="simulate serve"):
        Client(tmp_path / "control.sock").list()


def test_a_simulator_that_does_not_answer_is_given_up(tmp_path):
    silent = sockets.listen(tmp_path / "control.sock")
    begun = time.monotonic()
    with pytest.raises(SimulatorDown):
        Client(tmp_path / "control.sock", timeout=0.5).list()
    assert time.monotonic() - begun < 2
    silent.close()


def test_faults_outlive_a_restart_of_the_simulator(tmp_path):
    make_folder(tmp_path, nodes=2)
    running = Served(tmp_path).start()
    client = Client(tmp_path / "control.sock")
    client.inject(NODE, "gpu_off_bus", gpu=1)
    client.inject("sh-r01-n02", "port_mapping_gone")
    before = client.state(NODE)
    running.stop()
    with pytest.raises(SimulatorDown):
        client.list()
    again = Served(tmp_path).start()
    after = client.state(NODE)
    assert after["faults"] == before["faults"]
    assert after["boot_id"] == before["boot_id"]
    assert after["gpus"][1]["lost"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(again.port_of("sh-r01-n02"), timeout=1)
    again.stop()


def test_one_installation_is_served_once(served):
    with pytest.raises(AlreadyServing):
        Served(served.folder).start()
    assert Client(served.folder / "control.sock").list()


def test_two_installations_stand_beside_each_other(served, tmp_path):
    make_folder(tmp_path, nodes=2)
    other = Served(tmp_path).start()
    ours, theirs = Client(served.folder / "control.sock"), Client(tmp_path / "control.sock")
    theirs.inject(NODE, "node_unreachable")
    assert ours.state(NODE)["answering"]
    link = served.connect(NODE)
    assert link.run(["hostname"], timeout=5).output == b"sh-r01-n01\n"
    link.close()
    other.stop()
    assert ours.list()


def test_a_folder_with_a_very_long_name_serves_as_well(tmp_path):
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    make_folder(folder, nodes=1)
    running = Served(folder).start()
    link = running.connect()
    assert link.run(["nvidia-smi", "-L"], timeout=5).status == 0
    link.close()
    assert len(Client(folder / "control.sock").list()) == 1
    running.stop()


def test_a_whole_drill_fleet_starts_within_two_seconds(tmp_path):
    make_folder(tmp_path, nodes=24)
    running = Served(tmp_path)
    begun = time.process_time()
    running.start()
    spent = time.process_time() - begun
    assert len(Client(tmp_path / "control.sock").list()) == 24
    idle = time.process_time()
    time.sleep(1.5)
    assert time.process_time() - idle < 0.15
    running.stop()
    assert spent < 2


def test_a_damaged_state_is_set_aside_and_the_fleet_still_serves(tmp_path):
    make_folder(tmp_path, nodes=1)
    (tmp_path / "state.json").write_text('{"sh-r01-n01": {"boot"')
    running = Served(tmp_path).start()
    assert Client(tmp_path / "control.sock").list()[0]["faults"] == []
    assert (tmp_path / "state.broken").exists()
    running.stop()
