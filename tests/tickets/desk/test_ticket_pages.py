"""The desk's tickets: the list by time left, one ticket, and what can be done to it."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from fleet.live.rendering import Subscription
from tests import factories
from tests.tickets.conftest import words
from tickets.cases import services
from tickets.cases.models import Ticket
from tickets.desk.cases import live


def write(client, ticket, act, body):
    return client.post(f"/tickets/{ticket.pk}/write", {"act": act, "body": body}, follow=True)


def test_an_empty_list_says_so_and_what_to_do(ops):
    page = words(ops.get("/tickets/"))
    assert "No ticket here" in page
    assert "New ticket" in page


def test_the_list_shows_the_soonest_due_first(fleet, ops):
    late = factories.make_ticket(
        lease=fleet.lease, subject="Older", at=timezone.now() - timedelta(minutes=29)
    )
    new = factories.make_ticket(lease=fleet.lease, subject="Newer")
    page = ops.get("/tickets/").content.decode()
    assert page.index(f"ticket-{late.pk}") < page.index(f"ticket-{new.pk}")
    assert "Qinglan Lab" in page


def test_views_hold_what_they_say(fleet, ops):
    people = fleet.people
    answered = factories.make_ticket(lease=fleet.lease, subject="Answered one")
    services.answer(answered, body="Yes.", actor=people["ops"])
    asked = factories.make_ticket(lease=fleet.lease, subject="Asked one")
    services.ask(asked, body="Which?", actor=people["ops"], reason="waiting_customer_info")
    solved = factories.make_ticket(lease=fleet.lease, subject="Solved one")
    services.resolve(solved, body="Done.", actor=people["ops"])
    services.assign(answered, to=people["ops"], actor=people["ops"])
    fresh = fleet.ticket
    held = {
        "open": {answered, asked, fresh},
        "unanswered": {fresh},
        "mine": {answered},
        "waiting": {asked},
        "resolved": {solved},
        "all": {answered, asked, solved, fresh},
    }
    for view, tickets in held.items():
        page = ops.get(f"/tickets/?view={view}").content.decode()
        assert {t for t in held["all"] if f'id="ticket-{t.pk}"' in page} == tickets, view


@pytest.mark.parametrize("text", ["qinglan", "HT-1", "sh-r01", "stopped", "#{pk}", "{pk}"])
def test_the_search_finds_number_subject_customer_instance_and_node(fleet, ops, text):
    pk = fleet.ticket.pk
    found = ops.get("/tickets/", {"view": "all", "text": text.format(pk=pk)}).content.decode()
    assert f'id="ticket-{pk}"' in found
    assert "No ticket matches" in words(ops.get("/tickets/", {"text": "nothing like it"}))


def test_tickets_of_the_other_world_are_not_listed(fleet, ops, make_ticket):
    real = make_ticket(subject="Of the real fleet")
    assert "Of the real fleet" not in ops.get("/tickets/?view=all").content.decode()
    assert ops.get(f"/tickets/{real.pk}/").status_code == 404


def test_the_page_tells_clocks_conversation_and_what_we_measured(fleet, ops):
    fleet.dead_port()
    page = words(ops.get(f"/tickets/{fleet.ticket.pk}/"))
    for said in ("Training stopped", "It stopped at night.", "Response", "Resolution", "HT-1"):
        assert said in page
    assert "never reads this" in page
    assert "gw.example.net" in page


def test_an_answer_is_public_and_a_note_is_not(fleet, ops, customer):
    write(ops, fleet.ticket, "note", "Ask Lin about the riser.")
    page = words(write(ops, fleet.ticket, "answer", "We are looking at it."))
    assert "Ask Lin about the riser." in page
    theirs = words(customer.get(f"/my/tickets/{fleet.ticket.pk}/"))
    assert "We are looking at it." in theirs
    assert "riser" not in theirs
    fleet.ticket.refresh_from_db()
    assert fleet.ticket.response_state == "met"


def test_asking_pauses_and_resolving_resolves(fleet, ops):
    write(ops, fleet.ticket, "ask", "Which port?")
    fleet.ticket.refresh_from_db()
    assert fleet.ticket.state == "paused"
    ops.post(f"/tickets/{fleet.ticket.pk}/act/resume")
    write(ops, fleet.ticket, "resolve", "Port open again.")
    fleet.ticket.refresh_from_db()
    assert fleet.ticket.state == "resolved"


def test_a_refused_text_stays_in_the_form(fleet, ops):
    services.withdraw(fleet.ticket, actor=fleet.people["customer"])
    answer = write(ops, fleet.ticket, "answer", "A long text somebody wrote.")
    assert answer.status_code == 422
    assert "A long text somebody wrote." in answer.content.decode()
    assert "ended" in words(answer)


def test_acts_that_the_rules_refuse_are_said(fleet, ops):
    answer = ops.post(f"/tickets/{fleet.ticket.pk}/act/reopen", follow=True)
    assert "not resolved" in words(answer)
    assert "no such act" in words(ops.post(f"/tickets/{fleet.ticket.pk}/act/explode", follow=True))


@pytest.mark.parametrize("into", ["", "x", "999999", "²", "9" * 40])
def test_merging_into_nothing_is_said(fleet, ops, into):
    answer = ops.post(f"/tickets/{fleet.ticket.pk}/merge", {"into": into}, follow=True)
    assert "no such ticket" in words(answer)


def test_a_merge_shows_the_way_to_the_other(fleet, ops):
    other = factories.make_ticket(lease=fleet.lease, subject="Same again")
    ops.post(f"/tickets/{other.pk}/merge", {"into": str(fleet.ticket.pk)})
    assert (
        f'href="/tickets/{fleet.ticket.pk}/"' in ops.get(f"/tickets/{other.pk}/").content.decode()
    )


def test_only_a_manager_corrects_and_only_ops_change_the_class(fleet, sign_in):
    address = f"/tickets/{fleet.ticket.pk}/class"
    manager, ops = sign_in("manager"), sign_in("ops")
    assert manager.post(address, {"to": "port"}).status_code == 403
    manager.post(address, {"to": "port", "from_start": "on", "reason": "It was the port."})
    fleet.ticket.refresh_from_db()
    assert fleet.ticket.klass == "port"
    assert "manager" in words(ops.post(address, {"to": "general", "from_start": "on"}, follow=True))
    ops.post(address, {"to": "general"})
    fleet.ticket.refresh_from_db()
    assert fleet.ticket.klass == "general"


def test_staff_open_a_ticket_for_a_caller(fleet, ops):
    said = {"customer": fleet.customer.pk, "lease": "HT-1", "source": "phone", "klass": "port"}
    answer = ops.post(
        "/tickets/new", said | {"subject": "Cannot log in", "body": "Called at noon."}
    )
    made = Ticket.objects.get(subject="Cannot log in")
    assert answer["Location"] == f"/tickets/{made.pk}/"
    assert (made.source, made.response_state) == ("phone", "in_flight")


def test_a_ticket_that_cannot_be_is_refused_beside_its_field(fleet, ops):
    said = {"customer": fleet.other.pk, "lease": "HT-1", "source": "phone", "klass": "port"}
    answer = ops.post("/tickets/new", said | {"subject": "Cannot log in"})
    assert answer.status_code == 422
    assert "another customer" in words(answer)
    assert "Cannot log in" in answer.content.decode()


def test_what_people_write_is_shown_as_text(fleet, ops):
    write(ops, fleet.ticket, "answer", "<script>alert(1)</script>")
    assert b"<script>alert" not in ops.get(f"/tickets/{fleet.ticket.pk}/").content


@pytest.mark.parametrize("path", ["/tickets/?view=all", "/tickets/{pk}/"])
def test_more_rows_need_the_same_queries(fleet, ops, path):
    counts = []
    for _ in range(2):
        for _ in range(8):
            made = factories.make_ticket(lease=fleet.lease, body="Again.")
            services.assign(made, to=fleet.people["ops"], actor=fleet.people["ops"])
            services.answer(fleet.ticket, body="Yes.", actor=fleet.people["ops"])
        with CaptureQueriesContext(connection) as queries:
            assert ops.get(path.format(pk=fleet.ticket.pk)).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15


def test_the_socket_shows_tickets_to_staff_of_their_world_alone(fleet, make_user):
    key, people = str(fleet.ticket.pk), fleet.people
    real = make_user("ops")
    for region, key_seen in ((live.TICKET, key), (live.TICKETS, "page=1&view=open")):
        assert region.may_see(people["ops"], key_seen)
        assert not region.may_see(people["customer"], key_seen)
    assert not live.TICKET.may_see(real, key)
    assert Subscription(live.TICKET, key).name == f"ticket:{key}"
    mine, theirs = (live.TICKETS.audience(people[who], "") for who in ("ops", "manager"))
    assert mine != theirs
