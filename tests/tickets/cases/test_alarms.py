"""Warnings: each share of each clock once per due, whenever the sweep comes."""

from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tickets.cases import services
from tickets.cases.models import Alarm, Outcome, Ticket
from tickets.cases.opening import open_ticket
from tickets.cases.settle import sweep


def alarms(ticket, clock="response"):
    rows = Alarm.objects.filter(ticket=ticket, clock=clock).order_by("at")
    return [(row.percent, row.at.strftime("%H:%M")) for row in rows]


def swept(clock, text):
    clock.at(text)
    return sweep(clock.now)


def test_halfway_four_fifths_and_breach(ticket, clock):
    assert swept(clock, "10:14:59") == 0
    swept(clock, "10:15")
    assert alarms(ticket) == [(50, "10:15")]
    swept(clock, "10:24")
    swept(clock, "10:30")
    assert len(alarms(ticket)) == 2
    swept(clock, "10:30:01")
    assert alarms(ticket) == [(50, "10:15"), (80, "10:24"), (100, "10:30")]


def test_a_sweep_that_comes_late_or_twice_writes_each_once_with_its_own_instant(ticket, clock):
    for _ in range(3):
        swept(clock, "13:00")
    assert alarms(ticket) == [(50, "10:15"), (80, "10:24"), (100, "10:30")]
    assert alarms(ticket, "resolution") == [(50, "11:00"), (80, "11:36"), (100, "12:00")]
    assert Outcome.objects.filter(ticket=ticket).count() == 2


def test_an_answer_in_time_leaves_no_breach(ticket, clock, ops):
    swept(clock, "10:20")
    services.answer(ticket, body="Yes.", actor=ops)
    swept(clock, "11:00")
    assert alarms(ticket) == [(50, "10:15")]


def test_a_pause_arms_the_alarms_anew(ticket, clock, ops, chen):
    swept(clock, "11:01")
    services.ask(ticket, body="Which?", actor=ops, reason="waiting_customer_info")
    swept(clock, "12:01")
    services.customer_says(ticket, body="22", actor=chen)
    swept(clock, "12:40")
    dues = Alarm.objects.filter(clock="resolution").values_list("percent", "due_at")
    first = ticket.created_at + timedelta(hours=2)
    assert set(dues) == {
        (50, first),
        (50, first + timedelta(hours=1)),
        (80, first + timedelta(hours=1)),
    }


def test_one_bad_ticket_keeps_no_other_waiting(ticket, clock, customer, monkeypatch):
    other = open_ticket(customer=customer, subject="Two", source="portal", klass="complex")
    from tickets.cases import settle

    real = settle.settle

    def broken(pk, now, **fields):
        if pk == ticket.pk:
            raise RuntimeError("bad")
        return real(pk, now, **fields)

    monkeypatch.setattr(settle, "settle", broken)
    assert swept(clock, "10:16") == 2
    assert alarms(other) == [(50, "10:15")]
    assert swept(clock, "10:16:30") == 0
    assert Ticket.objects.get(pk=ticket.pk).wake_at == clock.at("10:17")


def test_nothing_due_costs_one_query(ticket, clock):
    with CaptureQueriesContext(connection) as queries:
        sweep(clock.now)
    assert len(queries) == 1
