"""What the real hostprobe says of a healthy host with eight cards, for each address of a farm."""

import json
import tempfile
from pathlib import Path

from diagnostics.nodekit import kit
from tests.bench.farm import Farm
from tests.diagnostics.nodekit.conftest import Host

CARDS = 8
STUB_UUID = "GPU-00000000-0000-4000-8000-"
CONTAINER = "lease-one"

# The server's address is the third word; whatever command we send, this host answers the same.
ANSWER = 'set -- $SSH_CONNECTION; exec cat "{folder}/answers/$3"'


def answering(folder: Path) -> str:
    """sshd configuration: every command is answered by the address's recording."""
    return f"ForceCommand {ANSWER.format(folder=folder)}\n"


def uuid(host: int, card: int) -> str:
    """The UUID of a card: as long as the stub's, so that no length in the recording changes."""
    return f"{STUB_UUID}{host:04d}{card:08d}"


def write(farm: Farm) -> None:
    """Record once, and give every address its own cards."""
    recorded = record()
    answers = farm.folder / "answers"
    answers.mkdir()
    for number, host in enumerate(farm.hosts):
        text = recorded
        for card in range(CARDS):
            text = text.replace(f"{STUB_UUID}{card:012d}", uuid(number, card))
        (answers / host).write_text(text, encoding="utf-8")


def record() -> str:
    """Run the kit on a stand-in host. The cards are the ones of tests/stubs."""
    with tempfile.TemporaryDirectory() as folder:
        host = Host(Path(folder) / "host")
        cool = ",".join(f"temperature.gpu.tlimit@{card}=20" for card in range(CARDS))
        host.with_smi(STUB_NVML_CARDS=str(CARDS), STUB_SMI_SAYS=cool)
        for minor in range(CARDS):
            address = f"0000:{0x41 + minor:02x}:00.0"
            host.card_on_bus(address)
            host.file(f"proc/driver/nvidia/gpus/{address}/information", f"Device Minor: {minor}")
        title = "Filesystem 1-blocks Used Available Capacity Mounted on"
        host.says("df", f"{title}\n/dev/nvme0n1p2 1900000000000 7000000000 1893000000000 1% /")
        host.says("ss", "LISTEN 0 128 0.0.0.0:22 0.0.0.0:*\nLISTEN 0 128 [::]:22 [::]:*")
        host.says(
            "ps", "    PID STAT WCHAN ELAPSED COMMAND\n      1 Ss   do_epoll_wait 86400 systemd"
        )
        _docker(host)
        run = host.transport.run
        if run(kit.argv({}), timeout=30).status == kit.KIT_MISSING:
            assert kit.install(host.transport, timeout=20)
        result = run(kit.argv({}), timeout=30)
    assert result.status == 0, result.output
    return result.output.decode()


def _docker(host: Host) -> None:
    entry = {
        "Id": "ab" * 32,
        "Name": f"/{CONTAINER}",
        "State": {"Status": "running", "ExitCode": 0, "OOMKilled": False,
                  "StartedAt": "2026-11-30T10:00:00Z", "FinishedAt": "0001-01-01T00:00:00Z"},
        "RestartCount": 0,
        "HostConfig": {"PortBindings": {}, "DeviceRequests": [
            {"DeviceIDs": [f"{STUB_UUID}{card:012d}" for card in range(CARDS)]}]},
        "NetworkSettings": {"Ports": {}},
    }  # fmt: skip
    inspected = host.root / "inspect.json"
    inspected.write_text(json.dumps([entry]), encoding="utf-8")
    host.tool("docker", f'if [ "$1" = ps ]; then echo {"ab" * 32}; else cat {inspected}; fi')
