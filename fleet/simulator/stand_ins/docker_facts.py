"""What docker knows of a simulated container: the row of `ps` and the document of `inspect`."""

from datetime import UTC, datetime
from typing import Any

from fleet.simulator.host import SimHost
from fleet.simulator.world import ContainerSpec

KILLED = 137
NEVER = "0001-01-01T00:00:00Z"


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%f000Z")


def _ago(seconds: float) -> str:
    """A span in docker's words."""
    if seconds < 60:
        return f"{max(1, int(seconds))} seconds"
    if seconds < 3600:
        return f"{int(seconds // 60)} minutes" if seconds >= 120 else "About a minute"
    if seconds < 48 * 3600:
        return f"{int(seconds // 3600)} hours" if seconds >= 7200 else "About an hour"
    return f"{int(seconds // 86400)} days"


def status(host: SimHost, container: ContainerSpec) -> tuple[str, str]:
    """(`running`, `Up 3 hours`) or (`exited`, `Exited (137) 2 minutes ago`)."""
    stopped = host.stopped(container)
    if stopped:
        return "exited", f"Exited ({KILLED}) {_ago(host.now() - stopped.since)} ago"
    if not host.running(container):
        return "created", "Created"
    return "running", f"Up {_ago(host.now() - host.started_at(container))}"


def bindings(host: SimHost, container: ContainerSpec, *, wanted: bool) -> dict[str, Any]:
    """Docker's port map: as configured (`wanted`), or as it is now."""
    found: dict[str, Any] = {}
    for port in container.ports:
        if wanted or host.published(container, port):
            found[f"{port.inside}/tcp"] = [{"HostIp": "0.0.0.0", "HostPort": str(port.port)}]  # noqa: S104
        elif host.running(container):
            found[f"{port.inside}/tcp"] = None
    return found


def ports_text(host: SimHost, container: ContainerSpec) -> str:
    """The PORTS column."""
    return ", ".join(
        f"0.0.0.0:{port.port}->{port.inside}/tcp"
        for port in container.ports
        if host.published(container, port)
    )


def row(host: SimHost, container: ContainerSpec, *, whole: bool) -> dict[str, str]:
    """The row of `docker ps`."""
    state, words = status(host, container)
    age = host.now() - (host.state.boot.at - 86400)
    return {
        "ID": container.id if whole else container.id[:12],
        "Names": container.name,
        "Image": container.image,
        "Command": '"/opt/entry.sh"',
        "CreatedAt": _iso(host.state.boot.at - 86400),
        "RunningFor": f"{_ago(age)} ago",
        "State": state,
        "Status": words,
        "Ports": ports_text(host, container),
        "Labels": f"order={container.order}",
        "Mounts": f"/data/{container.order}",
        "Networks": "bridge",
        "Size": "0B",
    }


def _state(host: SimHost, container: ContainerSpec) -> dict[str, Any]:
    word, _text = status(host, container)
    stopped = host.stopped(container)
    running = word == "running"
    return {
        "Status": word,
        "Running": running,
        "Paused": False,
        "Restarting": False,
        "OOMKilled": False,
        "Dead": False,
        "Pid": host.pid(f"init{container.name}") if running else 0,
        "ExitCode": KILLED if stopped else 0,
        "Error": "",
        "StartedAt": _iso(host.started_at(container)),
        "FinishedAt": _iso(stopped.since) if stopped else NEVER,
    }


def _host_config(host: SimHost, container: ContainerSpec) -> dict[str, Any]:
    cards = {
        "Driver": "",
        "Count": 0,
        "DeviceIDs": list(container.cards),
        "Capabilities": [["gpu"]],
        "Options": {},
    }
    return {
        "PortBindings": bindings(host, container, wanted=True),
        "RestartPolicy": {"Name": "unless-stopped", "MaximumRetryCount": 0},
        "ShmSize": 8 << 30,
        "Runtime": "runc",
        "DeviceRequests": [cards],
    }


def document(host: SimHost, container: ContainerSpec) -> dict[str, Any]:
    """What `docker inspect` prints of one container."""
    running = host.running(container)
    address = f"172.17.0.{2 + host.spec.containers.index(container)}" if running else ""
    data = {"Type": "bind", "Source": f"/data/{container.order}", "Destination": "/workspace"}
    return {
        "Id": container.id,
        "Created": _iso(host.state.boot.at - 86400),
        "Path": "/opt/entry.sh",
        "Args": [],
        "State": _state(host, container),
        "Image": f"sha256:{container.id[::-1]}",
        "Name": f"/{container.name}",
        "RestartCount": 0,
        "Driver": "overlay2",
        "HostConfig": _host_config(host, container),
        "Mounts": [{**data, "RW": True}],
        "Config": {
            "Hostname": container.id[:12],
            "Image": container.image,
            "Env": [f"NVIDIA_VISIBLE_DEVICES={','.join(container.cards)}"],
            "Labels": {"order": container.order},
        },
        "NetworkSettings": {
            "Ports": bindings(host, container, wanted=False) if running else {},
            "Networks": {"bridge": {"IPAddress": address}},
        },
    }
