"""Importing leases: the order system's table, row by row."""

import json
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleet.changes.errors import Refused
from fleet.leases.importing import LeaseWish, import_leases
from fleet.leases.models import AccessPath, Lease
from fleet.people.models import Customer

SHANGHAI = ZoneInfo("Asia/Shanghai")
HEADER = "order_id,customer,node,gpus,paths,limits,price,starts_at\n"


@pytest.fixture
def node(make_node, make_customer):
    make_customer(name="Lab")
    return make_node(name="alpha", gpus=2)


def line(order, on, paths="ssh gw.example:20022 20022:22", **cells):
    row = {
        "customer": "Lab",
        "node": "alpha",
        "gpus": on.gpus.first().uuid,
        "paths": paths,
        "limits": "disk_gib=100 cpu=7.5",
        "price": "3.5",
        "starts_at": "2026-11-01 08:00",
    } | cells
    return ",".join([order, *row.values()]) + "\n"


def real(text, **wish):
    return import_leases(text, LeaseWish(dry_run=False, **{"zone": SHANGHAI, **wish}))


def outcomes(report):
    return [row.outcome for row in report.rows]


def test_a_table_becomes_leases_with_ports_and_limits(node):
    assert outcomes(real(HEADER + line("A-1", node))) == ["created"]
    lease = Lease.objects.get()
    assert lease.limits == {"disk_gib": 100, "cpu": 7.5}
    assert lease.starts_at.isoformat() == "2026-11-01T00:00:00+00:00"
    assert (AccessPath.objects.get().container_port, lease.gpus.count()) == (22, 1)


def test_the_same_table_again_only_confirms(node):
    real(HEADER + line("A-1", node))
    before = Lease.objects.get().confirmed_at
    assert outcomes(real(HEADER + line("A-1", node))) == ["unchanged"]
    assert Lease.objects.get().confirmed_at > before


def test_a_dry_run_writes_nothing(node):
    report = import_leases(HEADER + line("A-1", node), LeaseWish(zone=SHANGHAI))
    assert outcomes(report) == ["created"]
    assert not Lease.objects.exists()


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        ({"customer": "Nobody"}, "customer: No customer is called “Nobody”."),
        ({"node": "nowhere"}, "node: No node is called “nowhere”."),
        ({"gpus": "GPU-x"}, "gpus: Not a card we know: GPU-x."),
        ({"paths": "telnet 1"}, "paths: “telnet 1” is no port like"),
        ({"paths": "odd gw:1 1"}, "paths[0]: The kind is one of"),
        ({"limits": "much"}, "limits: “much” is no limit like disk_gib=100."),
        ({"price": "free"}, "price: “free” is not a number."),
        ({"starts_at": "soon"}, "starts_at: “soon” is no time like"),
        ({"starts_at": "2026-99-99"}, "starts_at: “2026-99-99” is no time like"),
    ],
)
def test_a_bad_cell_is_named_and_the_other_rows_stand(node, cells, says):
    report = real(HEADER + line("A-1", node, **cells) + line("A-2", node))
    assert outcomes(report) == ["refused", "created"]
    assert says in report.rows[0].notes[0]


def test_a_time_without_zone_is_refused_unless_the_file_has_one(node):
    report = real(HEADER + line("A-1", node), zone=None)
    assert "needs its zone" in report.rows[0].notes[0]


def test_a_complete_list_names_what_it_lacks_and_ends_it_only_when_asked(node):
    real(HEADER + line("A-1", node))
    other = HEADER + line("A-2", node, gpus="", paths="-")
    assert real(other, complete=True).notes == ["Lease A-1 is not in the list."]
    report = real(other, complete=True, end_missing=True)
    assert report.notes == ["Lease A-1 is not in the list and was ended."]
    assert Lease.objects.get(order_id="A-1").state == "ended"


def test_unknown_customers_are_added_only_when_asked(node):
    report = real(HEADER + line("A-1", node, customer="New Lab"), new_customers=True)
    assert report.rows[0].notes == ["New customer: New Lab."]
    assert Customer.objects.filter(name="New Lab", simulated=False).exists()


def test_the_command_reports_each_row_and_ends_with_1_when_one_is_refused(node, tmp_path, capsys):
    file = tmp_path / "leases.csv"
    file.write_text(HEADER + line("A-1", node) + line("A-2", node, node="nowhere"))
    with pytest.raises(SystemExit) as ended:
        call_command("import_leases", str(file), "--zone", "Asia/Shanghai", "--json")
    told = json.loads(capsys.readouterr().out)
    assert ended.value.code == 1
    assert told["counts"] == {"created": 1, "refused": 1}


@pytest.mark.parametrize(
    "options", [["--zone", "Mars/Base"], ["--end-missing"], ["--by", "nobody@example.org"]]
)
def test_the_command_refuses_options_it_cannot_follow(db, options, tmp_path):
    with pytest.raises(CommandError):
        call_command("import_leases", str(tmp_path / "none.csv"), *options)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.fixed_dictionaries(
        {name: st.text(max_size=20) for name in ("limits", "price", "starts_at", "paths")}
    )
)
def test_no_cell_crashes_the_import(node, cells):
    quoted = {name: '"' + cell.replace('"', '""') + '"' for name, cell in cells.items()}
    try:
        import_leases(HEADER + line("A-1", node, **quoted), LeaseWish())
    except Refused:
        return
