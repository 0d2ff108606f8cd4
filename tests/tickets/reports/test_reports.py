"""A month's figures and its exports: the same numbers everywhere, and no more than asked for."""

import csv
import io
import json
from collections import Counter
from datetime import datetime, timedelta

import openpyxl
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from fleet.changes.errors import Refused
from tests import factories
from tests.tickets.reports.conftest import APRIL
from tickets.cases import services
from tickets.cases.models import Ticket
from tickets.cases.opening import open_ticket
from tickets.cases.settle import sweep
from tickets.reports.figures import figures
from tickets.reports.period import month, neighbours
from tickets.reports.rows import of_month, rows
from tickets.reports.table import NAMES
from tickets.reports.writing import export, harmless

UTC_APRIL = ("2026-04", "UTC")


def counted(shown, tickets=None):
    return figures(shown, rows(of_month(tickets or Ticket.objects.all(), shown), shown))


def exported(kind, shown, tickets=None):
    return b"".join(export(kind, shown, tickets or Ticket.objects.all()))


def as_csv(shown, tickets=None):
    text = exported("csv", shown, tickets).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def naive(table, clock, shown):
    """Met, breached and in flight of a month, counted from the table alone."""
    found = Counter()
    for row in table:
        decided, state = row[f"{clock}_decided_at"], row[f"{clock}_state"]
        at = datetime.fromisoformat(decided) if decided else None
        if at is None or at >= shown.end:
            found["in_flight"] += 1
        elif at >= shown.begin:
            found[state] += 1
    return found


@pytest.mark.parametrize("clock", ["response", "resolution"])
@pytest.mark.parametrize("asked", [UTC_APRIL, ("2026-04", "Asia/Shanghai"), ("2026-03", "UTC")])
def test_the_figures_are_those_of_the_table(past, hand, clock, asked):
    shown = month(*asked, hand.now)
    told = getattr(counted(shown), clock)
    expected = naive(as_csv(shown), clock, shown)
    block = told.overall
    assert (block.met, block.breached) == (expected["met"], expected["breached"])
    assert block.in_flight == expected["in_flight"]
    assert sum(block.excluded.values()) == expected["excluded"]
    for blocks in told.by.values():
        assert sum(each.n for each in blocks.values()) == block.n
    assert block.n > 5 or asked[0] == "2026-03"


def test_percentiles_are_values_of_the_table(past, hand):
    shown = month(*UTC_APRIL, hand.now)
    table = as_csv(shown)
    stopped = sorted(
        float(row["resolution_seconds"])
        for row in table
        if row["resolution_state"] in {"met", "breached"}
        and row["resolution_at"]
        and shown.begin <= datetime.fromisoformat(row["resolution_at"]) < shown.end
    )
    rank = -(-50 * len(stopped) // 100)
    assert counted(shown).resolution.overall.percentile(50) == stopped[rank - 1] * 1000


def test_a_statement_says_what_the_report_says_of_its_customer(past, hand):
    shown = month(*UTC_APRIL, hand.now)
    whole = counted(shown)
    for lease in past.leases:
        own = counted(shown, Ticket.objects.filter(customer=lease.customer))
        for clock in ("response", "resolution"):
            there = getattr(whole, clock).by["customer"][lease.customer.name]
            assert getattr(own, clock).overall == there


def test_a_frozen_month_does_not_change_with_what_happens_later(past, hand):
    shown = month(*UTC_APRIL, hand.now)
    before = exported("csv", shown)
    assert shown.frozen
    hand.now += timedelta(days=1)
    while sweep(hand.now):
        pass
    waiting = Ticket.objects.filter(state__in=("open", "paused")).order_by("pk")
    assert waiting
    for ticket in waiting:
        services.answer(ticket, body="At last.", actor=past.ops)
    assert exported("csv", month(*UTC_APRIL, hand.now)) == before


def test_every_format_holds_the_same_rows(past, hand):
    shown = month(*UTC_APRIL, hand.now)
    table = as_csv(shown)
    told = json.loads(exported("json", shown))
    assert told["month"] == "2026-04"
    assert told["status"] == "frozen"
    book = openpyxl.load_workbook(io.BytesIO(exported("xlsx", shown)))
    sheet = list(book["tickets"].iter_rows(values_only=True))
    assert len(table) == len(told["tickets"]) == len(sheet) - 1 > 10
    assert tuple(sheet[0]) == NAMES == tuple(table[0])
    for line, row, cells in zip(table, told["tickets"], sheet[1:], strict=True):
        assert int(line["ticket"]) == row["ticket"] == cells[0]
        seconds = cells[NAMES.index("response_seconds")]
        assert row["response_seconds"] == seconds
        assert line["response_seconds"] == ("" if seconds is None else str(seconds))
        assert isinstance(cells[NAMES.index("start")], datetime)
    assert {"figures", "notes"} <= set(book.sheetnames)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "=cmd|'/c'!A0"])
def test_a_name_is_never_a_formula(db, hand, text):
    customer = factories.make_customer(name=text)
    open_ticket(customer=customer, subject="x", source="portal")
    shown = month(*UTC_APRIL, hand.now)
    assert harmless(text) == "'" + text
    assert as_csv(shown)[0]["customer"] == "'" + text
    book = openpyxl.load_workbook(io.BytesIO(exported("xlsx", shown)))
    cell = book["tickets"].cell(2, NAMES.index("customer") + 1)
    assert cell.data_type == "s"


@pytest.mark.parametrize("name", ["", "2026", "2026-13", "2026-4", "1999-01", "２026-04", "a"])
def test_what_is_no_month_is_refused(name, hand):
    with pytest.raises(Refused):
        month(name, "UTC", hand.now)


def test_months_have_neighbours():
    assert neighbours("2026-01") == ("2025-12", "2026-02")
    assert neighbours("2026-12") == ("2026-11", "2027-01")


def test_the_export_is_read_in_portions(past, hand, monkeypatch):
    shown = month(*UTC_APRIL, hand.now)
    whole = exported("csv", shown)
    monkeypatch.setattr("tickets.reports.rows.AT_ONCE", 7)
    assert exported("csv", shown) == whole


def test_more_tickets_need_the_same_queries_a_portion(past, hand):
    shown = month(*UTC_APRIL, hand.now)
    with CaptureQueriesContext(connection) as few:
        exported("csv", shown, Ticket.objects.filter(customer=past.leases[0].customer))
    with CaptureQueriesContext(connection) as many:
        exported("csv", shown)
    assert len(many) <= len(few) + 2


def test_the_command_writes_the_same_and_names_what_is_wrong(past, hand, capsysbinary):
    call_command("sla_export", "--month", "2026-04", "--zone", "UTC")
    assert capsysbinary.readouterr().out == exported("csv", month(*UTC_APRIL, hand.now))
    call_command("sla_export", "--month", "2026-04", "--format", "json", "--drill")
    assert json.loads(capsysbinary.readouterr().out)["tickets"] == []
    for wrong in (["--month", "April"], ["--month", "2026-04", "--customer", "9999"]):
        with pytest.raises(CommandError) as refused:
            call_command("sla_export", *wrong)
        assert refused.value.returncode == 2


def test_pages_show_the_same_figures_to_whom_they_belong(past, hand, client, make_user):
    lease = past.leases[0]
    client.force_login(past.ops)
    page = client.get("/reports/?month=2026-04").content.decode()
    shown = month("2026-04", "Asia/Shanghai", hand.now)
    assert f"{counted(shown).response.overall.attainment} %" in page
    own = counted(shown, Ticket.objects.filter(customer=lease.customer))
    client.force_login(make_user(customer=lease.customer))
    statement = client.get(f"/my/statement/{lease.customer.pk}/?month=2026-04").content.decode()
    assert f"{own.response.overall.attainment} %" in statement
    assert past.leases[1].customer.name not in statement
    other = past.leases[1].customer.pk
    for address in (f"/my/statement/{other}/", f"/my/statement/{other}/file.csv", "/reports/"):
        assert client.get(address).status_code == 404


def test_a_file_is_an_attachment_of_its_own_customer(past, hand, client, make_user):
    lease = past.leases[0]
    client.force_login(make_user(customer=lease.customer))
    answer = client.get(f"/my/statement/{lease.customer.pk}/file.csv?month=2026-04")
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["X-Content-Type-Options"] == "nosniff"
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    assert {row["customer"] for row in csv.DictReader(io.StringIO(text))} == {lease.customer.name}
    assert client.get(f"/my/statement/{lease.customer.pk}/file.exe").status_code == 404


def test_an_empty_month_says_so_and_is_no_hundred_percent(db, hand, client, make_user):
    client.force_login(make_user("manager"))
    page = client.get("/reports/?month=2026-04").content.decode()
    assert "n/a" in page
    assert "100.00" not in page
    assert client.get("/reports/?month=nonsense").status_code == 200


def test_mean_time_to_acknowledge_counts_only_what_was(past, hand):
    told = counted(month(*UTC_APRIL, hand.now))
    began = as_csv(month(*UTC_APRIL, hand.now))
    assert len(told.acknowledged) + told.unacknowledged <= len(began)
    assert told.acknowledged == sorted(told.acknowledged)
    assert hand.now > APRIL
