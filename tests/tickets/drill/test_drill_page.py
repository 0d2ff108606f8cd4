"""The drill page: break simulated nodes and make them well, over the real control socket."""

from fleet.changes.models import Event
from fleet.inventory.models import Node
from tests.tickets.conftest import words


def faults(simulator, name: str = "sh-r01-n01") -> list[str]:
    return [fault.name for fault in simulator.fleet.hosts[name].state.faults]


def test_a_fault_is_injected_on_the_chosen_card_and_listed(fleet, ops, simulator) -> None:
    page = ops.post(
        "/drill/inject", {"node": "sh-r01-n01", "fault": "gpu_off_bus", "gpu": "1"}, follow=True
    )
    assert faults(simulator) == ["gpu_off_bus"]
    assert simulator.fleet.describe("sh-r01-n01")["faults"][0]["gpu"] == 1
    text = words(page)
    assert "Injected on sh-r01-n01, Card" in text
    assert "Card falls off the bus" in text
    assert "The board should name it: GPU fell off the bus" in text


def test_a_card_chosen_for_a_fault_of_the_whole_node_does_not_matter(fleet, ops, simulator) -> None:
    ops.post("/drill/inject", {"node": "sh-r01-n01", "fault": "disk_full", "gpu": "7"})
    assert faults(simulator) == ["disk_full"]


def test_one_fault_is_cleared_and_the_other_stays(fleet, ops, simulator) -> None:
    for fault in ("overheating", "disk_full"):
        ops.post("/drill/inject", {"node": "sh-r01-n01", "fault": fault, "gpu": ""})
    page = ops.post("/drill/clear", {"node": "sh-r01-n01", "fault": "disk_full"}, follow=True)
    assert faults(simulator) == ["overheating"]
    assert "sh-r01-n01 is well again" not in words(page)
    assert "Cleared on sh-r01-n01: Disk fills up." in words(page)
    page = ops.post("/drill/clear", {"node": "sh-r01-n01"}, follow=True)
    assert faults(simulator) == []
    assert "sh-r01-n01 is well again." in words(page)
    assert "Nothing is injected" in words(page)


def test_the_restart_that_a_cure_needs_is_announced_in_the_record(fleet, ops, simulator) -> None:
    for fault in ("disk_full", "driver_hung"):
        ops.post("/drill/inject", {"node": "sh-r01-n01", "fault": fault, "gpu": ""})
    announced = Event.objects.filter(kind="restart_announced", node_id=fleet.node.pk)
    ops.post("/drill/clear", {"node": "sh-r01-n01", "fault": "disk_full"})
    assert not announced.exists()
    ops.post("/drill/clear", {"node": "sh-r01-n01"})
    assert announced.get().actor_id is not None


def test_a_card_the_node_has_not_is_refused_with_those_it_has(fleet, ops, simulator) -> None:
    few = min(simulator.fleet.hosts.values(), key=lambda host: len(host.spec.cards))
    Node.objects.filter(pk=fleet.node.pk).update(name=few.spec.name)
    order = {"node": few.spec.name, "fault": "overheating", "gpu": "7"}
    text = words(ops.post("/drill/inject", order, follow=True))
    if len(few.spec.cards) < 8:
        assert "The node has no GPU “7”. It has:" in text
        assert faults(simulator, few.spec.name) == []


def test_bad_orders_are_told_and_nothing_happens(fleet, ops, simulator) -> None:
    for order in ({"node": "nowhere"}, {"fault": "nothing"}, {"gpu": "99"}, {}):
        sent = {"node": "sh-r01-n01", "fault": "gpu_off_bus", "gpu": "", **order} if order else {}
        response = ops.post("/drill/inject", sent)
        assert response.status_code == 422
        assert 'class="wrong"' in response.content.decode()
    text = words(ops.post("/drill/clear", {"node": "nowhere"}, follow=True))
    assert "There is no such node in the drill." in text
    assert faults(simulator) == []


def test_a_node_of_the_real_fleet_cannot_be_named(fleet, ops, simulator, make_node) -> None:
    make_node(name=list(simulator.fleet.hosts)[1])
    order = {"node": list(simulator.fleet.hosts)[1], "fault": "disk_full", "gpu": ""}
    assert ops.post("/drill/inject", order).status_code == 422
    assert faults(simulator, order["node"]) == []


def test_a_simulator_that_is_down_is_told_on_the_page(fleet, ops) -> None:
    page = ops.get("/drill/")
    assert page.status_code == 200
    assert "The simulator is not running." in words(page)
    assert "Nothing is injected" not in words(page)
    order = {"node": "sh-r01-n01", "fault": "disk_full", "gpu": ""}
    assert "The simulator is not running." in words(ops.post("/drill/inject", order, follow=True))


def test_outside_drill_mode_the_page_explains_and_offers_to_switch(fleet, ops) -> None:
    ops.post("/settings/drill", {})
    page = ops.get("/drill/")
    assert "You are looking at the real fleet" in words(page)
    assert 'action="/drill/inject"' not in page.content.decode()
    ops.post("/settings/drill", {"drill_mode": "on"})
    assert 'action="/drill/inject"' in ops.get("/drill/").content.decode()


def test_every_page_of_the_drill_says_so(fleet, ops, customer) -> None:
    for client, path in ((ops, "/board/"), (customer, "/my/")):
        page = client.get(path)
        assert "drill-mark" in page.content.decode()
        assert "<title>Drill" in page.content.decode()


def test_a_refused_order_keeps_what_was_chosen(fleet, ops, simulator) -> None:
    few = min(simulator.fleet.hosts.values(), key=lambda host: len(host.spec.cards))
    assert len(few.spec.cards) < 8
    Node.objects.filter(pk=fleet.node.pk).update(name=few.spec.name)
    answer = ops.post("/drill/inject", {"node": few.spec.name, "fault": "overheating", "gpu": "7"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert f'value="{few.spec.name}" selected' in page
    assert 'value="overheating" selected' in page
