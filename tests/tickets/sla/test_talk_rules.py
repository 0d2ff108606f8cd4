"""The rules in detail: start, answers, pauses, reopening."""

import pytest

from tests.tickets.sla.story import ask, event, one, policy, reply, solve, told, word

ALERT = {"source": "alert"}
MAIL_ONLY = {"has_portal_login": False}


def clock(found, name="resolution"):
    part = found[name]
    return part["state"], part["seconds"], part["due"] and part["due"][11:16]


# Start


def test_a_report_counts_from_its_receipt_and_an_alert_from_its_ticket():
    received = event("09:50", "received")
    assert one(received, reply("10:00"), source="mail")["response"]["seconds"] == 600
    assert one(received, reply("10:10"), **ALERT)["response"]["seconds"] == 600
    assert one(received, reply("10:10"), source="staff")["response"]["seconds"] == 600


def test_a_ticket_not_yet_made_has_no_clocks():
    found = one(start="12:00", now="11:00")
    assert (found["state"], found["class"]) == ("none", "complex")
    assert (found["start"], found["policy_version"], found["tta_seconds"]) == (None, None, None)
    for name in ("response", "resolution"):
        empty = found[name].pop("warn_at"), found[name].pop("automated"), found[name].pop("state")
        assert empty == ([], False, "none")
        found[name].pop("proactive", None), found[name].pop("sticky", None)
        assert set(found[name].values()) == {None}


def test_a_phone_report_counts_from_the_call_once_it_is_logged():
    made = {"id": "T1", "customer": "a", "class": "complex", "source": "phone"}
    made["events"] = [event("10:00", "created", logged_at="10:20")]
    assert told(made, now="10:10")["tickets"][0]["state"] == "none"
    found = told(made, now="10:20")["tickets"][0]
    assert (found["response"]["seconds"], found["flags"]) == (1200, ["backdated"])


def test_what_lies_after_now_has_not_happened():
    found = one(reply("10:10"), ask("11:00", reason="odd"), now="10:05")
    assert (found["response"]["state"], found["refused"]) == ("in_flight", [])


# Answers


@pytest.mark.parametrize(
    ("fields", "counts"),
    [
        ({}, True),
        ({"to": "acme"}, True),
        ({"to": "other"}, False),
        ({"public": False}, False),
        ({"text": " "}, False),
        ({"author": "bot"}, False),
        ({"author": "customer"}, False),
        ({"auto_submitted": True}, False),
        ({"on_behalf": True}, False),
    ],
)
def test_an_answer_is_a_public_text_of_a_person_for_this_customer(fields, counts):
    found = one(event("10:05", "message", **{"author": "staff", "text": "Yes."} | fields))
    assert (found["response"]["stopped_at"] is not None) == counts


def test_a_mail_that_came_back_was_no_answer_unless_the_portal_shows_it():
    events = reply("10:05", id="m"), event("10:06", "bounced", of="m"), reply("10:20")
    assert one(*events)["response"]["seconds"] == 300
    assert one(*events, **MAIL_ONLY)["response"]["seconds"] == 1200


def test_a_broadcast_that_came_back_was_no_answer():
    shared = {"id": "I", "events": [event("10:10", "broadcast", text="Down.", id="b")]}
    events = (event("10:11", "bounced", of="b"),)
    found = one(*events, parent="I", incidents=[shared], **MAIL_ONLY)
    assert (found["response"]["stopped_at"], found["refused"]) == (None, [])


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [({}, 600), ({"author": "bot"}, None), ({"text": ""}, None), ({"channel": "portal"}, None)],
)
def test_a_broadcast_counts_as_any_other_text(fields, seconds):
    said = event("10:10", "broadcast", **{"text": "Down."} | fields)
    found = one(parent="I", incidents=[{"id": "I", "events": [said]}], **MAIL_ONLY)
    assert (found["response"]["stopped_at"] is None) == (seconds is None)


def test_a_broadcast_before_the_start_or_after_the_end_is_no_answer():
    said = {"id": "I", "events": [event("10:10", "broadcast", text="Down.")]}
    early = one(parent="I", incidents=[said], start="10:20")
    assert early["response"]["stopped_at"] is None
    ended = one(event("10:05", "cancelled"), parent="I", incidents=[said])
    assert (ended["response"]["state"], ended["refused"]) == ("excluded", [])


def test_we_were_first_only_if_the_customer_had_said_nothing():
    assert one(reply("10:05"), **ALERT)["response"]["proactive"]
    assert not one(word("10:04"), reply("10:05"), **ALERT)["response"]["proactive"]
    assert one(word("10:05"), reply("10:05"), **ALERT)["response"]["proactive"]
    assert not one(reply("10:05"))["response"]["proactive"]


# Pauses


def test_pausing_never_touches_the_response_clock():
    found = one(ask("10:05", text=""), reply("10:40"))
    assert clock(found, "response") == ("breached", 2400, "10:30")


def test_overlapping_pauses_count_once():
    found = one(
        ask("10:10"),
        ask("10:20", "customer_requested_hold", until="11:00"),
        event("10:40", "resume", reason="waiting_customer_info"),
        solve("11:30"),
    )
    assert (found["resolution"]["seconds"], found["resolution"]["paused_seconds"]) == (2400, 3000)


def test_a_word_of_the_customer_ends_the_hold_and_the_consent_question_too():
    consent = event("10:10", "consent_asked", text="May we?", until="15:00")
    found = one(consent, ask("10:10", "customer_requested_hold"), word("10:20"))
    assert found["state"] == "open"
    granted = one(consent, word("10:20"), event("10:30", "consent_granted"))
    assert granted["refused"] == []


def test_a_paused_clock_is_due_as_if_it_resumed_now():
    assert clock(one(ask("10:30"), now="11:00")) == ("in_flight", 1800, "12:30")


def test_a_pause_after_the_breach_unbreaches_nothing():
    found = one(ask("12:10"), word("14:00"), solve("14:10"))
    assert clock(found) == ("breached", 8400, "12:00")


def test_silence_solves_after_the_policys_time_and_counts_until_the_question():
    found = one(ask("10:15"), policies=[policy(no_reply_s=3600)])
    part = found["resolution"]
    assert (found["state"], part["resolved_reason"]) == ("resolved", "no_customer_reply")
    assert (part["seconds"], part["decided_at"][11:16], part["paused_seconds"]) == (
        900,
        "11:15",
        3600,
    )


# Resolved, closed, reopened


def test_closed_comes_after_the_window():
    assert one(solve("10:10"), now="2026-04-17T10:10:00Z")["state"] == "resolved"
    assert one(solve("10:10"), now="2026-04-17T10:10:00.001Z")["state"] == "closed"


def test_first_and_total_resolution_are_both_told():
    found = one(solve("10:50"), word("12:50"), solve("13:00"))["resolution"]
    assert (found["first_seconds"], found["seconds"]) == (3000, 3600)
    assert (found["wall_seconds"], found["paused_seconds"]) == (10800, 7200)


def test_thanks_dismissed_in_time_reopened_nothing():
    found = one(
        solve("10:50"), word("12:50"), event("12:55", "dismissed"), now="2026-04-17T10:50:00.001Z"
    )
    part = found["resolution"]
    assert (found["state"], part["stopped_at"][11:16], found["flags"]) == ("closed", "10:50", [])
    assert found["next_response"][0]["stopped_at"][11:16] == "12:55"


def test_a_breach_through_dismissed_thanks_is_undone():
    events = [solve("11:59"), word("15:00"), event("15:20", "dismissed")]
    assert clock(one(*events[:2], now="15:10"))[0] == "breached"
    assert clock(one(*events))[0] == "met"


def test_what_happened_through_a_dismissed_reopening_never_was():
    found = one(
        solve("10:50"),
        word("12:50"),
        event("12:52", "class_changed", to="general"),
        event("12:55", "dismissed"),
    )
    assert (found["class"], found["state"]) == ("complex", "resolved")


def test_thanks_at_the_very_end_of_the_window_can_be_dismissed_after_it():
    found = one(
        solve("10:10"),
        word("2026-04-17T10:05:00Z"),
        event("2026-04-17T10:20:00Z", "dismissed"),
        now="2026-04-18T00:00:00Z",
    )
    assert (found["state"], found["refused"]) == ("closed", [])


def test_a_reopening_by_staff_starts_no_next_response():
    found = one(solve("10:50"), event("11:00", "reopened", author="staff"))
    assert (found["next_response"], found["flags"]) == ([], ["reopened"])


def test_until_the_first_answer_the_response_clock_covers_every_word():
    assert one(word("10:05"), reply("10:10"), solve("10:20"))["next_response"] == []
    found = one(solve("10:05", text="x"), event("10:10", "reopened"), now="10:50")
    assert found["next_response"][0]["breached"]
