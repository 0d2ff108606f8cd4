"""What people do to a ticket, and what follows: as the rules of the clocks say, kept in rows."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from fleet.changes.errors import Refused
from tickets.cases import services
from tickets.cases.models import Outcome, Ticket, TicketEvent, TicketText
from tickets.cases.opening import open_ticket
from tickets.cases.settle import sweep


def decisions(ticket, clock="response"):
    rows = Outcome.objects.filter(ticket=ticket, clock=clock).order_by("serial")
    return [(row.state, row.because) for row in rows]


def test_a_report_starts_both_clocks(ticket, clock):
    assert (ticket.state, ticket.klass, ticket.start_at) == ("open", "complex", clock.now)
    assert ticket.response_due_at == clock.now + timedelta(minutes=30)
    assert ticket.resolution_due_at == clock.now + timedelta(hours=2)
    assert ticket.soonest_at == ticket.response_due_at
    assert ticket.wake_at == clock.now + timedelta(minutes=15)
    assert list(ticket.events.values_list("kind", "author")) == [
        ("created", "staff"),
        ("message", "customer"),
    ]


def test_an_answer_stops_the_response_clock_alone(ticket, clock, ops):
    clock.at("10:12")
    services.answer(ticket, body="Looking at it.", actor=ops)
    assert (ticket.response_state, ticket.response_at) == ("met", clock.now)
    assert ticket.resolution_state == "in_flight"
    assert decisions(ticket) == [("met", "")]
    assert Outcome.objects.get().counted_ms == 12 * 60_000


def test_notes_assignments_and_acknowledgements_are_no_answer(ticket, clock, ops):
    services.note(ticket, body="Ask Lin.", actor=ops)
    services.assign(ticket, to=ops, actor=ops)
    services.acknowledge(ticket, actor=ops)
    services.act(ticket, "message", author="bot", body="We have your report.")
    assert (ticket.response_state, ticket.assignee) == ("in_flight", ops)


def test_a_question_pauses_and_the_customers_word_resumes(ticket, clock, ops, chen):
    clock.at("10:20")
    services.ask(ticket, body="Which port?", actor=ops, reason="waiting_customer_info")
    assert (ticket.state, ticket.response_state, ticket.soonest_at) == ("paused", "met", None)
    clock.at("14:20")
    services.customer_says(ticket, body="22", actor=chen)
    assert ticket.state == "open"
    assert ticket.resolution_due_at == clock.at("16:00")
    assert ticket.waits_since is not None
    assert ticket.soonest_at == clock.at("14:50")


def test_what_the_rules_refuse_is_not_written(ticket, ops):
    before = TicketEvent.objects.count(), TicketText.objects.count()
    with pytest.raises(Refused, match="waiting for the customer"):
        services.ask(ticket, body="Waiting for parts.", actor=ops, reason="waiting_parts")
    with pytest.raises(Refused, match="customer can read"):
        services.resolve(ticket, body=" ", actor=ops)
    with pytest.raises(Refused, match="not resolved"):
        services.reopen(ticket, actor=ops, by_customer=False)
    assert (TicketEvent.objects.count(), TicketText.objects.count()) == before
    ticket.refresh_from_db()
    assert ticket.response_state == "in_flight"


@pytest.mark.parametrize("body", ["", " \n\t"])
def test_empty_words_are_told_so(ticket, ops, chen, body):
    for say in (services.answer, services.note):
        with pytest.raises(Refused):
            say(ticket, body=body, actor=ops)
    with pytest.raises(Refused):
        services.customer_says(ticket, body=body, actor=chen)


def test_a_text_of_a_books_length_is_refused(ticket, ops):
    with pytest.raises(Refused, match="20000"):
        services.answer(ticket, body="x" * 20_001, actor=ops)


def test_a_breach_is_dated_by_its_due_however_late_anybody_looks(ticket, clock, ops):
    clock.at("18:00")
    sweep(clock.now)
    ticket.refresh_from_db()
    assert (ticket.response_state, ticket.resolution_state) == ("breached", "breached")
    found = Outcome.objects.get(clock="response")
    assert found.decided_at == ticket.created_at + timedelta(minutes=30)
    services.answer(ticket, body="Sorry.", actor=ops)
    assert decisions(ticket) == [("breached", "")]


def test_reopening_takes_the_decision_back_and_says_why(ticket, clock, ops, chen):
    clock.at("10:50")
    services.resolve(ticket, body="Card replaced.", actor=ops)
    assert (ticket.state, ticket.resolution_state) == ("resolved", "met")
    clock.at("12:50")
    services.reopen(ticket, actor=chen, by_customer=True, body="Still stops.")
    assert (ticket.state, ticket.resolution_state) == ("open", "in_flight")
    clock.at("13:10")
    services.resolve(ticket, body="Riser replaced.", actor=ops)
    assert decisions(ticket, "resolution") == [
        ("met", ""),
        ("in_flight", "reopened"),
        ("met", "resolved"),
    ]


def test_thanks_can_be_passed_over(ticket, clock, ops, chen):
    services.resolve(ticket, body="Done.", actor=ops)
    services.customer_says(ticket, body="Thanks!", actor=chen)
    assert ticket.state == "open"
    services.dismiss(ticket, actor=ops)
    assert (ticket.state, ticket.waits_since) == ("resolved", None)


def test_silence_resolves_and_a_resolved_ticket_closes(ticket, clock, ops, chen):
    services.ask(ticket, body="Which port?", actor=ops, reason="waiting_customer_info")
    clock.at("82:00:01")
    sweep(clock.now)
    ticket.refresh_from_db()
    assert (ticket.state, ticket.resolution_state) == ("resolved", "met")
    clock.at("154:00:01")
    sweep(clock.now)
    ticket.refresh_from_db()
    assert (ticket.state, ticket.wake_at) == ("closed", None)
    with pytest.raises(Refused, match="closed"):
        services.customer_says(ticket, body="Hello?", actor=chen)


def test_a_class_is_changed_by_ops_and_corrected_by_a_manager(ticket, clock, ops, manager):
    clock.at("10:10")
    services.change_class(ticket, to="port", actor=ops)
    assert ticket.resolution_due_at == clock.at("10:15")
    with pytest.raises(Refused, match="manager"):
        services.correct_class(ticket, to="general", reason="so", actor=ops)
    with pytest.raises(Refused, match="reason"):
        services.correct_class(ticket, to="general", reason=" ", actor=manager)
    clock.at("10:20")
    services.correct_class(ticket, to="general", reason="A quota question.", actor=manager)
    assert (ticket.klass, ticket.resolution_due_at) == ("general", clock.at("18:00"))


def test_merging_joins_two_tickets_of_one_customer(ticket, clock, ops, chen, customer):
    clock.at("10:20")
    other = open_ticket(
        customer=customer, subject="Same again", source="portal", klass="complex", actor=chen
    )
    clock.at("10:25")
    services.answer(other, body="We are on it.", actor=ops)
    services.merge(other, into=ticket, actor=ops)
    ticket.refresh_from_db()
    assert (other.state, other.merged_into) == ("merged", ticket)
    assert (ticket.response_state, ticket.response_at) == ("met", clock.now)
    with pytest.raises(Refused, match="merged into another"):
        services.resolve(other, body="Done.", actor=ops)
    clock.at("10:26")
    services.customer_says(other, body="Any news?", actor=chen)
    ticket.refresh_from_db()
    assert ticket.waits_since == clock.now


def test_tickets_of_two_customers_are_never_merged(ticket, make_customer, ops):
    other = open_ticket(customer=make_customer(), subject="Mine", source="portal")
    with pytest.raises(Refused, match="different customers"):
        services.merge(other, into=ticket, actor=ops)
    other.refresh_from_db()
    assert other.merged_into is None


def test_a_call_counts_when_it_was_if_it_is_logged_soon(ticket, clock, ops):
    clock.at("10:20")
    called = clock.now
    logged = clock.at("10:34")
    words = {"actor": ops, "body": "Told them.", "channel": "phone"}
    services.act(ticket, "message", at=called, logged_at=logged, **words)
    assert ticket.response_at == called


def test_a_call_logged_too_late_counts_when_it_is_logged(ticket, clock, ops):
    called, logged = clock.at("10:20"), clock.at("11:00")
    words = {"actor": ops, "body": "Told them.", "channel": "phone"}
    services.act(ticket, "message", at=called, logged_at=logged, **words)
    assert (ticket.response_state, ticket.response_at) == ("breached", logged)


def test_spam_leaves_every_count(ticket, ops):
    services.mark(ticket, kind="spam", actor=ops)
    assert (ticket.response_state, ticket.state) == ("excluded", "spam")
    assert Outcome.objects.get(clock="response").reason == "spam"


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"subject": "  "}, "subject"), ({"klass": "odd"}, "klass")],
)
def test_a_ticket_that_cannot_be_is_refused(customer, fields, field):
    with pytest.raises(Refused) as refused:
        open_ticket(**{"customer": customer, "subject": "x", "source": "portal"} | fields)
    assert set(refused.value.errors) == {field}
    assert not Ticket.objects.exists()


def test_nobody_opens_a_ticket_on_somebody_elses_instance(customer, make_lease):
    with pytest.raises(Refused, match="another customer"):
        open_ticket(customer=customer, subject="x", source="portal", lease=make_lease())


@pytest.mark.parametrize("model", [TicketEvent, Outcome])
def test_facts_of_tickets_cannot_be_changed(ticket, ops, model):
    services.answer(ticket, body="Yes.", actor=ops)
    for change in (
        lambda: model.objects.update(ticket=ticket),
        lambda: model.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()
    assert model.objects.exists()


def test_a_text_can_be_erased_and_the_clocks_stay(ticket, clock, ops):
    services.answer(ticket, body="Your name is known to us.", actor=ops)
    TicketText.objects.all().delete()
    clock.at("12:30")
    sweep(clock.now)
    ticket.refresh_from_db()
    assert ticket.response_state == "met"
