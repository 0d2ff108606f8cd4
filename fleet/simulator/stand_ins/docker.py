"""docker: ps, inspect, port, exec, logs, info, version of a simulated host's containers."""

import json
import re
from typing import Any

from fleet.simulator.host import SimHost
from fleet.simulator.processes import processes
from fleet.simulator.stand_ins import docker_facts as facts
from fleet.simulator.stand_ins.answer import Answer, option
from fleet.simulator.stand_ins.nvidia_smi import nvidia_smi
from fleet.simulator.world import ContainerSpec

SERVER = "28.3.3"
COLUMNS = ("ID", "Image", "Command", "RunningFor", "Status", "Ports", "Names")
TITLES = {"ID": "CONTAINER ID", "RunningFor": "CREATED"}
# Options of ours that take the next word as their value.
WITH_VALUE = frozenset({"--format", "-f", "--filter", "--tail", "-n", "-u", "--user", "-e", "-w"})


def _dig(value: Any, path: str) -> Any:
    for name in path.strip(".").split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def fill(template: str, value: Any) -> str:
    """A Go template of the simple kind: `{{.A.B}}`, `{{json .A}}`, `{{.}}`."""

    def place(match: re.Match[str]) -> str:
        as_json, path = match[1], match[2]
        found = _dig(value, path) if path != "." else value
        if as_json:
            return json.dumps(found)
        if isinstance(found, bool):
            return str(found).lower()
        return "<no value>" if found is None else str(found)

    text = template.replace("\\t", "\t").replace("\\n", "\n")
    return re.sub(r"\{\{\s*(json\s+)?(\.[\w.]*)\s*\}\}", place, text)


def _plain(words: list[str]) -> list[str]:
    """The words that are neither options nor their values."""
    found, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word in WITH_VALUE:
            skip = True
        elif not word.startswith("-"):
            found.append(word)
    return found


def _named(host: SimHost, name: str) -> ContainerSpec | None:
    for container in host.spec.containers:
        if name.lstrip("/") == container.name or (len(name) > 3 and container.id.startswith(name)):
            return container
    return None


def _kept(host: SimHost, container: ContainerSpec, words: list[str]) -> bool:
    state, _text = facts.status(host, container)
    if state != "running" and not ({"-a", "--all"} & set(words)):
        return False
    for place, word in enumerate(words):
        text = words[place + 1] if word in {"-f", "--filter"} and place + 1 < len(words) else ""
        text = text or (word.partition("=")[2] if word.startswith("--filter=") else "")
        key, _, wanted = text.partition("=")
        port_numbers = {str(p.port) for p in container.ports if host.published(container, p)}
        if (
            (key == "publish" and wanted.split("/")[0] not in port_numbers)
            or (key == "name" and not re.search(wanted, container.name))
            or (key == "id" and not container.id.startswith(wanted))
            or (key == "status" and wanted != state)
        ):
            return False
    return True


def _ps(host: SimHost, words: list[str]) -> Answer:
    rows = [
        facts.row(host, container, whole="--no-trunc" in words)
        for container in host.spec.containers
        if _kept(host, container, words)
    ]
    if "-q" in words or "--quiet" in words:
        return Answer("".join(f"{row['ID']}\n" for row in rows))
    form = option(words, "--format")
    if form is not None:
        form = "{{json .}}" if form == "json" else form.removeprefix("table ")
        return Answer("".join(fill(form, row) + "\n" for row in rows))
    table = [[TITLES.get(name, name.upper()) for name in COLUMNS]]
    table += [[row[name] for name in COLUMNS] for row in rows]
    widths = [max(len(line[n]) for line in table) + 3 for n in range(len(COLUMNS))]
    lines = [
        "".join(cell.ljust(widths[n]) for n, cell in enumerate(line)).rstrip() for line in table
    ]
    return Answer("".join(f"{line}\n" for line in lines))


def _inspect(host: SimHost, words: list[str]) -> Answer:
    found, errors = [], []
    for name in _plain(words):
        container = _named(host, name)
        if container:
            found.append(facts.document(host, container))
        else:
            errors.append(f"Error response from daemon: No such object: {name}\n")
    form = option(words, "--format", "-f")
    if form is not None:
        out = "".join(fill(form, document) + "\n" for document in found)
    else:
        out = json.dumps(found, indent=4) + "\n"
    return Answer(out, 1 if errors else 0, "".join(errors))


def _port(host: SimHost, words: list[str]) -> Answer:
    plain = _plain(words)
    container = _named(host, plain[0]) if plain else None
    if container is None:
        return _no_such(plain[0] if plain else "")
    lines = [
        f"{port.inside}/tcp -> 0.0.0.0:{port.port}\n"
        for port in container.ports
        if host.published(container, port)
    ]
    return Answer("".join(lines))


def _no_such(name: str) -> Answer:
    return Answer("", 1, f"Error response from daemon: No such container: {name}\n")


def _exec(host: SimHost, words: list[str]) -> Answer:
    """A few programs inside a container: pgrep, ps, nvidia-smi, hostname, sshd."""
    name, *command = words[len(words) - len(_after_options(words)) :] or [""]
    container = _named(host, name)
    if container is None:
        return _no_such(name)
    if not host.running(container):
        return Answer(
            "", 1, f"Error response from daemon: container {container.id} is not running\n"
        )
    program, rest = (command[0].rsplit("/", 1)[-1], command[1:]) if command else ("", [])
    inside = [p for p in processes(host) if p.container == container.name]
    if program in {"pgrep", "ps"}:
        pattern = rest[-1] if program == "pgrep" and rest else "."
        lines = [f"{p.pid} {p.command}\n" for p in inside if re.search(pattern, p.name)]
        return Answer("".join(lines), 0 if lines else 1)
    if program == "nvidia-smi":
        return nvidia_smi(host, ["-i", ",".join(container.cards), *rest])
    if program == "hostname":
        return Answer(f"{container.id[:12]}\n")
    if program == "true":
        return Answer()
    missing = f'exec: "{program}": executable file not found in $PATH'
    return Answer("", 127, f"OCI runtime exec failed: exec failed: unable to start: {missing}\n")


def _after_options(words: list[str]) -> list[str]:
    place = 0
    while place < len(words) and words[place].startswith("-"):
        place += 2 if words[place] in WITH_VALUE else 1
    return words[place:]


def _logs(host: SimHost, words: list[str]) -> Answer:
    plain = _plain(words)
    container = _named(host, plain[0]) if plain else None
    if container is None:
        return _no_such(plain[0] if plain else "")
    lines = [" * Starting OpenBSD Secure Shell server sshd", f"+ exec {container.program}"]
    if host.sshd_down(container):
        lines.append("sshd: fatal: Missing privilege separation directory: /run/sshd")
    if host.job_dead(container):
        lines.append("RuntimeError: CUDA error: unspecified launch failure")
    return Answer("".join(f"{line}\n" for line in lines))


def _info(host: SimHost, words: list[str]) -> Answer:
    running = sum(host.running(container) for container in host.spec.containers)
    document = {
        "ServerVersion": SERVER,
        "Containers": len(host.spec.containers),
        "ContainersRunning": running,
        "ContainersStopped": len(host.spec.containers) - running,
        "Driver": "overlay2",
        "DockerRootDir": "/var/lib/docker",
        "CgroupDriver": "systemd",
        "LiveRestoreEnabled": True,
        "DefaultRuntime": "runc",
        "Runtimes": {"nvidia": {"path": "nvidia-container-runtime"}, "runc": {"path": "runc"}},
        "Name": host.spec.name,
        "NCPU": host.spec.cores,
    }
    form = option(words, "--format", "-f")
    if form is not None:
        return Answer(fill("{{json .}}" if form == "json" else form, document) + "\n")
    return Answer("".join(f" {name}: {value}\n" for name, value in document.items()))


def docker(host: SimHost, words: list[str]) -> Answer:
    """Any call of docker that reads; nothing here changes a container."""
    words = words[1:] if words[:1] == ["container"] else words
    calls = {
        "ps": _ps,
        "ls": _ps,
        "inspect": _inspect,
        "port": _port,
        "exec": _exec,
        "logs": _logs,
        "info": _info,
    }
    if words[:1] == ["version"] or words[:1] == ["--version"]:
        return Answer(f"Docker version {SERVER}, build 980b856\n")
    if words and words[0] in calls:
        return calls[words[0]](host, words[1:])
    name = words[0] if words else ""
    return Answer("", 1, f"docker: '{name}' is not a docker command.\nSee 'docker --help'\n")
