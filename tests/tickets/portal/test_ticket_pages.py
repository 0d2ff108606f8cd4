"""A customer's tickets: one sentence opens one, both clocks show, and whose turn it is."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from diagnostics.examine.models import VisitRequest
from tests import factories
from tests.tickets.conftest import words
from tickets.cases import services
from tickets.cases.models import Ticket
from tickets.cases.settle import sweep
from tickets.portal.cases import live


def report(client, fleet, body="My port does not answer.", **fields):
    said = {"lease": fleet.lease.pk, "body": body} | fields
    return client.post("/my/tickets/new", said)


def test_the_instance_leads_to_the_report_with_itself_chosen(fleet, customer):
    page = customer.get(f"/leases/{fleet.lease.pk}/").content.decode()
    assert f"/my/tickets/new?lease={fleet.lease.pk}" in page
    form = customer.get(f"/my/tickets/new?lease={fleet.lease.pk}").content.decode()
    assert f'value="{fleet.lease.pk}" selected' in form


def test_one_sentence_opens_a_ticket_with_what_we_know(fleet, customer):
    fleet.dead_port()
    answer = report(customer, fleet)
    made = Ticket.objects.get()
    assert answer["Location"] == f"/my/tickets/{made.pk}/"
    assert (made.klass, made.code, made.lease) == ("port", "container_sshd_down", fleet.lease)
    assert VisitRequest.objects.filter(node=fleet.node).exists()
    page = words(customer.get(f"/my/tickets/{made.pk}/"))
    assert "My port does not answer." in page
    assert "What we measured" in page
    assert "It is our turn: a person answers by" in page


def test_without_a_fault_the_ticket_is_general_and_says_what_we_saw(fleet, customer):
    report(customer, fleet)
    made = Ticket.objects.get()
    assert (made.klass, made.code) == ("general", "")
    assert "We saw nothing wrong" in words(customer.get(f"/my/tickets/{made.pk}/"))


def test_a_second_press_opens_no_second_ticket(fleet, customer):
    first, second = report(customer, fleet), report(customer, fleet)
    assert first["Location"] == second["Location"]
    assert Ticket.objects.count() == 1


@pytest.mark.parametrize("body", ["", "  \n "])
def test_nothing_said_opens_nothing(fleet, customer, body):
    answer = report(customer, fleet, body)
    assert answer.status_code == 422
    assert not Ticket.objects.exists()


def test_somebody_elses_instance_cannot_be_reported(fleet, customer):
    answer = report(customer, fleet, lease=fleet.other_lease.pk)
    assert answer.status_code == 422
    assert not Ticket.objects.exists()


def test_a_flood_is_stopped_with_a_word(fleet, customer):
    cache.clear()
    for number in range(21):
        answer = report(customer, fleet, f"Report {number}")
    assert answer.status_code == 422
    assert "within one hour" in words(answer)
    assert Ticket.objects.count() == 20


def test_whose_turn_it_is_follows_the_ticket(fleet, customer):
    ticket, ops = fleet.ticket, fleet.people["ops"]
    address = f"/my/tickets/{ticket.pk}/"
    services.ask(ticket, body="Which port?", actor=ops, reason="waiting_customer_info")
    page = words(customer.get(address))
    assert "It is your turn" in page
    assert "Paused" in page
    customer.post(f"{address}say", {"body": "22022"})
    assert "we answer your message by" in words(customer.get(address))
    services.answer(ticket, body="Thanks.", actor=ops)
    assert "we work on it, due" in words(customer.get(address))
    sweep(timezone.now() + timedelta(days=1))
    assert "We are late" in words(customer.get(address))


def test_works_and_does_not_work(fleet, customer):
    ticket = fleet.ticket
    services.resolve(ticket, body="Riser replaced.", actor=fleet.people["ops"])
    address = f"/my/tickets/{ticket.pk}/"
    assert "Does it work?" in words(customer.get(address))
    for _ in range(2):
        customer.post(f"{address}works")
    page = words(customer.get(address))
    assert page.count("The customer says that it works") == 1
    customer.post(f"{address}fails", {"body": "Stopped again."})
    ticket.refresh_from_db()
    assert ticket.state == "open"
    assert "Stopped again." in words(customer.get(address))


def test_an_ended_ticket_takes_no_word_and_shows_the_way(fleet, customer):
    address = f"/my/tickets/{fleet.ticket.pk}/"
    customer.post(f"{address}withdraw")
    page = customer.get(address).content.decode()
    assert "Report a problem" in page
    assert f"{address}say" not in page
    answer = customer.post(f"{address}say", {"body": "Hello?"})
    assert answer.status_code == 422
    assert "Hello?" in answer.content.decode()


def test_nothing_of_another_customer_is_met(fleet, sign_in):
    stranger, pk = sign_in("stranger"), fleet.ticket.pk
    assert "Training stopped" not in words(stranger.get("/my/tickets/"))
    for act in ("say", "works", "fails", "withdraw"):
        assert stranger.post(f"/my/tickets/{pk}/{act}", {"body": "x"}).status_code == 404
    assert not live.MY_TICKET.may_see(fleet.people["stranger"], str(pk))
    assert not live.MY_TICKETS.may_see(fleet.people["stranger"], str(fleet.customer.pk))
    assert not live.MY_TICKET.may_see(fleet.people["ops"], str(pk))


def test_internal_acts_are_never_told(fleet, customer):
    ticket, ops = fleet.ticket, fleet.people["ops"]
    services.note(ticket, body="Customer is difficult.", actor=ops)
    services.assign(ticket, to=ops, actor=ops)
    services.acknowledge(ticket, actor=ops)
    page = words(customer.get(f"/my/tickets/{ticket.pk}/"))
    for secret in ("difficult", "Assigned", "Acknowledged"):
        assert secret not in page


@pytest.mark.parametrize("path", ["/my/tickets/", "/my/tickets/{pk}/"])
def test_more_rows_need_the_same_queries(fleet, customer, path):
    counts = []
    for _ in range(2):
        for _ in range(8):
            factories.make_ticket(lease=fleet.lease)
            services.answer(fleet.ticket, body="Yes.", actor=fleet.people["ops"])
        with CaptureQueriesContext(connection) as queries:
            assert customer.get(path.format(pk=fleet.ticket.pk)).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 20


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_pages_speak_the_readers_language(fleet, customer, language):
    person = fleet.people["customer"]
    person.language = language
    person.save()
    page = words(customer.get(f"/my/tickets/{fleet.ticket.pk}/"))
    assert ("轮到我们" in page) == (language == "zh-hans")
