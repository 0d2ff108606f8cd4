"""The node page: the newest examination layer by layer, and what hangs on the node."""

import re
from datetime import timedelta

from django.utils import timezone

from diagnostics.examine.models import Examination, ReadingChange, VisitRequest
from fleet.changes.services import record
from tests import factories
from tests.tickets.conftest import words


def layers(page: str) -> list[str]:
    return re.findall(r"<h3>(\w+)</h3>", page)


def block(page: str, name: str) -> str:
    """The HTML of one layer."""
    found = re.search(
        rf'(?s)<section class="layer[^"]*">(?:(?!<section).)*<h3>{name}</h3>.*?</section>', page
    )
    assert found, name
    return found[0]


def get(ops, fleet) -> str:
    return ops.get(f"/nodes/{fleet.node.pk}/").content.decode()


def test_layers_stand_in_the_order_of_an_examination_with_storage_beside(fleet, ops) -> None:
    r = fleet.reading
    fleet.examined(
        r("disk_space", "storage", "node", "ok", "disk_room"),
        r("lease_container", "runtime", "lease:HT-1", "ok", "container_runs", container="c"),
        r("driver_loaded", "driver", "node", "ok", "driver_is_loaded", version="550"),
        r("node_reachable", "access", "node", "ok", "node_reached"),
    )
    assert layers(get(ops, fleet)) == ["Access", "Driver", "Runtime", "Storage"]


def test_the_lowest_failing_layer_is_marked_and_its_trouble_stands_open(fleet, ops) -> None:
    card = f"gpu:{fleet.cards[0].uuid}"
    r = fleet.reading
    fleet.examined(
        r("gpu_state", "hardware", card, "fail", "gpu_lost", slot="0"),
        r("temperature", "hardware", card, "unknown", "card_not_answering"),
        r("gpu_state", "hardware", f"gpu:{fleet.cards[1].uuid}", "ok", "gpu_answers"),
        r("persistence", "driver", card, "unknown", "layer_below"),
        verdict="fail",
        failing_layer="hardware",
    )
    page = get(ops, fleet)
    hardware, driver = block(page, "Hardware"), block(page, "Driver")
    assert "lowest failing layer: hardware" in page
    assert "lowest" in hardware
    assert "start here" in hardware
    opened = hardware.split("<details")[0]
    assert "The host has lost the card at PCI address 0" in opened
    assert "The card does not answer" in opened
    assert "The card answers." not in opened
    assert "1 check is well" in hardware
    assert "1 check could not be judged, because a layer below failed" in driver
    assert "is-unknown" in driver
    assert "is-ok" not in driver


def test_values_stand_with_their_units_unless_the_sentence_tells_them(fleet, ops) -> None:
    card = f"gpu:{fleet.cards[0].uuid}"
    values = {"temperature_c": 91, "margin_c": 3, "power_w": 312.5, "width_x": 16, "none_w": None}
    fleet.examined(
        fleet.reading("temperature", "hardware", card, "warn", "heat_margin_warn", **values)
    )
    text = words(ops.get(f"/nodes/{fleet.node.pk}/"))
    assert "91 °C, only 3 °C below the card's limit. none – power 312.5 W width x16" in text


def test_cards_show_what_the_newest_visit_measured_and_a_dash_for_the_rest(fleet, ops) -> None:
    measured = {
        fleet.cards[0].uuid: {
            "temperature_c": 66, "power_w": 412.0, "limit_w": 450.0, "util_pct": 0,
            "memory_used_mib": 18432, "memory_total_mib": 24564, "gen": 4, "width_x": 16,
        }
    }  # fmt: skip
    fleet.examined(facts={"measured": measured, "driver": "550.144.03"})
    text = words(ops.get(f"/nodes/{fleet.node.pk}/"))
    assert "66 °C 412 / 450 W 0 % 18,432 / 24,564 MiB Gen 4 x16 Qinglan Lab" in text
    assert "unknown – – – – – spare" in text
    assert "Driver 550.144.03" in text


def test_leases_ports_findings_changes_and_turned_verdicts_stand_on_the_page(fleet, ops) -> None:
    fleet.examined(
        fleet.reading("access_path", "access", f"path:{fleet.path.pk}", "fail", "path_sshd_down"),
        verdict="fail",
    )
    fleet.dead_port()
    now = timezone.now()
    visit = Examination.objects.create(
        node=fleet.node, started_at=now, ended_at=now, examiner="e", reached="ok", verdict="fail"
    )
    ReadingChange.objects.create(
        node=fleet.node, examination=visit, at=now, probe="access_path",
        target=f"path:{fleet.path.pk}", before="ok", after="fail", reason="path_sshd_down",
    )  # fmt: skip
    record(kind="driver_changed", node=fleet.node, data={"before": "535", "after": "550"})
    record(kind="host_key_pinned", node=fleet.node, actor=fleet.people["ops"])
    text = words(ops.get(f"/nodes/{fleet.node.pk}/"))
    assert "ssh -p 22022 root@gw.example.net" in text
    assert "SSH service in the container not running" in text
    assert re.search(r"Published port from outside SSH port gw.example.net:22022 +ok +fail", text)
    assert "Driver version changed before 535 · after 550".replace(" · ", " ") in text
    assert "Host key trusted Lin Yue" in text


def test_a_change_is_told_in_words_not_in_stored_form(fleet, ops) -> None:
    fleet.examined()
    data = {"container": ["hh-1", "hh-2"], "limits": [{"disk_gib": 10}, {"disk_gib": 20}]}
    record(kind="lease_changed", lease=fleet.lease, data=data)
    text = words(ops.get(f"/nodes/{fleet.node.pk}/"))
    assert "Container hh-1 → hh-2" in text
    assert "Limits disk gib 10 → disk gib 20" in text


def test_a_node_that_is_not_enrolled_shows_that_step_and_promises_no_visit(fleet, ops) -> None:
    fleet.node.state = "enrolling"
    fleet.node.save()
    text = words(ops.get(f"/nodes/{fleet.node.pk}/"))
    assert "Enrol this node" in text
    assert "the first one is on its way" not in text
    assert "Examine now" not in text


def test_a_node_never_examined_says_so_and_claims_nothing(fleet, ops) -> None:
    page = ops.get(f"/nodes/{fleet.node.pk}/")
    assert "not examined yet" in words(page)
    assert "is-ok" not in page.content.decode()


def test_old_readings_are_shown_as_old_and_the_verdict_is_unknown(fleet, ops) -> None:
    fleet.examined(fleet.reading("node_reachable", "access", "node", "ok", "node_reached"), ago=400)
    text = words(ops.get(f"/nodes/{fleet.node.pk}/"))
    assert "too old to say how the node is now" in text
    assert re.search(r"unknown examined 6 min ago", text)


def test_a_lease_the_order_system_is_silent_about_is_marked(fleet, ops) -> None:
    fleet.lease.confirmed_at = timezone.now() - timedelta(minutes=16)
    fleet.lease.save()
    assert "Not confirmed by the order system lately" in words(ops.get(f"/nodes/{fleet.node.pk}/"))


def test_examine_now_queues_one_visit_and_the_page_shows_it(fleet, ops) -> None:
    for _ in range(2):
        page = ops.post(f"/nodes/{fleet.node.pk}/examine", follow=True)
    assert VisitRequest.objects.filter(node=fleet.node, state="queued").count() == 1
    assert "Examination queued" in words(page)
    assert "The examination is queued" in words(page)


def test_a_manager_sees_no_buttons_that_would_be_refused(fleet, sign_in) -> None:
    page = sign_in("manager").get(f"/nodes/{fleet.node.pk}/").content.decode()
    assert "/examine" not in page
    assert "/enrol/" not in page


def test_a_probe_or_reason_of_another_version_does_not_break_the_page(fleet, ops) -> None:
    reading = fleet.reading("gone_probe", "hardware", "gpu:GPU-1", "fail", "gone_reason", a="b")
    fleet.examined({**reading, "verdict": "odd"}, verdict="odd")
    fleet.lost_card(code="gone_code", reason="gone_reason", severity="odd", layer="odd")
    text = words(ops.get(f"/nodes/{fleet.node.pk}/"))
    assert "gone_probe" in text
    assert "gone_code" in text
    assert ops.get("/board/").status_code == 200


def test_many_cards_and_leases_cost_no_more_queries(
    fleet, ops, django_assert_max_num_queries
) -> None:
    for _ in range(6):
        lease = factories.make_lease(node=fleet.node, customer=fleet.customer)
        factories.make_path(lease=lease)
        factories.make_gpu(node=fleet.node)
        fleet.lost_card(target=f"gpu:{lease.pk}", root=None)
    with django_assert_max_num_queries(24):
        ops.get(f"/nodes/{fleet.node.pk}/")
