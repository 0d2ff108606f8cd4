"""Published ports: refused, silent and timed out are different, and the failing hop is named."""

from dataclasses import replace

import pytest

from diagnostics.probes.reading import SectionState, Verdict

PATH = "path:7"


def reading(node):
    return node.reading("access_path", PATH)


def test_a_port_that_answers_is_ok(node) -> None:
    assert reading(node).verdict is Verdict.OK
    assert reading(node).values["banner"] == "SSH-2.0-OpenSSH_9.6"


@pytest.mark.parametrize("outcome", ["refused", "no_banner", "reset"])
def test_a_dead_sshd_behind_a_good_mapping(node, outcome) -> None:
    node.port(outcome)
    assert (reading(node).code, reading(node).values["hop"]) == ("container_sshd_down", "service")
    assert node.codes() == {("container_sshd_down", PATH)}


def test_a_mapping_that_is_gone(node) -> None:
    node.port("refused")
    node.facts["containers"][0]["ports"] = []
    node.facts["sockets"].pop(0)
    assert (reading(node).code, reading(node).reason) == ("port_unreachable", "path_mapping_gone")


def test_a_port_that_another_program_holds(node) -> None:
    node.port("wrong_banner")
    node.facts["containers"][0]["ports"] = []
    assert (reading(node).code, reading(node).reason) == ("port_unreachable", "path_port_held")


def test_a_port_that_another_container_holds(node) -> None:
    node.port("wrong_banner")
    node.facts["containers"][1]["ports"] = node.facts["containers"][0]["ports"]
    assert reading(node).reason == "path_port_taken"
    assert reading(node).values["holder"] == "lease-B"


def test_a_firewall_when_all_is_well_inside(node) -> None:
    node.port("timeout")
    assert (reading(node).code, reading(node).values["hop"]) == ("firewall_blocked", "firewall")


@pytest.mark.parametrize("state", ["exited", "dead", "created", "paused", "restarting"])
def test_a_container_that_does_not_run_explains_its_port(node, state) -> None:
    node.facts["containers"][0]["state"] = state
    node.port("refused")
    assert reading(node).values["hop"] == "container"
    assert node.codes() == {("container_stopped", "lease:A"), ("ssh_connection_refused", PATH)}


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        ("refused", "ssh_connection_refused"),
        ("timeout", "ssh_connection_timeout"),
        ("reset", "ssh_connection_closed"),
        ("no_banner", "ssh_connection_closed"),
        ("wrong_banner", "port_unreachable"),
    ],
)
def test_without_a_look_inside_only_the_symptom_is_named(node, outcome, code) -> None:
    node.states["containers"] = SectionState.DENIED
    node.port(outcome)
    assert (reading(node).code, reading(node).values["hop"]) == (code, "")
    assert reading(node).verdict is Verdict.FAIL


def test_a_node_that_is_out_takes_its_ports_along(node) -> None:
    node.reached = "unreachable"
    node.port("timeout")
    node.port("timeout", path=8)
    assert node.codes() == {
        ("node_unreachable", "node"),
        ("ssh_connection_timeout", "path:7"),
        ("ssh_connection_timeout", "path:8"),
    }
    assert reading(node).values["hop"] == "node"


def test_a_port_that_answers_while_we_cannot_log_in_stays_ok(node) -> None:
    node.reached = "auth_refused"
    assert reading(node).verdict is Verdict.OK


def test_our_own_trouble_is_no_fault_of_the_port(node) -> None:
    node.states["containers"] = SectionState.DENIED
    node.port("error")
    assert reading(node).verdict is Verdict.UNKNOWN


def test_a_port_that_was_not_checked_is_unknown(node) -> None:
    del node.outside[7]
    assert reading(node).verdict is Verdict.UNKNOWN


def test_other_kinds_are_no_ssh_faults(node) -> None:
    jupyter = replace(node.expectation.paths[0], kind="jupyter")
    node.expecting(paths=(jupyter,))
    node.port("refused")
    assert (reading(node).code, reading(node).reason) == ("port_unreachable", "path_service_down")
