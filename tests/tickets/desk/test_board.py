"""The board: what is wrong, the worst and longest first, each with what decided and what to do."""

import re
from datetime import timedelta

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from diagnostics.examine.models import Watch
from fleet.inventory.models import Node
from tests import factories
from tests.tickets.conftest import words


def ids(page: str) -> list[int]:
    return [int(pk) for pk in re.findall(r'<article id="finding-(\d+)"', page)]


def ago(**times: int):
    return timezone.now() - timedelta(**times)


def test_the_worst_stands_first_and_of_the_equally_bad_the_longest_open(fleet, ops) -> None:
    medium = fleet.lost_card(code="pcie_width_degraded", severity="medium", opened_at=ago(days=3))
    port = fleet.dead_port(opened_at=ago(minutes=9))
    young = fleet.lost_card(opened_at=ago(minutes=1))
    old = fleet.lost_card(code="gpu_err_state", opened_at=ago(minutes=20))
    page = ops.get("/board/").content.decode()
    assert ids(page) == [old.pk, young.pk, port.pk, medium.pk]


def test_what_a_customer_feels_stands_before_daytime_work(fleet, ops) -> None:
    planned = fleet.lost_card(opens="worklist", opened_at=ago(days=2))
    felt = fleet.dead_port(severity="medium")
    assert ids(ops.get("/board/").content.decode()) == [felt.pk, planned.pk]


def test_consequences_are_folded_under_their_root_and_lift_it(fleet, ops) -> None:
    other = fleet.dead_port()
    root = fleet.lost_card(code="xid_unknown", severity="low", opens="record")
    fleet.lost_card(code="gpu_missing", target="node", gpu=None, root=root)
    page = ops.get("/board/")
    assert ids(page.content.decode()) == [root.pk, other.pk]
    assert "1 consequence" in words(page)
    assert "Fewer GPUs than the lease says" in words(page)


def test_a_finding_whose_root_has_cleared_stands_by_itself_again(fleet, ops) -> None:
    root = fleet.lost_card(state="cleared", cleared_at=timezone.now())
    left = fleet.dead_port(root=root)
    assert ids(ops.get("/board/").content.decode()) == [left.pk]


def test_a_row_says_what_where_whom_why_and_what_next(fleet, ops) -> None:
    fleet.lost_card(opened_at=ago(minutes=12, seconds=3))
    page = ops.get("/board/")
    text = words(page)
    for said in (
        "GPU fell off the bus",
        "critical",
        "hardware",
        "sh-r01-n01",
        "R01 · U7",
        "slot 0",
        "Qinglan Lab",
        "The host has lost the card at PCI address 0: it has fallen off the bus.",
        "Next step",
        "Take evidence first",
    ):
        assert said in text
    assert re.search(r'data-tick="clock" data-since="\d{13}"[^>]*>12:0\d<', page.content.decode())


def test_a_fault_of_a_spare_card_hits_no_customer_and_one_of_the_node_hits_all(fleet, ops) -> None:
    spare = fleet.lost_card(gpu=fleet.cards[3], target=f"gpu:{fleet.cards[3].uuid}")
    assert "no customer hit" in words(ops.get("/board/"))
    spare.delete()
    factories.make_lease(node=fleet.node, customer=fleet.other, gpus=fleet.cards[2:])
    factories.make_finding(node=fleet.node)
    text = words(ops.get("/board/"))
    assert "Qinglan Lab" in text
    assert "Northlight" in text


def test_the_largest_thing_is_the_clock_of_the_first_row_only(fleet, ops) -> None:
    first, _second = fleet.lost_card(), fleet.dead_port()
    page = ops.get("/board/").content.decode()
    assert re.findall(r'id="finding-(\d+)" class="finding [\w-]+ lead"', page) == [str(first.pk)]


def test_an_empty_board_says_that_nothing_is_wrong_and_when_we_looked(fleet, ops) -> None:
    fleet.examined(ago=7)
    factories.make_watch(node=fleet.other_lease.node, verdict="ok", examined_at=ago(seconds=20))
    text = words(ops.get("/board/"))
    assert "Nothing is wrong" in text
    assert "All 2 nodes were examined" in text
    assert re.search(r"Last examination [78] s ago", text)


def test_nodes_that_wait_to_be_enrolled_are_not_denied(fleet, ops) -> None:
    Node.objects.all().update(state="enrolling")
    text = words(ops.get("/board/"))
    assert "2 nodes wait to be enrolled" in text
    assert "No nodes yet" not in text


def test_an_empty_board_does_not_pass_unknown_off_as_well(fleet, ops) -> None:
    fleet.examined(ago=3600)
    text = words(ops.get("/board/"))
    assert "Nothing is wrong" not in text
    assert "We do not know enough" in text
    assert "2 nodes were not examined lately" in text


def test_the_strip_counts_verdicts_of_now_and_cards_that_are_out(fleet, ops) -> None:
    fleet.examined(verdict="fail")
    fleet.lost_card()
    text = words(ops.get("/fleet/strip"))
    assert re.search(r"2 nodes 1 fail 0 warn 1 unknown 0 ok 1 of 4 cards out", text)


def test_a_count_of_cards_that_is_short_does_not_take_the_others_out(fleet, ops) -> None:
    fleet.lost_card(code="gpu_missing", target="node", gpu=None)
    assert "0 of 4 cards out" in words(ops.get("/fleet/strip"))
    factories.make_finding(node=fleet.node)
    assert "4 of 4 cards out" in words(ops.get("/fleet/strip"))


def test_a_host_that_restarted_has_its_cards_in_use(fleet, ops) -> None:
    restart = {"code": "unplanned_reboot", "layer": "runtime", "severity": "critical"}
    factories.make_finding(node=fleet.node, **restart)
    assert "0 of 4 cards out" in words(ops.get("/fleet/strip"))


def test_of_the_equally_bad_who_hits_a_customer_stands_first(fleet, ops) -> None:
    spare = fleet.cards[3]
    older = fleet.lost_card(gpu=spare, target=f"gpu:{spare.uuid}", opened_at=ago(hours=2))
    felt = fleet.lost_card()
    page = ops.get("/board/").content.decode()
    assert page.index(f'id="finding-{felt.pk}"') < page.index(f'id="finding-{older.pk}"')


def test_a_row_that_does_not_lead_says_the_first_step_only(fleet, ops) -> None:
    fleet.lost_card()
    fleet.dead_port(code="port_unreachable")
    text = words(ops.get("/board/"))
    assert "Repair only the hop that fails" not in text
    assert "Move this one customer, quarantine the card" in text


def test_what_a_host_sends_is_escaped(fleet, ops) -> None:
    fleet.dead_port(reason="path_wrong_banner", values={"banner": "<b onload=x>&"})
    page = ops.get("/board/").content.decode()
    assert "&lt;b onload=x&gt;&amp;" in page
    assert "<b onload" not in page


def test_fifty_findings_cost_the_queries_of_five(fleet, ops) -> None:
    def queries(more: int) -> int:
        for _ in range(more):
            node = factories.make_node(provider=fleet.node.provider, gpus=1)
            card = node.gpus.get()
            factories.make_lease(node=node, customer=fleet.customer, gpus=[card])
            root = factories.make_finding(node=node, gpu=card, target=f"gpu:{card.uuid}")
            factories.make_finding(node=node, code="gpu_missing", root=root)
        with CaptureQueriesContext(connection) as seen:
            assert ops.get("/board/").status_code == 200
        return len(seen)

    assert queries(5) == queries(45)


def test_the_board_is_paged_and_only_its_first_page_leads(fleet, ops) -> None:
    for _ in range(53):
        factories.make_finding(node=factories.make_node(provider=fleet.node.provider))
    first, second = (ops.get(f"/board/?page={n}").content.decode() for n in (1, 2))
    assert (len(ids(first)), len(ids(second))) == (50, 3)
    assert "1–50 of 53" in first
    assert 'href="?page=2"' in first
    assert " lead" in first
    assert "finding of-critical lead" not in second
    assert len(ids(ops.get("/board/?page=junk").content.decode())) == 50
    assert len(ids(ops.get("/board/rows?page=2").content.decode())) == 3


def test_the_page_asks_the_socket_for_the_version_it_shows(fleet, ops) -> None:
    from fleet.live.region import bump

    bump("board")
    page = ops.get("/board/").content.decode()
    assert 'ws-connect="/ws/live?regions=fleet:strip@0,board@1"' in page
    assert 'data-region="board" hx-get="/board/rows?page=1"' in page
    assert Watch.objects.count() == 0
