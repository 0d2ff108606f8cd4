"""Where a published port breaks: the hop between the customer and the container's service. Pure.

Facts of DOMAIN E1: refused, time-out and silence are different faults; a TCP accept alone proves
only that Docker's proxy listens. Our own SSH login shows that the node itself is up.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from diagnostics.probes.facts import Container, Socket, containers, sockets
from diagnostics.probes.reading import (
    Expectation,
    ExpectedPath,
    Observation,
    OutsideCheck,
    SectionState,
)


@dataclass(frozen=True, slots=True)
class Break:
    """`code` is the catalogue fault, `reason` the sentence, `holder` who has the port."""

    code: str
    reason: str
    hop: str = ""
    holder: str = ""


SYMPTOMS = {
    "refused": "ssh_connection_refused",
    "timeout": "ssh_connection_timeout",
    "reset": "ssh_connection_closed",
    "no_banner": "ssh_connection_closed",
}


def symptom(path: ExpectedPath, check: OutsideCheck, hop: str = "") -> Break:
    """The fault as it looks from outside, while nothing shows what is behind it."""
    outcome = check.outcome if check.outcome in {*SYMPTOMS, "wrong_banner"} else "error"
    code = SYMPTOMS.get(outcome, "") if path.kind == "ssh" else ""
    return Break(code or "port_unreachable", f"path_{outcome}", hop)


def find(
    path: ExpectedPath, check: OutsideCheck, observation: Observation, expectation: Expectation
) -> Break:
    """Name the hop that fails, from the outside look and the host's own view of its ports."""
    if observation.reached in {"unreachable", "timeout"}:
        return symptom(path, check, "node")
    lease = next((lease for lease in expectation.leases if lease.order_id == path.lease), None)
    if lease is None or not lease.container or not _good(observation, "containers"):
        return symptom(path, check)
    everyone = containers(observation)
    own = named(everyone, lease.container)
    if own is None or own["state"] != "running":
        code = "ssh_connection_refused" if path.kind == "ssh" else "port_unreachable"
        return Break(code, "path_container_stopped", "container")
    return _running(path, check, own, everyone, sockets(observation))


def named(everyone: Iterable[Container], name: str) -> Container | None:
    """The container of that name or id."""
    for one in everyone:
        if one["name"] == name or (len(name) >= 12 and name.startswith(one["id"])):
            return one
    return None


def _good(observation: Observation, name: str) -> bool:
    section = observation.sections.get(name)
    return section is not None and section.state is SectionState.OK


def _running(
    path: ExpectedPath,
    check: OutsideCheck,
    own: Container,
    everyone: Iterable[Container],
    listening: list[Socket] | None,
) -> Break:
    """The container runs: is the port still its own, does the way there work, who answers."""
    port = path.node_port
    others = (o["name"] for o in everyone if o is not own and o["state"] == "running" and
              any(p["host"] == port for p in o["ports"]))  # fmt: skip
    holder = next(others, "")
    mapped = any(p["host"] == port for p in own["ports"])
    if holder:
        return Break("port_unreachable", "path_port_taken", "mapping", holder)
    if not mapped:
        taken = any(socket["port"] == port for socket in listening or [])
        return Break("port_unreachable", "path_port_held" if taken else "path_mapping_gone",
                     "mapping")  # fmt: skip
    if check.outcome == "timeout":
        return Break("firewall_blocked", "path_firewall", "firewall")
    if check.outcome == "wrong_banner":
        return Break("port_unreachable", "path_wrong_banner", "service")
    if path.kind == "ssh" and check.outcome in SYMPTOMS:
        return Break("container_sshd_down", "path_sshd_down", "service")
    return Break("port_unreachable", "path_service_down", "service")
