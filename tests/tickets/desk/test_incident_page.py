"""An incident's page and its place on the board: what, until when, whom, who, one text to all."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from diagnostics.findings.models import Finding
from tests import factories
from tests.tickets.conftest import words
from tickets.cases import services as cases
from tickets.cases.models import Ticket
from tickets.desk.incidents import live
from tickets.incidents import services
from tickets.incidents.models import Incident
from tickets.incidents.pull import pull


@pytest.fixture
def incident(fleet):
    """The customer's card is lost, and they have been told."""
    fleet.lost_card(opens="incident", lease=fleet.lease)
    pull(timezone.now())
    return Incident.objects.get()


def test_the_page_says_what_until_when_whom_and_what_next(fleet, ops, incident):
    page = words(ops.get(f"/incidents/{incident.pk}/"))
    for said in ("fell off the bus", "Next step", "Qinglan Lab", "HT-1", "until the soonest due"):
        assert said in page
    assert "nobody has it" in page


def test_the_board_leads_to_it_and_shows_the_customers_clock(fleet, ops, incident):
    page = ops.get("/board/").content.decode()
    assert f"/incidents/{incident.pk}/" in page
    assert "tick-left" in page


def test_the_soonest_clock_is_first_on_the_board(fleet, ops, incident):
    node = factories.make_node(provider=fleet.node.provider, gpus=1)
    lease = factories.make_lease(node=node, customer=fleet.other)
    old = timezone.now() - timedelta(minutes=20)
    factories.make_finding(node=node, opens="incident", severity="low", opened_at=old)
    pull(timezone.now())
    ticket = Ticket.objects.get(lease=lease)
    cases.change_class(ticket, to="port", actor=fleet.people["ops"])
    page = ops.get("/board/").content.decode()
    low = Finding.objects.get(node=node)
    high = incident.finding
    assert page.index(f"finding-{low.pk}") < page.index(f"finding-{high.pk}")


def test_taking_it_acknowledges_and_is_no_answer(fleet, ops, incident):
    ops.post(f"/incidents/{incident.pk}/take")
    incident.refresh_from_db()
    ticket = Ticket.objects.get()
    assert (incident.owner, ticket.assignee) == (fleet.people["ops"], fleet.people["ops"])
    assert incident.acknowledged_at
    assert ticket.response_state == "in_flight"
    assert "Lin Yue" in words(ops.get("/board/"))


def test_two_people_do_not_both_take_it_unseen(fleet, ops, incident, make_user):
    stale = Incident.objects.get(pk=incident.pk)
    services.take(incident, actor=fleet.people["ops"])
    with pytest.raises(Exception, match="took it a moment ago"):
        services.take(stale, actor=make_user("ops", drill_mode=True))


def test_one_text_answers_every_customer_it_hurts(fleet, ops, sign_in):
    factories.make_lease(node=fleet.node, customer=fleet.other, gpus=fleet.cards[2:3])
    fleet.lost_card(opens="incident", target="node", gpu=None, code="driver_hung")
    pull(timezone.now())
    incident = Incident.objects.get()
    page = ops.get(f"/incidents/{incident.pk}/")
    assert "Send to 2 customers" in words(page)
    done = ops.post(f"/incidents/{incident.pk}/tell", {"body": "The switch is down."}, follow=True)
    assert "2 customers were told" in words(done)
    assert set(Ticket.objects.values_list("response_state", flat=True)) == {"met"}
    for who, ticket in (("customer", fleet.customer), ("stranger", fleet.other)):
        pk = Ticket.objects.get(customer=ticket).pk
        assert "The switch is down." in words(sign_in(who).get(f"/my/tickets/{pk}/"))


def test_telling_nobody_keeps_the_text(fleet, ops, incident):
    cases.withdraw(Ticket.objects.get(), actor=fleet.people["customer"])
    done = ops.post(f"/incidents/{incident.pk}/tell", {"body": "A long text."})
    assert done.status_code == 422


def test_snoozing_needs_a_reason_and_ends_by_itself(fleet, ops, incident):
    address = f"/incidents/{incident.pk}/snooze"
    assert ops.post(address, {"hours": "1", "reason": ""}).status_code == 422
    ops.post(address, {"hours": "1", "reason": "Part arrives at noon."})
    incident.refresh_from_db()
    assert incident.state == "snoozed"
    assert "Part arrives at noon." in words(ops.get(f"/incidents/{incident.pk}/"))
    assert services.wake_late(timezone.now()) == 0
    services.wake_late(timezone.now() + timedelta(hours=1))
    incident.refresh_from_db()
    assert (incident.state, incident.snooze_reason) == ("open", "")


def test_a_recovered_incident_cannot_be_taken(fleet, ops, incident):
    Finding.objects.update(state="cleared", cleared_at=timezone.now())
    pull(timezone.now())
    answer = ops.post(f"/incidents/{incident.pk}/take", follow=True)
    assert "is over" in words(answer)


def test_the_customer_reads_the_fault_in_their_own_language(fleet, customer, incident):
    ticket = Ticket.objects.get()
    address = f"/my/tickets/{ticket.pk}/"
    assert "GPU fell off the bus" in words(customer.get(address))
    person = fleet.people["customer"]
    person.language = "zh-hans"
    person.save()
    assert "掉卡" in words(customer.get(address))


def test_only_staff_of_its_world_see_it(fleet, incident, make_user):
    key = str(incident.pk)
    assert live.INCIDENT.may_see(fleet.people["manager"], key)
    assert not live.INCIDENT.may_see(fleet.people["customer"], key)
    assert not live.INCIDENT.may_see(make_user("ops"), key)


@pytest.mark.parametrize("path", ["/incidents/{pk}/", "/board/"])
def test_more_customers_need_the_same_queries(fleet, ops, path):
    counts = []
    fleet.lost_card(opens="incident", target="node", gpu=None, code="driver_hung")
    for _ in range(2):
        for _ in range(5):
            factories.make_lease(node=fleet.node, customer=fleet.other)
            other = factories.make_node(provider=fleet.node.provider)
            factories.make_finding(node=other, opens="incident")
        Finding.objects.filter(receipt__isnull=False).update(last_seen_at=timezone.now())
        pull(timezone.now())
        pk = Incident.objects.order_by("pk").first().pk
        ops.get(path.format(pk=pk))
        with CaptureQueriesContext(connection) as queries:
            assert ops.get(path.format(pk=pk)).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15
