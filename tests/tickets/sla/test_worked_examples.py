"""Worked examples of every rule: what was counted, and whether and when it was breached.

Minutes; times are of one day unless dated. A clock that is excluded is None.
"""

import pytest

from tests.tickets.sla.story import ask, event, many, one, policy, reply, solve, ticket, word

OFFICE = {
    "zone": "Asia/Shanghai",
    "hours": {day: [["09:00", "18:00"]] for day in ("mon", "tue", "wed", "thu", "fri")},
}
ONE_TICKET = {
    # name: (ticket's fields, events, response minutes, its breach, resolution minutes, its breach)
    "1 answered and solved": ({}, [reply("10:12:30"), solve("11:20")], 12.5, None, 80, None),
    "2 equal is met": ({}, [reply("10:30"), solve("12:00")], 30, None, 120, None),
    "3 a second later is not": (
        {},
        [reply("10:30:01"), solve("12:00:01")],
        1801 / 60,
        "10:30",
        7201 / 60,
        "12:00",
    ),
    "4 a machine is no person": (
        {},
        [event("10:00:05", "message", author="bot", text="Hello."), reply("10:41"), solve("11:00")],
        41,
        "10:30",
        60,
        None,
    ),
    "5 notes, assignments and acknowledgements are no answer": (
        {},
        [
            event("10:05", "note", text="Looked."),
            event("10:06", "assigned", to="lin"),
            event("10:07", "acknowledged"),
            reply("10:29"),
            solve("11:00"),
        ],
        29,
        None,
        60,
        None,
    ),
    "6 an answer and a pause in one act": (
        {},
        [ask("10:20"), word("14:20"), solve("15:00")],
        20,
        None,
        60,
        None,
    ),
    "8 the customer's word resumes, not the screen": (
        {},
        [ask("10:30"), word("11:10"), event("13:00", "state"), solve("13:10")],
        30,
        None,
        150,
        "12:40",
    ),
    "9 an auto-reply resumes nothing": (
        {},
        [ask("10:15"), word("11:00", auto_submitted=True), word("16:15"), solve("17:00")],
        15,
        None,
        60,
        None,
    ),
    "11 two pauses in one minute": (
        {},
        [
            ask("10:20:05"),
            word("10:20:25"),
            ask("10:20:40"),
            word("10:35:40"),
            solve("12:15"),
        ],
        1205 / 60,
        None,
        7180 / 60,
        None,
    ),
    "13 reopened": (
        {},
        [
            reply("10:05"),
            solve("10:50"),
            event("12:50", "reopened"),
            reply("13:05"),
            solve("14:10"),
        ],
        5,
        None,
        130,
        "14:00",
    ),
    "20 loose, then strict": (
        {"class": "general"},
        [reply("10:10"), event("12:30", "class_changed", to="complex"), solve("14:00")],
        10,
        None,
        240,
        None,
    ),
    "21 strict, then loose, too late": (
        {"class": "port"},
        [reply("10:03"), event("10:12", "class_changed", to="complex"), solve("11:00")],
        3,
        None,
        60,
        "10:05",
    ),
    "34 recovered by itself": (
        {"source": "alert"},
        [event("10:09", "source_recovered")],
        None,
        None,
        9,
        None,
    ),
    "37 done by a machine and proved": (
        {"class": "port"},
        [event("10:03:20", "automated_done", verified=True)],
        200 / 60,
        None,
        200 / 60,
        None,
    ),
    "39 consent": (
        {},
        [
            event("10:10", "consent_asked", text="May we reboot?"),
            event("10:50", "consent_granted"),
            solve("11:45"),
        ],
        10,
        None,
        65,
        None,
    ),
    "42 fires again": (
        {"source": "alert"},
        [
            reply("10:05"),
            event("10:10", "source_recovered"),
            event("10:14", "source_fired"),
            solve("10:40"),
        ],
        5,
        None,
        36,
        None,
    ),
    "43 a call logged too late counts when logged": (
        {},
        [reply("10:20", channel="phone", logged_at="11:00"), solve("11:10")],
        60,
        "10:30",
        70,
        None,
    ),
    "46 withdrawn": ({}, [event("10:08", "cancelled")], None, None, None, None),
}


def minutes(clock):
    return None if clock["seconds"] is None else clock["seconds"] / 60


def breach(clock):
    return clock["breached_at"] and clock["breached_at"][11:16]


@pytest.mark.parametrize("name", ONE_TICKET)
def test_one_ticket(name):
    fields, events, *expected = ONE_TICKET[name]
    found = one(*events, **fields)
    response, resolution = found["response"], found["resolution"]
    figures = minutes(response), breach(response), minutes(resolution), breach(resolution)
    assert figures == pytest.approx(tuple(expected))
    assert found["flags"] is not None


def test_after_the_reopen_window_a_new_ticket_has_new_clocks():
    late = "2026-04-19T"
    found = many(
        ticket(reply("10:05"), solve("10:50"), word(f"{late}10:00:00Z")),
        ticket(
            reply(f"{late}10:20:00Z"),
            solve(f"{late}11:00:00Z"),
            name="T2",
            start=f"{late}10:00:00Z",
        ),
        now=f"{late}23:00:00Z",
    )
    assert [minutes(found[name]["response"]) for name in ("T1", "T2")] == [5, 20]
    assert [minutes(found[name]["resolution"]) for name in ("T1", "T2")] == [50, 60]
    assert found["T1"]["refused"][0]["reason"] == "closed"


def test_a_merged_ticket_counts_once_from_the_earlier_start():
    found = many(
        ticket(solve("11:30"), name="A"),
        ticket(reply("10:25"), event("10:40", "merged_into", into="A"), name="B", start="10:20"),
    )
    assert (minutes(found["A"]["response"]), minutes(found["A"]["resolution"])) == (25, 90)
    assert {found["B"][name]["excluded_reason"] for name in ("response", "resolution")} == {
        "merged"
    }


def test_a_broadcast_answers_every_linked_ticket_once():
    shared = {
        "id": "I",
        "events": [event("10:50", "broadcast", author="staff", text="The switch is down.")],
    }
    found = many(
        ticket(reply("10:10"), solve("11:40"), name="X", parent="I"),
        ticket(solve("11:40"), name="Y", start="10:25", parent="I"),
        incidents=[shared],
    )
    assert [minutes(found[name]["response"]) for name in "XY"] == [10, 25]
    assert [minutes(found[name]["resolution"]) for name in "XY"] == [100, 75]


def test_a_correction_prints_both_outcomes():
    found = one(
        reply("10:03"),
        event("10:12", "class_changed", to="complex"),
        event("10:20", "corrected", **{"class": "complex", "by": "manager", "reason": "a mistake"}),
        solve("11:00"),
        **{"class": "port"},
    )
    assert (minutes(found["resolution"]), found["resolution"]["state"]) == (60, "met")
    assert found["original"]["resolution"]["breached_at"].endswith("10:05:00Z")
    assert found["original"]["class"] == "complex"


@pytest.mark.parametrize(
    ("start", "said", "breached"), [("10:00", "10:45", 0), ("10:16", "11:00", 1)]
)
def test_a_ticket_keeps_the_version_in_force_at_its_start(start, said, breached):
    versions = [policy(1, response=3600), policy(2, "2026-04-14T10:15:00Z", response=1800)]
    found = one(reply(said), start=start, policies=versions)
    assert found["response"]["state"] == ("met", "breached")[breached]
    assert found["policy_version"] == 1 + breached


def test_a_night_with_a_change_of_clocks_counts_real_minutes():
    found = one(
        reply("2026-03-29T03:10:00+02:00"),
        start="2026-03-29T01:50:00+01:00",
    )
    assert minutes(found["response"]) == 20


def test_office_hours_count_and_the_weekend_does_not():
    found = one(
        reply("2026-04-20T09:15:00+08:00"),
        start="2026-04-17T17:50:00+08:00",
        policies=[policy(calendar=OFFICE)],
        now="2026-04-21T00:00:00Z",
    )
    assert minutes(found["response"]) == 25
    assert found["response"]["due"] == "2026-04-20T01:20:00Z"
