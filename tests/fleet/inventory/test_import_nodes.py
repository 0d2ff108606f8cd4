"""Importing nodes: a report for every row, nothing twice, nothing half."""

import base64
import contextlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet.changes.errors import Refused
from fleet.changes.models import Event
from fleet.inventory.importing import table
from fleet.inventory.importing.nodes import Wish, import_csv, import_ssh_config
from fleet.inventory.importing.sshconfig import parse_ssh_config
from fleet.inventory.importing.table import BadFile, decode
from fleet.inventory.models import Gpu, HostKey, JumpHost, Node, Provider, Region
from fleet.inventory.services.nodes import add_node

UUID = "GPU-6f3c0c1e-0000-4000-8000-00000000000"
HEADER = "name,provider,region,address,port,rack,ram_gib,gpus\n"
ROWS = (
    HEADER
    + f"n1,Sunrise,sh-1,10.0.0.1,22,R1,512,{UUID}1 {UUID}2\n"
    + f"n2,Sunrise,sh-1,10.0.0.2,2222,R1,512,{UUID}3\n"
)


def host_key(seed):
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in (b"ssh-ed25519", seed * 32))
    return "ssh-ed25519 " + base64.b64encode(blob).decode()


def real(text, **wish):
    return import_csv(text, Wish(dry_run=False, **wish))


def outcomes(report):
    return [row.outcome for row in report.rows]


def test_a_list_becomes_nodes_with_place_and_cards(db):
    report = real(ROWS)
    assert outcomes(report) == ["created", "created"]
    assert report.notes == ["New providers: Sunrise.", "New regions: sh-1."]
    node = Node.objects.get(name="n2")
    assert (node.provider.name, node.region.code, node.port) == ("Sunrise", "sh-1", 2222)
    assert (node.rack, node.ram_gib, node.state) == ("R1", 512, "enrolling")
    assert node.credential is not None
    assert Gpu.objects.count() == 3


def test_a_dry_run_reports_the_same_and_writes_nothing(db):
    rehearsal = import_csv(ROWS, Wish(dry_run=True))
    assert not Node.objects.exists()
    assert not Provider.objects.exists()
    assert not Event.objects.exists()
    assert rehearsal.rows == real(ROWS).rows


def test_the_same_list_again_changes_nothing(db):
    real(ROWS)
    facts = Event.objects.count()
    assert outcomes(real(ROWS)) == ["unchanged", "unchanged"]
    assert Event.objects.count() == facts


def test_only_filled_cells_are_changed_and_named(db):
    real(ROWS)
    report = real("name,address,port,rack,ram_gib\nn1,10.0.0.1,,R9,\n")
    assert report.rows[0].outcome == "updated"
    assert report.rows[0].changes == ["rack"]
    node = Node.objects.get(name="n1")
    assert (node.rack, node.ram_gib, node.port) == ("R9", 512, 22)
    assert Event.objects.get(kind="node_changed").data == {"rack": ["R1", "R9"]}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("n3,,sh-1,10.0.0.3,22,,,", "Name a provider"),
        ("n3,Sunrise,,10.0.0.3,22,,,", "Name a region"),
        (",Sunrise,sh-1,10.0.0.3,22,,,", "name: This cell must not be empty."),
        ("n3,Sunrise,sh-1,10.0.0.3,ssh,,,", "port: “ssh” is not a whole number."),
        ("n3,Sunrise,sh-1,10.0.0.3,70000,,,", "port: A port is a number from 1 to 65535."),
        ("n3,Sunrise,sh-1,10.0.0.1,22,,,", "Node n1 already has this address and port."),
        (f"n3,Sunrise,sh-1,10.0.0.3,22,,,{UUID}1", f"Card {UUID}1 is in node n1."),
        ("n3,Sunrise,sh-1,10.0.0.3,22,,,0", "A card is named by its UUID"),
        ("n1,Other,sh-1,10.0.0.1,22,,,", "This node belongs to Sunrise for good."),
        ("n3,Sunrise,sh-1,10.0.0.3,22,R1,64,,extra", "more cells than the first line"),
        ("n3,Drill,sh-1,10.0.0.3,22,,,", "This provider belongs to the drill."),
        ("sim,Sunrise,sh-1,10.0.0.3,22,,,", "The drill has a node of this name."),
        ("x" * 81 + ",Sunrise,sh-1,10.0.0.3,22,,,", "name: "),
        ("n3,Sunrise,sh-1,10.0.0.3,22," + "x" * 41 + ",,", "rack: This is longer than 40"),
    ],
)
def test_a_bad_row_is_refused_with_its_reason_and_the_others_stand(
    make_node, make_provider, row, says
):
    make_node(name="sim", provider=make_provider(name="Drill", simulated=True))
    real(ROWS)
    report = real(HEADER + row + "\nn4,Sunrise,sh-1,10.0.0.4,22,,,\n")
    assert outcomes(report) == ["refused", "created"]
    assert says in report.rows[0].notes[0]
    assert (
        Node.objects.filter(name__in=["n1", "n2", "n4", "sim"]).count() == Node.objects.count() == 4
    )


def test_a_node_named_twice_is_refused_the_second_time(db):
    report = real(ROWS + "n1,Sunrise,sh-1,10.0.0.9,22,,,\n")
    assert report.rows[2].notes == ["name: Line 2 names this node too."]


def test_all_or_nothing_writes_nothing_when_one_row_is_bad(db):
    report = real(ROWS + "n3,Sunrise,sh-1,10.0.0.3,x,,,\n", all_or_nothing=True)
    assert outcomes(report) == ["created", "created", "refused"]
    assert report.dry_run
    assert not Node.objects.exists()
    assert outcomes(real(ROWS, all_or_nothing=True)) == ["created", "created"]
    assert Node.objects.count() == 2


def test_a_refused_row_leaves_no_provider_behind(db):
    report = real(HEADER + "n1,New,new-1,10.0.0.1,x,,,\n")
    assert report.notes == []
    assert not Provider.objects.exists()
    assert not Region.objects.exists()


def test_a_listed_host_key_is_pinned_and_the_node_goes_into_service(db, make_user):
    ops = make_user("ops")
    text = "name,provider,region,address,host_key\nn1,Sunrise,sh,10.0.0.1," + host_key(b"a") + "\n"
    real(text, actor=ops)
    key = HostKey.objects.get()
    assert (key.state, key.pinned_by, key.node.state) == ("pinned", ops, "active")
    assert outcomes(real(text)) == ["unchanged"]


def test_another_host_key_than_the_pinned_one_is_only_offered(db):
    line = "name,provider,region,address,host_key\nn1,Sunrise,sh,10.0.0.1,"
    real(line + host_key(b"a"))
    report = real(line + host_key(b"b"))
    assert "differs from the pinned one" in report.rows[0].notes[0]
    assert sorted(HostKey.objects.values_list("state", flat=True)) == ["offered", "pinned"]
    assert Event.objects.filter(kind="host_key_changed").count() == 1


def test_what_is_no_host_key_is_refused(db):
    report = real("name,provider,region,address,host_key\nn1,S,sh,10.0.0.1,ssh-ed25519 AAAA\n")
    assert report.rows[0].notes == ["host_key: This is not a public host key."]
    assert not Node.objects.exists()


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_spreadsheets_in_every_usual_encoding_and_chinese_headers_are_read(db, encoding):
    text = "主机;供应商;区域;地址;机柜\r\n主机一;晨曦;上海;10.0.0.1;甲排\r\n"
    report = real(decode(text.encode(encoding)))
    assert outcomes(report) == ["created"]
    assert Node.objects.get().rack == "甲排"
    assert Region.objects.get().name == "上海"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("name,port\nn1,22\n", "missing: address"),
        ("name,address,colour\n", "do not know: colour"),
        ("name,address,name\n", "named twice"),
        ('name,address\n"a' + "x" * 200_000 + '",b\n', "is no CSV"),
    ],
)
def test_a_table_that_cannot_be_read_says_what_is_wrong(db, text, says):
    with pytest.raises(BadFile, match=says):
        real(text)


def test_limits_of_size_and_rows_are_told(db, monkeypatch):
    with pytest.raises(BadFile, match="5 MB"):
        decode(b"x" * (table.LARGEST + 1))
    with pytest.raises(BadFile, match="no text"):
        decode(b"\x7fELF\x00\x00")
    many = "name,address\n" + "n,a\n" * (table.MOST_ROWS + 1)
    with pytest.raises(BadFile, match="10,000 rows"):
        real(many)


SSH_CONFIG = """
# our hosts
Host gpu-*
    User train
    Port 2200
Host gpu-1 gpu-2
    HostName %h.example
Host gpu-3
    HostName 10.0.0.3
    Port=22
    ProxyJump "bastion"
Match host nothing
    Port 9
Include conf.d/*
Host *
    Port 2022
Host plain
"""


def ssh(text, **wish):
    return import_ssh_config(
        text, Wish(provider="Sunrise", region="sh", **{"dry_run": False, **wish})
    )


def test_an_ssh_config_is_read_as_openssh_reads_it(make_credential):
    JumpHost.objects.create(
        name="bastion", address="10.0.0.254", credential=make_credential(), host_key=host_key(b"j")
    )
    report = ssh(SSH_CONFIG)
    created = [row.name for row in report.rows if row.outcome == "created"]
    assert created == ["gpu-1", "gpu-2", "gpu-3", "plain"]
    reached = {n.name: (n.address, n.port, n.jump_id is not None) for n in Node.objects.all()}
    assert reached == {
        "gpu-1": ("gpu-1.example", 2200, False),
        "gpu-2": ("gpu-2.example", 2200, False),
        "gpu-3": ("10.0.0.3", 2200, True),
        "plain": ("plain", 2022, False),
    }
    skipped = [(row.name, row.line) for row in report.rows if row.outcome == "skipped"]
    assert skipped == [("gpu-*", 3), ("host nothing", 12), ("conf.d/*", 14), ("*", 15)]
    assert all(row.notes for row in report.rows if row.outcome == "skipped")


def test_users_of_an_ssh_config_are_said_to_be_unused(db):
    report = ssh("Host a\n  User train\n")
    assert report.rows[0].notes == [
        "User train is not used: Halfhour logs in with its own account."
    ]


def test_unknown_bastions_and_proxy_commands_are_refused_with_what_to_do(db):
    report = ssh(
        "Host a\n ProxyJump nowhere\nHost b\n ProxyCommand nc %h\nHost c\n ProxyJump none\n"
    )
    assert outcomes(report) == ["refused", "refused", "created"]
    assert "Add it with the command jump_host" in report.rows[0].notes[0]
    assert "Name a bastion with ProxyJump" in report.rows[1].notes[0]


def test_a_negated_pattern_keeps_a_host_out_of_a_block():
    entries, _ = parse_ssh_config("Host * !odd\n Port 2200\nHost odd even\n")
    assert {entry.name: entry.port for entry in entries} == {"odd": "", "even": "2200"}


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_no_ssh_config_crashes_the_reader(text):
    entries, skipped = parse_ssh_config(text)
    assert all(entry.name for entry in entries)
    assert all(line.reason for line in skipped)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["name", "address", "port", "gpus", "host_key", "ram_gib", "jump"]),
            st.text(max_size=30),
        ),
        max_size=3,
    )
)
def test_no_table_crashes_the_import(db, rows):
    columns = ["name", "address", "port", "gpus", "host_key", "ram_gib", "jump"]
    lines = [
        ",".join('"' + row.get(c, "").replace('"', '""') + '"' for c in columns) for row in rows
    ]
    try:
        report = import_csv("\n".join([",".join(columns), *lines]), Wish("S", "r"))
    except Refused:
        return
    assert all(row.notes for row in report.rows if row.outcome == "refused")


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_crash_the_decoder(data):
    with contextlib.suppress(BadFile):
        assert "\0" not in decode(data)


@pytest.mark.parametrize("name", ["../../etc", "sp ace", "esc\x1b[31m", "-oProxyCommand=x"])
def test_a_name_that_is_no_name_is_refused(db, make_node, name):
    node = make_node()
    with pytest.raises(Refused) as refused:
        add_node(name=name, provider=node.provider, region=node.region, address="10.9.9.9")
    assert "name" in refused.value.errors


@pytest.mark.parametrize("address", ["bad host!", "[::1]:22", "-oProxyCommand=x"])
def test_an_address_that_is_none_is_refused(db, make_node, address):
    node = make_node()
    with pytest.raises(Refused) as refused:
        add_node(name="n1", provider=node.provider, region=node.region, address=address)
    assert "neither a host name nor an address" in refused.value.errors["address"]


def test_an_address_of_the_drill_is_named_as_such_not_by_a_name_nobody_sees(db, make_node):
    drill = make_node(simulated=True)
    real = make_node()
    with pytest.raises(Refused) as refused:
        add_node(
            name="n1",
            provider=real.provider,
            region=real.region,
            address=drill.address,
            port=drill.port,
        )
    assert drill.name not in refused.value.errors["address"]
