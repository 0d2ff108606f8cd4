"""Published ports of simulated hosts: what a customer meets, healthy and dead in four ways."""

import socket
import time

import pytest

from fleet.simulator.control import Client
from fleet.simulator.doors import PortTaken

from .conftest import Served, knock, make_folder

NODE = "sh-r01-n01"


@pytest.fixture
def well(served: Served):
    """A client; the node is well again afterwards."""
    client = Client(served.folder / "control.sock")
    yield client
    client.clear(NODE)


def test_a_healthy_ssh_port_shows_an_openssh_banner(served):
    assert knock(served.port_of(NODE)).startswith(b"SSH-2.0-OpenSSH_")


def test_a_healthy_jupyter_and_a_model_server_answer_http(served):
    hello = b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n"
    assert knock(served.port_of(NODE, "jupyter"), hello).startswith(b"HTTP/1.1 302 Found\r\n")
    assert knock(served.port_of(NODE, "http"), hello).startswith(b"HTTP/1.1 200 OK\r\n")


def test_without_sshd_the_proxy_takes_the_connection_and_lets_it_go(served, well):
    well.inject(NODE, "port_sshd_down")
    assert knock(served.port_of(NODE)) == b""


def test_without_a_mapping_the_connection_is_refused(served, well):
    well.inject(NODE, "port_mapping_gone")
    with pytest.raises(ConnectionRefusedError):
        knock(served.port_of(NODE))


def test_a_taken_port_answers_as_something_else(served, well):
    well.inject(NODE, "port_taken")
    assert knock(served.port_of(NODE)) == b"RFB 003.008\n"


@pytest.mark.parametrize("fault", ["port_firewall", "node_unreachable", "reboot"])
def test_dropped_packets_time_out_again_and_again(served, well, fault):
    well.inject(NODE, fault)
    for _again in range(3):
        with pytest.raises(TimeoutError):
            socket.create_connection(served.port_of(NODE), timeout=0.4)
    well.clear(NODE)
    assert knock(served.port_of(NODE)).startswith(b"SSH-2.0-")


def test_a_stopped_container_refuses_all_its_ports_and_no_others(served, well):
    well.inject(NODE, "container_stopped")
    for kind in ("ssh", "jupyter"):
        with pytest.raises(ConnectionRefusedError):
            knock(served.port_of(NODE, kind))
    neighbour = served.world.host(NODE).containers[1].ports[0].port
    assert knock((served.world.host(NODE).address, neighbour)).startswith(b"SSH-2.0-")


def test_a_fault_strikes_the_port_or_the_order_that_is_named(served, well):
    second = served.world.host(NODE).containers[1]
    for name in (second.ports[0].port, second.order):
        done = well.inject(NODE, "port_mapping_gone", path=name)
        assert done["port"] == second.ports[0].port
        assert knock(served.port_of(NODE)).startswith(b"SSH-2.0-")
        well.clear(NODE)


def test_a_guest_who_never_speaks_costs_nothing_to_the_others(served):
    idle = [socket.create_connection(served.port_of(NODE)) for _ in range(20)]
    begun = time.monotonic()
    assert knock(served.port_of(NODE)).startswith(b"SSH-2.0-")
    assert time.monotonic() - begun < 1
    for link in idle:
        link.close()


def test_a_port_that_another_program_took_is_named(tmp_path):
    world = make_folder(tmp_path, nodes=1)
    with socket.socket() as other:
        other.bind((world.hosts[0].address, world.port))
        other.listen()
        with pytest.raises(PortTaken) as taken:
            Served(tmp_path).start()
    assert (taken.value.address, taken.value.port) == (world.hosts[0].address, world.port)
