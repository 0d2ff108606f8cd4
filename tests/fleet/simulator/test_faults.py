"""What each fault looks like on the host, that faults come together, and how a host gets well."""

import re

import pytest

from fleet.simulator.faults import FAULTS, NotAFault, find, strike
from fleet.simulator.faults.strike import NotThere

GPU = "nvidia-smi --format=csv,noheader,nounits --query-gpu="


def field(host, name: str, index: int = 0) -> str:
    return host.out(f"{GPU}{name} -i {index}").strip()


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_can_happen_and_be_cleared(make_host, name):
    host = make_host()
    strike.inject(host, name)
    strike.clear(host)
    host.clock.forward(120)
    assert host.state.faults == []
    assert host.answering
    assert host.tool("nvidia-smi").status == 0
    assert all(host.running(container) for container in host.spec.containers)


@pytest.mark.parametrize("name", ["gpu_off_bus", "xid:79"])
def test_a_card_that_falls_off_the_bus_is_gone_for_every_tool(make_host, name):
    host = make_host()
    strike.inject(host, name, gpu="2")
    assert "Xid (PCI:0000:41:00): 79" in host.out("dmesg")
    assert "GPU has fallen off the bus" in host.out("journalctl -k")
    listing = host.tool("nvidia-smi -L")
    assert listing.status == 15
    assert (
        "Unable to determine the device handle for GPU2: 0000:41:00.0: GPU is lost" in listing.out
    )
    assert listing.out.count("UUID") == 7
    assert host.spec.cards[2].uuid not in host.out(f"{GPU}uuid")
    assert host.out("nvidia-smi").count("\n") == 1
    assert "41:00.0 VGA" in host.out("lspci")
    assert "(rev ff)" in host.out("lspci -s 41:00.0")


def test_the_job_of_a_lost_card_ends_and_its_neighbours_stays(make_host):
    host = make_host()
    strike.inject(host, "gpu_off_bus", gpu="2")
    assert field(host, "utilization.gpu", 0) == "0"
    assert int(field(host, "utilization.gpu", 5)) > 20


@pytest.mark.parametrize(("number", "named"), [(13, True), (31, True), (62, False), (250, False)])
def test_an_xid_is_written_with_its_card_and_its_program(make_host, number, named):
    host = make_host()
    strike.inject(host, f"xid:{number}", gpu="1")
    line = next(s for s in host.out("dmesg").splitlines() if "Xid" in s)
    assert f"NVRM: Xid (PCI:0000:25:00): {number}, " in line
    assert bool(re.search(r"pid=\d+, name=python", line)) is named


def test_an_xid_can_happen_again(make_host):
    host = make_host()
    for _again in range(3):
        strike.inject(host, "xid:13", gpu="1")
        host.clock.forward(10)
    assert host.out("dmesg").count("): 13, ") == 3
    assert len(host.state.faults) == 1


def test_a_card_whose_firmware_died_is_listed_and_answers_nothing(make_host):
    host = make_host()
    strike.inject(host, "xid:119", gpu="0")
    assert field(host, "uuid") == host.spec.cards[0].uuid
    assert field(host, "temperature.gpu") == "[Unknown Error]"
    assert "ERR!" in host.out("nvidia-smi")
    assert field(host, "gpu_recovery_action") == "Reset"
    assert field(host, "temperature.gpu", 1).isdigit()


def test_a_hung_driver_never_answers_and_shows_as_a_stuck_process(make_host):
    host = make_host()
    strike.inject(host, "driver_hung")
    assert host.tool("nvidia-smi -L").hang
    assert re.search(r"(?m)^\d+\s+D\s", host.out("ps -eo pid,stat,comm"))
    assert "blocked for more than" not in host.out("dmesg")
    host.clock.forward(125)
    assert "task nvidia-smi:" in host.out("dmesg")
    assert "blocked for more than 120 seconds" in host.out("dmesg")
    assert host.tool("docker ps").status == 0


def test_a_driver_updated_under_way_speaks_of_two_versions(make_host):
    host = make_host()
    strike.inject(host, "driver_mismatch")
    answer = host.tool("nvidia-smi")
    assert answer.status == 18
    assert "Driver/library version mismatch" in answer.out
    assert host.out("modinfo -F version nvidia").strip() == host.spec.driver_new
    assert f"API mismatch: the client has the version {host.spec.driver_new}" in host.out("dmesg")


@pytest.mark.parametrize("node", ["sh-r01-n01", "sh-r02-n02"])
def test_an_overheating_card_reaches_its_target_and_slows_down(make_host, node):
    host = make_host(node)
    before = int(field(host, "temperature.gpu"))
    strike.inject(host, "overheating", gpu="0")
    assert abs(int(field(host, "temperature.gpu")) - before) <= 1
    host.clock.forward(15)
    rising = int(field(host, "temperature.gpu"))
    host.clock.forward(60)
    assert before < rising <= int(field(host, "temperature.gpu")) == 84
    assert field(host, "clocks_event_reasons.sw_thermal_slowdown") == "Active"
    assert field(host, "fan.speed") == "100"
    assert int(field(host, "temperature.gpu.tlimit")) <= 0
    strike.clear(host)
    assert int(field(host, "temperature.gpu")) >= 83
    host.clock.forward(600)
    assert abs(int(field(host, "temperature.gpu")) - before) <= 2


def test_a_power_brake_sets_its_bits_and_halves_the_clock(make_host):
    host = make_host()
    clock = int(field(host, "clocks.sm"))
    strike.inject(host, "power_brake", gpu="0")
    assert int(field(host, "clocks_event_reasons.active"), 16) & 0x88 == 0x88
    assert int(field(host, "clocks.sm")) < clock / 2


def test_a_narrow_link_shows_everywhere(make_host, tmp_path):
    from fleet.simulator.rootfs import Disk

    host = make_host()
    strike.inject(host, "pcie_x4", gpu="0")
    assert field(host, "pcie.link.width.current") == "4"
    assert field(host, "pcie.link.width.max") == "16"
    assert "Width x4 (downgraded)" in host.out("lspci -vv -s 01:00.0")
    disk = Disk(tmp_path, host)
    disk.make()
    width = disk.root / "sys/bus/pci/devices/0000:01:00.0/current_link_width"
    assert width.read_text() == "4\n"


def test_a_full_disk_shows_in_df(make_host):
    host = make_host()
    strike.inject(host, "disk_full")
    assert "100% /var/lib/docker" in host.out("df -P -B1")


def test_a_stopped_container_is_exited_and_its_cards_idle(make_host):
    host = make_host()
    strike.inject(host, "container_stopped")
    host.clock.forward(185)
    assert "Exited (137) 3 minutes ago" in host.out("docker ps -a")
    assert "hh-20417" not in host.out("docker ps")
    assert host.tool("docker exec hh-20417 true").status == 1
    assert field(host, "utilization.gpu") == "0"
    strike.clear(host)
    host.clock.forward(60)
    assert "Up About a minute" in host.out("docker ps --filter name=hh-20417")
    assert host.uptime > 86400


@pytest.mark.parametrize(
    ("fault", "holder", "mapped", "sshd"),
    [
        ("port_sshd_down", "docker-proxy", True, False),
        ("port_mapping_gone", "", False, True),
        ("port_taken", "Xtigervnc", False, True),
        ("port_firewall", "docker-proxy", True, True),
    ],
)
def test_each_dead_port_has_another_cause_to_find(make_host, fault, holder, mapped, sshd):
    host = make_host()
    port = host.spec.containers[0].ports[0].port
    strike.inject(host, fault)
    assert re.findall(r'\(\("([^"]+)"', host.out(f"ss -Hltnp4 sport = :{port}")) == (
        [holder] if holder else []
    )
    assert (str(port) in host.out("docker port hh-20417")) is mapped
    assert bool(host.out("docker exec hh-20417 pgrep -a sshd")) is sshd
    assert (f"--ctorigdstport {port} -j DROP" in host.out("iptables -S DOCKER-USER")) is (
        fault == "port_firewall"
    )


def test_a_restart_takes_its_time_and_then_all_is_well(make_host):
    host = make_host()
    boot = host.state.boot.id
    strike.inject(host, "reboot")
    assert not host.answering
    host.clock.forward(strike.REBOOT_AWAY_S + 1)
    assert host.answering
    assert host.state.boot.id != boot
    assert host.uptime < 60
    host.clock.forward(60)
    assert "Up" in host.out("docker ps")


def test_faults_come_together(make_host):
    host = make_host()
    strike.inject(host, "gpu_off_bus", gpu="2")
    strike.inject(host, "overheating", gpu="5")
    strike.inject(host, "port_taken")
    strike.inject(host, "disk_full")
    host.clock.forward(90)
    assert "GPU is lost" in host.out("nvidia-smi -L")
    assert field(host, "temperature.gpu", 5) == "84"
    assert "100%" in host.out("df -P")
    assert "Xtigervnc" in host.out("ps -eo args")


def test_one_fault_is_cleared_and_the_others_stay(make_host):
    host = make_host()
    strike.inject(host, "overheating", gpu="5")
    strike.inject(host, "disk_full")
    strike.clear(host, "disk_full")
    assert [fault.name for fault in host.state.faults] == ["overheating"]


def test_only_faults_that_need_it_restart_the_host(make_host):
    host = make_host()
    boot = host.state.boot.id
    strike.inject(host, "disk_full")
    strike.clear(host)
    assert host.state.boot.id == boot
    strike.inject(host, "driver_hung")
    strike.clear(host)
    assert host.state.boot.id != boot
    assert host.answering


def test_unknown_faults_cards_and_ports_are_named(make_host):
    host = make_host()
    with pytest.raises(NotAFault) as unknown:
        strike.inject(host, "gpu_of_bus")
    assert "gpu_off_bus" in unknown.value.near
    for name in ("xid:0", "xid:1000", "xid:x", "xid:"):
        with pytest.raises(NotAFault):
            find(name)
    with pytest.raises(NotThere) as card:
        strike.inject(host, "overheating", gpu="8")
    assert card.value.choices == [str(n) for n in range(8)]
    with pytest.raises(NotThere):
        strike.inject(make_host("sh-r02-n02"), "port_taken")
    assert host.state.faults == []


def test_every_fault_leads_to_a_code_of_the_catalogue():
    from diagnostics.catalogue.load import FAULTS as CATALOGUE

    assert {kind.code for kind in FAULTS.values()} <= set(CATALOGUE)
