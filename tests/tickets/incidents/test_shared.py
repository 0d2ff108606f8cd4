"""Which faults share a cause, decided from where their hosts stand."""

import pytest

from tickets.incidents.shared import Member, groups


def card(number, node, code="thermal_throttling", **places):
    return Member(number, node, code, True, {"node": str(node), **places})


def host(number, node, code="node_unreachable", **places):
    return Member(number, node, code, False, {"node": str(node), **places})


def told(members, **hosts):
    sizes = {tuple(place.split("__")): count for place, count in hosts.items()}
    return [(g.scope, g.key, g.code, len(g.members)) for g in groups(members, sizes)]


def test_hot_cards_of_one_rack_are_one():
    rows = [card(n, n // 4, rack="R3", provider="1") for n in range(12)]
    assert told(rows, rack__R3=8) == [("rack", "R3", "thermal_throttling", 12)]


def test_hot_cards_of_one_host_are_the_hosts():
    rows = [card(n, 1, rack="R3") for n in range(4)]
    assert told(rows, rack__R3=8) == [("node", "1", "thermal_throttling", 4)]


def test_one_hot_card_is_itself():
    assert told([card(1, 1, rack="R3")], rack__R3=1) == []


def test_hot_cards_of_two_racks_are_two():
    rows = [card(n, n, rack=f"R{n // 4}") for n in range(8)]
    assert [(scope, key) for scope, key, _, _ in told(rows)] == [("rack", "R0"), ("rack", "R1")]


@pytest.mark.parametrize(
    ("places", "sizes", "expected"),
    [
        ({"pdu": "P"}, {"pdu__P": 4}, ("pdu", "P")),
        ({"uplink": "U"}, {"uplink__U": 4}, ("uplink", "U")),
        ({"rack": "R"}, {"rack__R": 6}, ("rack", "R")),
        ({"provider": "9"}, {"provider__9": 6}, ("provider", "9")),
        # The narrowest that explains all of them.
        ({"pdu": "P", "provider": "9"}, {"pdu__P": 3, "provider__9": 6}, ("pdu", "P")),
        ({"uplink": "U", "rack": "R"}, {"uplink__U": 3, "rack__R": 3}, ("uplink", "U")),
        ({"rack": "R", "provider": "9"}, {"rack__R": 3, "provider__9": 6}, ("rack", "R")),
    ],
)
def test_silent_hosts_lead_to_what_they_hang_on(places, sizes, expected):
    rows = [host(n, n, **places) for n in range(3)]
    assert [found[:2] for found in told(rows, **sizes)] == [expected]


def test_few_silent_hosts_of_a_large_provider_accuse_nobody():
    rows = [host(n, n, provider="9") for n in range(3)]
    assert told(rows, provider__9=7) == []


def test_the_wider_place_wins_where_it_explains_more():
    rows = [host(n, n, rack=f"R{n // 3}", uplink="U") for n in range(6)]
    assert told(rows, rack__R0=3, rack__R1=3, uplink__U=8) == [
        ("uplink", "U", "node_unreachable", 6)
    ]


def test_power_faults_of_one_pdu_are_one_and_named_by_what_most_have():
    codes = ["unplanned_reboot", "hw_power_brake_slowdown", "unplanned_reboot"]
    rows = [host(n, n, code, pdu="P") for n, code in enumerate(codes)]
    assert told(rows, pdu__P=5) == [("pdu", "P", "unplanned_reboot", 3)]


def test_unlike_faults_share_nothing():
    rows = [host(1, 1, "disk_full", rack="R"), host(2, 2, "unplanned_reboot", rack="R", pdu="P")]
    assert told(rows, rack__R=2, pdu__P=2) == []


def test_every_incident_is_in_one_group_at_most():
    rows = [card(n, n // 2, rack="R", pdu="P") for n in range(6)]
    rows += [host(10 + n, n, pdu="P", rack="R") for n in range(3)]
    found = groups(rows, {("rack", "R"): 3, ("pdu", "P"): 3})
    members = [pk for group in found for pk in group.members]
    assert len(members) == len(set(members)) == 9
