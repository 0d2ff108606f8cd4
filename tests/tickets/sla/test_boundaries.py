"""Limits include themselves; at one instant our acts come before the customer's."""

import pytest

from tests.tickets.sla.story import ask, event, many, one, policy, reply, solve, ticket, word

LATER = "2026-04-20T00:00:00Z"
RIGHT = {"class": "port", "by": "manager", "reason": "so"}
EDGES = {
    # name: (events up to the limit, the same just after it, ticket's fields)
    "reopening": (
        [solve("10:10"), word("2026-04-17T10:10:00Z")],
        [solve("10:10"), word("2026-04-17T10:10:00.001Z")],
        {},
    ),
    "refiring": (
        [event("10:09", "source_recovered"), event("10:24", "source_fired")],
        [event("10:09", "source_recovered"), event("10:24:00.001", "source_fired")],
        {"source": "alert"},
    ),
    "a call": (
        [reply("10:20", channel="phone", logged_at="10:35")],
        [reply("10:20", channel="phone", logged_at="10:35:00.001")],
        {},
    ),
    "a dismissal": (
        [solve("10:10"), word("10:20"), event("10:50", "dismissed")],
        [solve("10:10"), word("10:20"), event("10:50:00.001", "dismissed")],
        {},
    ),
    "a correction": (
        [event("2026-04-15T10:00:00Z", "corrected", **RIGHT)],
        [event("2026-04-15T10:00:00.001Z", "corrected", **RIGHT)],
        {},
    ),
    "a class found": (
        [event("10:03", "class_set", to="port")],
        [event("10:03:00.001", "class_set", to="port")],
        {},
    ),
}


@pytest.mark.parametrize("name", EDGES)
def test_the_limit_still_counts_and_a_millisecond_later_does_not(name):
    within, beyond, fields = EDGES[name]
    assert one(*within, now=LATER, **fields)["refused"] == []
    assert len(one(*beyond, now=LATER, **fields)["refused"]) == 1


@pytest.mark.parametrize(("stop", "state"), [("10:30", "met"), ("10:30:00.001", "breached")])
def test_a_stop_at_due_is_met(stop, state):
    assert one(reply(stop))["response"]["state"] == state


def test_due_itself_is_not_late():
    assert one(now="10:30")["response"]["state"] == "in_flight"
    assert one(now="10:30:00.001")["response"]["state"] == "breached"


def test_a_withdrawal_at_due_still_counts():
    assert one(event("10:30", "cancelled"))["response"]["state"] == "excluded"
    assert one(event("10:30:00.001", "cancelled"))["response"]["state"] == "breached"


def test_a_pause_that_begins_at_due_moves_it_to_its_end():
    found = one(ask("12:00"), event("13:00", "resume"), solve("13:00"))["resolution"]
    assert (found["state"], found["due"][11:16]) == ("met", "13:00")


def test_a_pause_after_due_saves_nothing():
    found = one(ask("12:00:01"), word("13:00"), solve("13:00"))["resolution"]
    assert (found["state"], found["breached_at"][11:16]) == ("breached", "12:00")


def test_a_reopening_of_a_resolve_at_due_moves_it_too():
    found = one(solve("12:00"), event("13:00", "reopened"), solve("13:00:01"))["resolution"]
    assert found["breached_at"][11:16] == "13:00"


def test_a_closing_hour_at_due_moves_nothing():
    hours = {"zone": "UTC", "hours": {"tue": [["09:00", "12:00"]], "wed": [["09:00", "12:00"]]}}
    found = one(now=LATER, policies=[policy(calendar=hours)])["resolution"]
    assert found["breached_at"] == "2026-04-14T12:00:00Z"


TIES = {
    "the answer before the customer's next word": (
        [word("10:10"), reply("10:10")],
        lambda found: not found["next_response"] or found["next_response"][0]["stopped_at"] is None,
    ),
    "a resume before the pause": (
        [ask("10:05"), event("10:10", "resume"), ask("10:10")],
        lambda found: found["state"] == "paused",
    ),
    "a resolve before the customer's word": (
        [solve("10:10"), word("10:10")],
        lambda found: found["state"] == "open",
    ),
    "a pause before the customer's word": (
        [ask("10:10"), word("10:10")],
        lambda found: found["state"] == "open",
    ),
    "a class before a resolve": (
        [event("10:10", "class_changed", to="port"), solve("10:10")],
        lambda found: found["class"] == "port" and not found["refused"],
    ),
    "a recovery before a firing": (
        [event("10:10", "source_recovered"), event("10:10", "source_fired")],
        lambda found: found["state"] == "open" and found["flags"] == ["flap"],
    ),
    "the customer's word before a withdrawal": (
        [word("10:10"), event("10:10", "cancelled")],
        lambda found: found["state"] == "cancelled" and not found["refused"],
    ),
    "the question of consent before its answer": (
        [event("10:10", "consent_asked", text="May we?"), event("10:10", "consent_granted")],
        lambda found: found["state"] == "open" and not found["refused"],
    ),
}


@pytest.mark.parametrize("name", TIES)
@pytest.mark.parametrize("turned", [False, True])
def test_at_one_instant(name, turned):
    events, holds = TIES[name]
    source = "alert" if "firing" in name else "portal"
    assert holds(one(*(reversed(events) if turned else events), source=source))


def test_what_happens_by_itself_comes_after_everything_of_its_instant():
    silence = "2026-04-17T10:10:00Z"
    assert one(ask("10:10"), now=silence)["state"] == "resolved"
    assert one(ask("10:10"), word(silence), now=silence)["state"] == "open"
    held = one(ask("10:10", until="11:00"), event("11:00", "resume"))
    assert held["refused"] == []


def test_silence_does_not_solve_what_ended_at_that_instant_or_is_a_hold():
    until = "2026-04-17T10:10:00Z"
    assert one(ask("10:10", until=until), now=until)["state"] == "open"
    assert one(ask("10:10", "customer_requested_hold"), now=LATER)["state"] == "paused"


def test_a_merge_at_an_instant_sees_the_answers_of_that_instant():
    found = many(
        ticket(reply("10:30"), name="A"),
        ticket(event("10:30", "merged_into", into="A"), name="B"),
    )
    assert found["A"]["response"]["state"] == "met"
