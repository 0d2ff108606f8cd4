"""The fleet list: every node, found by provider, region, verdict and text."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.tickets.conftest import words


def names(page: str) -> list[str]:
    return re.findall(r'<td class="head"><a[^>]*>([^<]+)</a>', page)


@pytest.fixture
def three(fleet):
    """A failing, a well and a never examined node, of two providers and three regions."""
    provider = factories.make_provider(name="Blue Harbour", simulated=True)
    region = factories.make_region(code="gz", name="Guangzhou")
    well = factories.make_node(
        name="gz-r02-n05", provider=provider, region=region, asset_tag="HT-77"
    )
    factories.make_watch(node=well, verdict="ok", examined_at=factories.timezone.now())
    fleet.examined(verdict="fail", failing_layer="hardware")
    fleet.other_lease.node.name = "cd-r09-n01"
    fleet.other_lease.node.save()
    return fleet


def test_the_worst_node_stands_first_and_unknown_before_ok(three, ops) -> None:
    page = ops.get("/fleet/").content.decode()
    assert names(page) == ["sh-r01-n01", "cd-r09-n01", "gz-r02-n05"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("verdict=fail", ["sh-r01-n01"]),
        ("verdict=unknown", ["cd-r09-n01"]),
        ("verdict=ok", ["gz-r02-n05"]),
        ("region=gz", ["gz-r02-n05"]),
        ("text=r09", ["cd-r09-n01"]),
        ("text=ht-77", ["gz-r02-n05"]),
        ("text=Qinglan", ["sh-r01-n01"]),
        ("text=HT-2", ["cd-r09-n01"]),
        ("text=HT", ["sh-r01-n01", "cd-r09-n01", "gz-r02-n05"]),
        ("text=r09&verdict=ok", []),
        ("provider=nonsense", []),
        ("provider=99999999999999999999", []),
        ("verdict=nonsense", []),
        ("text=%25", []),
    ],
)
def test_filters_find_nodes(three, ops, query: str, found: list[str]) -> None:
    response = ops.get(f"/fleet/?{query}")
    assert names(response.content.decode()) == found
    if not found:
        assert "No node matches" in words(response)


def test_a_card_is_found_by_its_uuid_and_a_node_by_its_provider(three, ops) -> None:
    assert names(ops.get(f"/fleet/?text={three.cards[1].uuid}").content.decode()) == ["sh-r01-n01"]
    page = ops.get("/fleet/").content.decode()
    number = re.search(r'<option value="(\d+)">Blue Harbour', page)
    assert number
    found = ops.get(f"/fleet/?provider={number[1]}").content.decode()
    assert names(found) == ["gz-r02-n05"]
    assert f'<option value="{number[1]}" selected>' in found


def test_a_verdict_of_five_minutes_ago_is_unknown(fleet, ops) -> None:
    fleet.examined(verdict="ok", ago=301)
    assert names(ops.get("/fleet/?verdict=ok").content.decode()) == []
    assert "sh-r01-n01" in names(ops.get("/fleet/?verdict=unknown").content.decode())


def test_a_row_tells_cards_customers_findings_and_the_failing_layer(three, ops) -> None:
    three.lost_card()
    text = words(ops.get("/fleet/rows?verdict=fail"))
    assert re.search(r"sh-r01-n01 .*fail hardware .*R01 · U7 \S+ 4 Qinglan Lab 1 5 s ago", text)
    assert "spare" in words(ops.get("/fleet/rows?region=gz"))


def test_fifty_nodes_cost_the_queries_of_five(fleet, ops) -> None:
    def queries(more: int) -> int:
        for _ in range(more):
            node = factories.make_node(provider=fleet.node.provider, gpus=2)
            factories.make_watch(node=node, verdict="ok", examined_at=factories.timezone.now())
            factories.make_lease(node=node, customer=fleet.customer, gpus=list(node.gpus.all()))
            factories.make_finding(node=node)
        with CaptureQueriesContext(connection) as seen:
            assert ops.get("/fleet/").status_code == 200
        return len(seen)

    assert queries(3) == queries(45)


def test_the_list_is_paged_and_keeps_its_filters(fleet, ops) -> None:
    for _ in range(55):
        factories.make_node(provider=fleet.node.provider, asset_tag="T")
    page = ops.get("/fleet/?text=t&page=2").content.decode()
    assert len(names(page)) == 7
    assert 'href="?page=1&amp;text=t"' in page
    assert "51–57 of 57" in page
    assert 'data-region="fleet:page=2&amp;text=t"' in page
    assert 'hx-get="/fleet/rows?page=2&amp;text=t"' in page
    assert "regions=fleet:strip@0,fleet:page%3D2%26text%3Dt@0" in page


def test_an_empty_fleet_says_how_nodes_come(fleet, ops) -> None:
    fleet.people["ops"].drill_mode = False
    fleet.people["ops"].save()
    page = ops.get("/fleet/")
    assert "No nodes yet" in words(page)
    assert 'href="/fleet/import/"' in page.content.decode()
