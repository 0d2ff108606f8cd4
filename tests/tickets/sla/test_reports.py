"""Reports: which clocks a period counts, and what it says of them."""

import pytest

from tests.tickets.sla.story import event, policy, reply, solve, ticket, told

APRIL = {"from": "2026-04-01", "to": "2026-05-01", "zone": "UTC"}


def figures(*tickets, now="2026-05-10T00:00:00Z", asked=APRIL, **more):
    return told(*tickets, now=now, report=asked, **more)["report"]


def test_shares_are_cut_and_never_rounded_up():
    late = [ticket(reply("11:00"), name=f"l{n}") for n in range(1)]
    good = [ticket(reply("10:05"), name=f"g{n}") for n in range(299)]
    assert figures(*late, *good)["response"]["overall"]["attainment"] == "99.66"
    assert figures()["response"]["overall"]["attainment"] == "n/a"


def test_each_class_and_customer_has_its_block():
    found = figures(
        ticket(reply("10:05")),
        ticket(reply("10:40"), name="T2", customer="beta", **{"class": "port"}),
    )["response"]
    assert set(found["classes"]) == {"complex", "port"}
    assert found["customers"]["acme"]["attainment"] == "100.00"
    assert found["classes"]["port"]["breached"] == 1


def test_midnights_are_those_of_the_zone_each_with_its_own_offset():
    asked = {"from": "2026-03-01", "to": "2026-04-01", "zone": "Europe/Berlin"}
    found = figures(asked=asked)
    assert (found["from"], found["to"]) == ("2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z")
    assert found["seconds"] == 31 * 86400 - 3600


def test_a_report_is_provisional_for_three_days_and_then_frozen():
    early = figures(now="2026-05-03T23:59:59Z")
    assert (early["status"], early["as_of"]) == ("provisional", "2026-05-03T23:59:59Z")
    late = figures(now="2026-05-04T00:00:00Z")
    assert (late["status"], late["as_of"]) == ("frozen", "2026-05-04T00:00:00Z")


def test_a_frozen_report_knows_nothing_of_later_days():
    spam = event("2026-05-05T00:00:00Z", "spam")
    found = figures(ticket(reply("10:05"), spam))
    assert found["response"]["overall"]["met"] == 1
    within = event("2026-05-03T00:00:00Z", "spam")
    found = figures(ticket(reply("10:05"), within))["response"]["overall"]
    assert (found["met"], found["excluded"], found["in_flight"]) == (0, {}, 1)


@pytest.mark.parametrize(("stop", "stopped"), [("10:40", 1), ("2026-05-01T00:00:00Z", 0)])
def test_a_late_clock_is_listed_until_it_stops(stop, stopped):
    found = figures(ticket(reply(stop)))["response"]["overall"]
    assert (found["breached"], found["stopped"]) == (1, stopped)
    assert len(found["open_breached"]) == 1 - stopped


def test_a_ticket_that_ended_is_not_listed_as_running():
    found = figures(ticket(event("12:10", "cancelled")))["resolution"]["overall"]
    assert (found["breached"], found["open_breached"], found["stopped"]) == (1, [], 0)


def test_what_a_machine_did_is_counted_apart():
    done = event("10:02", "automated_done", verified=True)
    found = figures(ticket(done, **{"class": "port"}))["response"]["overall"]
    assert (found["met"], found["automated"]) == (1, 1)


def test_exclusions_are_counted_by_reason():
    found = figures(
        ticket(event("10:02", "spam")),
        ticket(event("10:02", "cancelled"), name="T2"),
        ticket(event("10:02", "source_recovered"), name="T3", source="alert"),
    )
    assert found["response"]["overall"]["excluded"] == {
        "cancelled": 1,
        "self_recovered": 1,
        "spam": 1,
    }
    assert found["resolution"]["overall"]["excluded"] == {"cancelled": 1, "spam": 1}


def test_a_clock_decided_after_the_period_was_in_flight():
    found = figures(ticket(reply("2026-05-01T00:05:00Z"), start="2026-04-30T23:50:00Z"))
    assert found["response"]["overall"]["in_flight"] == 1
    before = figures(ticket(start="2026-05-01T00:00:00Z"))
    assert before["response"]["overall"]["in_flight"] == 0


def test_few_is_said():
    tickets = [ticket(solve(f"10:{n:02d}"), name=f"t{n}") for n in range(1, 21)]
    assert figures(*tickets[:19])["resolution"]["overall"]["small_sample"]
    assert not figures(*tickets)["resolution"]["overall"]["small_sample"]


def test_a_ticket_without_a_version_in_force_is_wrong_input():
    from tests.tickets.sla.story import wrong

    file = {
        "now": "2026-05-01T00:00:00Z",
        "tickets": [ticket()],
        "policies": [policy(1, "2026-04-15T00:00:00Z")],
    }
    assert wrong(file) == "tickets[0]"


def test_what_still_runs_is_counted_up_to_the_end_of_the_period():
    found = figures(ticket(start="2026-04-30T22:00:00Z"), now="2026-05-02T00:00:00Z")
    listed = found["response"]["overall"]["open_breached"]
    assert listed == [{"ticket": "T1", "seconds": 7200}]
