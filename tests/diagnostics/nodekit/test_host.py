"""The rest of a host: kernel log, bus, containers, disks; and what is missing or refused."""

import json
import os
import time

from diagnostics.nodekit import halfhour_probe, kit
from diagnostics.probes.reading import SectionState

XID = "NVRM: Xid (PCI:0000:41:00): 79, pid=1, GPU has fallen off the bus."


def entry(cursor: str, message: object, at: int = 1796000000) -> str:
    row = {"__CURSOR": cursor, "__REALTIME_TIMESTAMP": str(at * 1000000), "MESSAGE": message}
    return json.dumps(row)


def log(observation):
    return observation.facts["kernel"]


def test_the_log_is_read_on_from_where_the_last_visit_stopped(host) -> None:
    lines = "\n".join([entry("s=1;i=1", XID), entry("s=1;i=2", "docker0: port 1 entered state")])
    host.says("journalctl", lines)
    host.tool(
        "journalctl",
        f'case "$*" in *--after-cursor=s=1*) echo "-- No entries --";; *"-n 1"*) tail -n 1'
        f" {host.tools}/journalctl.txt;; *) cat {host.tools}/journalctl.txt;; esac",
    )
    first = host.visit()
    assert [line["text"] for line in log(first)["lines"]] == [XID]
    assert log(first)["cursor"] == "s=1;i=2"
    memory = {"boot_id": first.boot_id, "cursor": log(first)["cursor"]}
    second = host.visit(memory)
    assert log(second)["lines"] == []
    assert log(second)["cursor"] == "s=1;i=2"


def test_a_new_boot_is_read_from_its_start(host) -> None:
    host.tool(
        "journalctl",
        f'case "$*" in *--after-cursor*) echo asked > {host.root}/wrong;; esac; echo \''
        + entry("s=2;i=1", XID)
        + "'",
    )
    seen = host.visit({"boot_id": "0f6e8f58-0000-4000-8000-00000000dead", "cursor": "s=1;i=5"})
    assert [line["text"] for line in log(seen)["lines"]] == [XID]
    assert not (host.root / "wrong").exists()


def test_bytes_that_are_no_text_are_read_all_the_same(host) -> None:
    host.says("journalctl", entry("s=1;i=1", [*b"NVRM: Xid \xff"]))
    assert log(host.visit())["lines"][0]["text"] == "NVRM: Xid \ufffd"


def test_a_journal_we_may_not_read_is_denied_not_quiet(host) -> None:
    host.says("journalctl", "No journal files were opened due to insufficient permissions.", 1)
    host.says("dmesg", "dmesg: read kernel buffer failed: Operation not permitted", 1)
    assert host.visit().sections["kernel"].state is SectionState.DENIED


def test_without_a_journal_dmesg_is_read_once_per_line(host) -> None:
    host.tool("journalctl", "exit 127")
    host.says("dmesg", f"2026-11-30T23:41:00,500000+08:00 {XID}")
    first = host.visit()
    assert log(first)["source"] == "dmesg"
    assert log(first)["lines"] == [{"at": 1796053260.5, "text": XID}]
    again = host.visit({"boot_id": first.boot_id, "cursor": log(first)["cursor"]})
    assert log(again)["lines"] == []


def test_a_flood_of_lines_keeps_its_beginning_and_its_end(host) -> None:
    lines = [entry(f"s=1;i={n}", f"{XID} {n}", 1796000000 + n) for n in range(900)]
    host.says("journalctl", "\n".join(lines))
    seen = log(host.visit())
    assert seen["skipped"] == 700
    assert seen["lines"][0]["text"].endswith(" 0")
    assert seen["lines"][99]["text"].endswith(" 99")
    assert seen["lines"][-1]["text"].endswith(" 899")


def test_a_card_that_reads_ones_is_dead_on_the_bus(host) -> None:
    host.card_on_bus("0000:41:00.0")
    host.card_on_bus("0000:42:00.0", current_link_width="63", current_link_speed="Unknown")
    (host.root / "sys/bus/pci/devices/0000:41:00.0/config").write_bytes(b"\xde\x10\x84\x26")
    dead = {row["pci"]: row["dead"] for row in host.visit().facts["pci"]}
    assert dead == {"0000:41:00.0": False, "0000:42:00.0": True}


def test_without_sysfs_the_bus_is_read_by_lspci(host) -> None:
    (host.root / "sys/bus/pci/devices").rmdir()
    host.says(
        "lspci",
        "0000:41:00.0 VGA compatible controller [0300]: NVIDIA AD102 [10de:2684] (rev a1)\n"
        "0000:41:00.1 Audio device [0403]: NVIDIA Device [10de:22ba] (rev a1)\n"
        "0000:42:00.0 VGA compatible controller [0300]: NVIDIA AD102 [10de:2684] (rev ff)",
    )
    rows = host.visit().facts["pci"]
    assert [(row["pci"], row["device"], row["dead"]) for row in rows] == [
        ("0000:41:00.0", "2684", False),
        ("0000:42:00.0", "2684", True),
    ]


INSPECT = {
    "Id": "c0ffee" * 10 + "c0ff",
    "Name": "/train",
    "RestartCount": 0,
    "Config": {"Env": ["HF_TOKEN=secret"]},
    "State": {"Status": "running", "ExitCode": 0, "OOMKilled": False, "StartedAt": "2026"},
    "HostConfig": {
        "PortBindings": {"22/tcp": [{"HostIp": "", "HostPort": "33022"}]},
        "DeviceRequests": [{"DeviceIDs": ["GPU-1"]}],
    },
    "NetworkSettings": {"Ports": {"22/tcp": [{"HostIp": "0.0.0.0", "HostPort": "33022"}]}},
}


def docker(host, inspect: object) -> None:
    (host.tools / "inspect.json").write_text(json.dumps(inspect))
    host.tool(
        "docker",
        f"case $1 in ps) echo {INSPECT['Id']};; inspect) cat {host.tools}/inspect.json;; esac",
    )


def test_containers_are_told_without_their_secrets(host) -> None:
    docker(host, [INSPECT])
    raw = host.transport.run
    seen = host.visit()
    assert seen.facts["containers"] == [
        {
            "id": "c0ffeec0ffee",
            "name": "train",
            "state": "running",
            "exit_code": 0,
            "oom": False,
            "ports": [{"ip": "0.0.0.0", "host": 33022, "inside": 22}],
            "bound": [{"ip": "", "host": 33022, "inside": 22}],
            "gpus": ["GPU-1"],
        }
    ]
    assert b"secret" not in raw(kit.argv({}), timeout=30).output


def test_docker_that_refuses_us_is_denied(host) -> None:
    said = "permission denied while trying to connect to the Docker daemon socket"
    host.says("docker", said, 1)
    assert host.visit().sections["containers"].state is SectionState.DENIED


def test_no_containers_is_an_answer(host) -> None:
    assert host.visit().facts["containers"] == []


def test_disks_are_counted_in_bytes_and_inodes(host) -> None:
    host.tool(
        "df",
        'case "$1" in -P) echo "Filesystem 1-blocks Used Available Capacity Mounted on";'
        ' echo "/dev/sda2 1000 850 100 90% /";; *) echo "Filesystem Inodes IUsed IFree IUse% M";'
        ' echo "/dev/sda2 0 0 0 - /";; esac',
    )
    disks = host.visit().facts["disks"]
    assert disks["space"] == [{"mount": "/", "size": 1000, "used": 850, "free": 100}]
    assert disks["inodes"] == [{"mount": "/", "size": 0, "used": 0, "free": 0}]


def test_processes_stuck_in_the_kernel_are_named(host) -> None:
    host.says(
        "ps",
        "  PID STAT WCHAN ELAPSED COMMAND\n 4242 D    rm_wait   181 nvidia-smi\n 1 Ss - 9 init",
    )
    stuck = [{"pid": 4242, "wchan": "rm_wait", "seconds": 181, "name": "nvidia-smi"}]
    assert host.visit().facts["procs"] == stuck


def test_a_tool_that_is_not_there_is_missing(host) -> None:
    seen = host.visit()
    assert seen.facts["nvidia"]["answer"] == "no_tool"
    assert seen.sections["gpus"].state is SectionState.MISSING
    told = halfhour_probe.ask(["halfhour-no-such-tool"], time.monotonic() + 5)
    assert (told.state, told.text) == ("missing", "halfhour-no-such-tool: not found")


def test_a_tool_that_hangs_does_not_hold_the_others_up(host) -> None:
    host.tool("docker", "sleep 60")
    begun = time.monotonic()
    seen = host.visit()
    assert time.monotonic() - begun < 9
    assert seen.sections["containers"].state is SectionState.TIMEOUT
    assert seen.sections["disks"].state is not SectionState.TIMEOUT


def test_a_process_that_outlived_sigkill_is_not_joined_by_another(
    host, tmp_path, monkeypatch
) -> None:
    monkeypatch.setattr(halfhour_probe, "FOLDER", str(tmp_path))
    assert halfhour_probe._stuck("nvidia-smi") == []
    halfhour_probe._stuck("nvidia-smi", add=os.getpid())
    told = halfhour_probe.ask(["nvidia-smi"], time.monotonic() + 5)
    assert told.state == "timeout"
    assert str(os.getpid()) in told.text
    # Another process that was given the same number later is not ours.
    (tmp_path / "stuck.json").write_text(json.dumps([["nvidia-smi", os.getpid(), "1"]]))
    assert halfhour_probe._stuck("nvidia-smi") == []


def test_eight_cards_stay_small_and_cheap(host, nvml) -> None:
    host.with_nvml(nvml, STUB_NVML_CARDS="8")
    host.visit()
    result = host.transport.run(kit.argv({}), timeout=30)
    assert result.output.count(b'"source":"nvml"') == 8
    assert len(result.output) < 60_000
    assert result.output.endswith(b"=== end\n")
