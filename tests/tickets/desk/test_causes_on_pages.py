"""A shared cause is one row of the board and one page; staff say where an incident belongs."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from diagnostics.examine.models import Blackout, Examination, VisitRequest
from tests import factories
from tests.tickets.conftest import words
from tickets.incidents.models import Incident, TriageMark
from tickets.incidents.pull import pull


def heat(fleet, nodes):
    """Every card of so many hosts of one rack runs hot."""
    now = timezone.now()
    for number in range(nodes):
        node = factories.make_node(
            simulated=True,
            gpus=4,
            name=f"hot-{Incident.objects.count()}-{number}",
            provider=fleet.node.provider,
            region=fleet.node.region,
            rack="R9",
        )
        cards = list(node.gpus.all())
        factories.make_lease(node=node, gpus=cards, customer=fleet.customer)
        for gpu in cards:
            factories.make_finding(
                node=node,
                gpu=gpu,
                target=f"gpu:{gpu.uuid}",
                code="thermal_throttling",
                opens="incident",
                severity="high",
                opened_at=now,
                last_seen_at=now,
            )
    pull(now)


@pytest.fixture
def rack(fleet):
    heat(fleet, 3)
    return Incident.objects.get(scope="rack")


def test_the_board_shows_a_hot_rack_as_one_row(fleet, ops, rack):
    page = ops.get("/board/")
    assert page.content.decode().count('<article id="finding-') == 1
    said = words(page)
    assert "R9" in said
    assert "12 faults together" in said
    assert f"/incidents/{rack.pk}/" in page.content.decode()
    assert fleet.customer.name in said


def test_the_page_of_a_cause_lists_what_is_part_of_it(fleet, ops, rack):
    said = words(ops.get(f"/incidents/{rack.pk}/"))
    assert "Rack" in said
    assert "12 faults together" in said
    assert "Look at the rack first" in said
    assert said.count("hot-0-1") == 4


def test_a_larger_cause_needs_the_same_queries(fleet, ops, rack):
    def cost(url):
        with CaptureQueriesContext(connection) as queries:
            ops.get(url)
        return len(queries)

    ops.get("/board/")
    urls = ("/board/", f"/incidents/{rack.pk}/")
    before = [cost(url) for url in urls]
    heat(fleet, 3)
    assert rack.children.count() == 24
    assert [cost(url) for url in urls] == before
    assert max(before) <= 20


def test_our_own_failed_view_stands_above_the_board(fleet, ops):
    now = timezone.now()
    Blackout.objects.create(
        simulated=True, node=fleet.node, opened_at=now, held_at=now, silent=12, asked=24
    )
    pull(now)
    incident = Incident.objects.get()
    said = words(ops.get("/board/"))
    assert "Our own view of the hosts failed" in said
    assert "All is well" not in said
    page = words(ops.get(f"/incidents/{incident.pk}/"))
    assert "12 of 24 hosts fell silent together." in page


@pytest.fixture
def two(fleet):
    fleet.lost_card(opens="incident")
    fleet.dead_port(opens="incident")
    pull(timezone.now())
    return list(Incident.objects.order_by("pk"))


def test_merging_and_splitting_by_number(ops, two):
    first, second = two
    ops.post(f"/incidents/{second.pk}/merge", {"into": f" !{first.pk} "})
    second.refresh_from_db()
    assert second.parent == first
    assert ops.get("/board/").content.decode().count('<article id="finding-') == 1
    ops.post(f"/incidents/{second.pk}/split")
    second.refresh_from_db()
    assert second.parent is None


@pytest.mark.parametrize("into", ["", "!", "nothing", "999999", "!-1", "1" * 30, "{own}"])
def test_a_merge_that_cannot_be_is_said(ops, two, into):
    own = two[0].pk
    page = ops.post(f"/incidents/{own}/merge", {"into": into.format(own=own)}, follow=True)
    assert page.status_code == 200
    said = words(page)
    assert "no such incident" in said or "cannot go into itself" in said


def test_another_worlds_incident_is_not_there_to_merge_into(ops, two):
    real = factories.make_incident(node=factories.make_node())
    page = ops.post(f"/incidents/{two[0].pk}/merge", {"into": str(real.pk)}, follow=True)
    assert "There is no such incident" in words(page)


def test_the_four_steps_fill_in_by_themselves_and_by_hand(fleet, ops, two):
    url = f"/incidents/{two[0].pk}/"
    said = words(ops.get(url))
    assert "The first ten minutes" in said
    assert "to the goal of ten minutes" in said
    ops.post(f"{url}examine")
    assert VisitRequest.objects.filter(node=fleet.node).exists()
    now = timezone.now()
    factories.make_watch(
        node=fleet.node,
        examined_at=now,
        readings=[{"layer": "hardware", "verdict": "ok"}, {"layer": "driver", "verdict": "fail"}],
        failing_layer="driver",
    )
    Examination.objects.create(
        node=fleet.node,
        started_at=now,
        ended_at=now + timedelta(seconds=2),
        examiner="1",
        asked=True,
        reached="ok",
        verdict="fail",
    )
    assert "1 of 2 checks are fine; the lowest layer that fails: driver" in words(ops.get(url))
    ops.post(f"{url}take")
    assert "done in 0:0" in words(ops.get(url))


def test_a_step_is_marked_once_with_its_note(ops, two):
    url = f"/incidents/{two[0].pk}/"
    for _ in range(2):
        page = ops.post(f"{url}triage", {"step": "deep", "note": "Reseated."}, follow=True)
    assert "done this step already" in words(page)
    assert TriageMark.objects.get().note == "Reseated."
    assert "Reseated." in words(ops.get(url))


@pytest.mark.parametrize(
    "said", [{"step": "else"}, {"step": ""}, {"step": "deep", "note": "x" * 501}]
)
def test_a_mark_that_makes_no_sense_is_refused(ops, two, said):
    page = ops.post(f"/incidents/{two[0].pk}/triage", said, follow=True)
    assert page.status_code == 200
    assert not TriageMark.objects.exists()


def test_closing_needs_a_fault_that_is_gone(ops, two):
    url = f"/incidents/{two[0].pk}/"
    assert "still measured" in words(ops.post(f"{url}close", follow=True))
    finding = two[0].finding
    type(finding).objects.filter(pk=finding.pk).update(state="cleared", cleared_at=timezone.now())
    pull(timezone.now())
    assert "Open it again" in words(ops.get(url))
    ops.post(f"{url}reopen")
    two[0].refresh_from_db()
    assert two[0].state == "open"
    assert "Close it" in words(ops.get(url))
    ops.post(f"{url}close")
    two[0].refresh_from_db()
    assert two[0].state == "recovered"
