"""The tools of a simulated host: in the forms of the real ones, all telling of one host."""

import csv
import json
import re
from io import StringIO
from xml.etree import ElementTree

import pytest

from fleet.simulator.stand_ins.registry import TOOLS

READS = {
    "nvidia-smi": "nvidia-smi",
    "journalctl": "journalctl -k -b --no-pager -o short-iso-precise",
    "dmesg": "dmesg -T",
    "docker": "docker ps -a",
    "ss": "ss -Hltnp",
    "ip": "ip -br addr",
    "iptables": "iptables -t nat -S DOCKER",
    "nft": "nft list ruleset",
    "lspci": "lspci -nn",
    "systemctl": "systemctl is-active docker",
    "df": "df -P -B1",
    "ps": "ps -eo pid,stat,comm",
    "pgrep": "pgrep -a sshd",
    "free": "free -m",
    "uname": "uname -r",
    "hostname": "hostname",
    "nproc": "nproc",
    "uptime": "uptime -s",
    "fuser": "fuser /dev/nvidia0",
    "modinfo": "modinfo -F version nvidia",
    "lsmod": "lsmod",
    "dkms": "dkms status",
}


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in row] for row in csv.reader(StringIO(text))]


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_answers_on_a_healthy_host(make_host, tool):
    answer = make_host().tool(READS[tool])
    assert (answer.status, answer.err) == (0, "")
    assert answer.out.strip()


@pytest.mark.parametrize("tool", TOOLS)
def test_no_call_makes_a_stand_in_fail(make_host, tool):
    host = make_host()
    for words in ("", "--nonsense", "-", "-i", "--format={{.X}}", "a b c", "-o", "--tail 5 x"):
        assert host.tool(f"{tool} {words}").status != 134, words


def test_lists_name_the_same_cards_everywhere(make_host):
    host = make_host()
    listed = re.findall(r"UUID: (GPU-\S+)\)", host.out("nvidia-smi -L"))
    asked = rows(host.out("nvidia-smi --query-gpu=uuid,pci.bus_id --format=csv,noheader"))
    tree = ElementTree.fromstring(host.out("nvidia-smi -q -x"))
    assert listed == [row[0] for row in asked]
    assert listed == [gpu.findtext("uuid") for gpu in tree.iter("gpu")]
    assert host.out("lspci -d 10de: -n").count("0300: 10de:2684") == len(listed) == 8


def test_the_csv_form_follows_its_style_words(make_host):
    host = make_host()
    query = "nvidia-smi --query-gpu=index,power.limit,memory.total"
    assert rows(host.out(f"{query} --format=csv"))[:2] == [
        ["index", "power.limit [W]", "memory.total [MiB]"],
        ["0", "450.00 W", "24564 MiB"],
    ]
    assert rows(host.out(f"{query} --format=csv,noheader,nounits"))[0] == ["0", "450.00", "24564"]


def test_one_unknown_field_fails_the_whole_query(make_host):
    answer = make_host().tool("nvidia-smi --query-gpu=index,no.such --format=csv")
    assert answer.status == 2
    assert answer.out.startswith('Field "no.such" is not a valid field to query.')


def test_fields_come_with_the_drivers_branch(make_host):
    old, new = make_host("sh-r01-n02"), make_host("sh-r01-n01")
    assert old.spec.driver.startswith("550.")
    query = "nvidia-smi --query-gpu=gpu_recovery_action --format=csv,noheader"
    assert old.tool(query).status == 2
    assert new.out(query).split() == ["None"] * 8
    assert "average_power_draw" not in old.out("nvidia-smi -q -x")
    assert "average_power_draw" in new.out("nvidia-smi -q -x")


def test_the_table_keeps_its_width(make_host):
    lines = make_host().out("nvidia-smi").rstrip("\n").split("\n")[1:]
    assert {len(line) for line in lines} == {91}


def test_the_report_can_be_narrowed_to_a_part(make_host):
    text = make_host().out("nvidia-smi -q -d TEMPERATURE")
    assert "GPU T.Limit Temp" in text
    assert "Product Name" not in text


def test_one_card_can_be_chosen_by_index_uuid_or_address(make_host):
    host = make_host()
    card = host.spec.cards[3]
    for name in ("3", card.uuid, card.bdf, f"0000{card.bdf}".upper()):
        out = host.out(f"nvidia-smi -i {name} --query-gpu=index --format=csv,noheader")
        assert out == "3\n"
    assert host.tool("nvidia-smi -i 11 -L").status == 6


def test_settings_cannot_be_changed_without_root(make_host):
    answer = make_host().tool("nvidia-smi -i 0 -pl 300")
    assert answer.status == 4
    assert "Insufficient Permissions" in answer.out


def test_the_journal_goes_on_after_a_cursor(make_host):
    from fleet.simulator.faults import strike

    host = make_host()
    last = json.loads(host.out("journalctl -k -o json -n 1"))
    assert host.out(f"journalctl -k -o json --after-cursor={last['__CURSOR']}") == ""
    strike.inject(host, "xid:13", gpu="1")
    news = host.out(f"journalctl -k -o json --after-cursor={last['__CURSOR']}").splitlines()
    assert [json.loads(line)["MESSAGE"].split(":")[0] for line in news] == ["NVRM", "NVRM"]
    assert "Xid (PCI:0000:25:00): 13, pid=" in news[1]


def test_the_journal_shows_its_cursor_and_refuses_a_broken_one(make_host):
    host = make_host()
    assert re.search(r"-- cursor: s=\w+;i=\w+;b=\w+;", host.out("journalctl -k --show-cursor -n 1"))
    answer = host.tool("journalctl -k --after-cursor=rubbish")
    assert (answer.status, "Failed to seek" in answer.err) == (1, True)


def test_the_boot_before_can_be_read_after_a_restart(make_host):
    from fleet.simulator.faults import strike

    host = make_host()
    assert host.tool("journalctl -k -b -1").status == 1
    strike.inject(host, "xid:31", gpu="0")
    host.clock.forward(30)
    strike.clear(host)
    host.clock.forward(30)
    assert "Xid" not in host.out("journalctl -k")
    assert "Xid (PCI:0000:01:00): 31" in host.out("journalctl -k -b -1")
    assert len(host.out("journalctl --list-boots").splitlines()) == 3


def test_sequence_numbers_go_on_over_a_restart(make_host):
    from fleet.simulator.faults import strike

    host = make_host()
    before = json.loads(host.out("journalctl -k -o json -n 1"))["__CURSOR"]
    strike.inject(host, "xid:31", gpu="0")
    strike.clear(host)
    after = json.loads(host.out("journalctl -k -o json -n 1"))["__CURSOR"]
    place = [int(re.search(r"i=(\w+)", cursor)[1], 16) for cursor in (before, after)]
    assert place[1] > place[0]


def test_docker_tells_ports_and_cards_of_a_lease(make_host):
    host = make_host()
    names = host.out("docker ps --format {{.Names}}").split()
    assert names == ["hh-20417", "hh-20418"]
    (document,) = json.loads(host.out("docker inspect hh-20417"))
    ssh_port = host.spec.containers[0].ports[0].port
    assert document["NetworkSettings"]["Ports"]["22/tcp"][0]["HostPort"] == str(ssh_port)
    assert len(document["HostConfig"]["DeviceRequests"][0]["DeviceIDs"]) == 4
    assert host.out("docker inspect -f {{.State.Status}} hh-20417") == "running\n"
    assert host.out("docker port hh-20417").startswith(f"22/tcp -> 0.0.0.0:{ssh_port}\n")
    assert host.out(f"docker ps -a --filter publish={ssh_port} --format {{{{.Names}}}}") == (
        "hh-20417\n"
    )
    assert "sshd" in host.out("docker exec hh-20417 pgrep -a sshd")
    assert len(host.out("docker exec hh-20417 nvidia-smi -L").splitlines()) == 4
    assert host.tool("docker inspect nobody").status == 1


def test_holders_of_a_port_and_of_a_card_are_named(make_host):
    host = make_host()
    port = host.spec.containers[0].ports[0].port
    (line,) = [s for s in host.out(f"ss -Hltnp4 sport = :{port}").splitlines() if "0.0.0.0" in s]
    assert 'users:(("docker-proxy",pid=' in line
    program = host.out("nvidia-smi --query-compute-apps=pid --format=csv,noheader -i 0").strip()
    assert program in host.out("fuser /dev/nvidia0").split()


def test_a_busy_card_looks_busy_and_an_idle_one_idle(make_host):
    query = (
        "nvidia-smi --query-gpu=pstate,pcie.link.gen.current,fan.speed,clocks_event_reasons.active,"
        "clocks.mem,temperature.gpu --format=csv,noheader,nounits"
    )
    busy = rows(make_host("sh-r01-n02").out(query))[0]
    idle = rows(make_host("sh-r02-n02").out(query))[0]
    assert busy[:2] == ["P2", "4"]
    assert busy[4] == "10251"
    assert busy[3] == "0x0000000000000004"
    assert idle[:5] == ["P8", "1", "0", "0x0000000000000001", "405"]
    assert int(idle[5]) < 45 < int(busy[5]) < 80
