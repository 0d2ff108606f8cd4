"""Every reason for which an event is ignored, and that what is ignored changes nothing else."""

import pytest

from tests.tickets.sla.story import ask, event, many, one, policy, reply, solve, ticket, word

CONSENT = event("10:10", "consent_asked", text="May we reboot?")
LATER = "2026-04-18T00:00:00Z"
ONLY_MAIL = {"has_portal_login": False}
TWO = [
    policy(1),
    policy(2, "2026-04-14T09:00:00Z", classes={"port": {"response_s": 1, "resolution_s": 1}}),
]
CASES = {
    "a pause of a solved ticket": ([solve("10:10"), ask("10:20")], {}, "not_open"),
    "a pause for parts": ([ask("10:10", "waiting_parts")], {}, "reason_not_allowed"),
    "a pause without a question": ([ask("10:10", text=" \n")], {}, "no_public_text"),
    "a pause with an internal question": ([ask("10:10", public=False)], {}, "no_public_text"),
    "a machine's pause": ([ask("10:10", author="bot")], {}, "no_public_text"),
    "a question to somebody else": ([ask("10:10", to="other")], {}, "no_public_text"),
    "a question nobody reads": ([ask("10:10", channel="portal")], ONLY_MAIL, "not_delivered"),
    "a question that came back": (
        [ask("10:10", id="q"), event("10:12", "bounced", of="q")],
        ONLY_MAIL,
        "not_delivered",
    ),
    "a pause that ends before it begins": ([ask("10:10", until="10:10")], {}, "bad_until"),
    "no pause to end": ([event("10:10", "resume")], {}, "not_paused"),
    "no pause of that reason": (
        [ask("10:10"), event("10:20", "resume", reason="customer_requested_hold")],
        {},
        "not_paused",
    ),
    "a question of consent when solved": ([solve("10:05"), CONSENT], {}, "not_open"),
    "a wordless question of consent": ([event("10:10", "consent_asked")], {}, "no_public_text"),
    "consent nobody asked for": ([event("10:10", "consent_granted")], {}, "no_open_consent"),
    "consent given twice": (
        [CONSENT, event("10:20", "consent_declined"), event("10:21", "consent_granted")],
        {},
        "no_open_consent",
    ),
    "consent after a resolve": (
        [CONSENT, solve("10:20"), event("10:21", "consent_granted")],
        {},
        "no_open_consent",
    ),
    "solved twice": ([solve("10:10"), solve("10:20")], {}, "already_resolved"),
    "solved by silence, said a person": (
        [solve("10:10", reason="no_customer_reply")],
        {},
        "reserved_reason",
    ),
    "solved without a word": ([solve("10:10", text="")], {}, "no_public_text"),
    "solved in a mail that came back": (
        [solve("10:10", id="s"), event("11:00", "bounced", of="s")],
        ONLY_MAIL,
        "not_delivered",
    ),
    "a machine solved what was solved": (
        [solve("10:02"), event("10:03", "automated_done", verified=True)],
        {"class": "port"},
        "already_resolved",
    ),
    "a machine outside self-service": (
        [event("10:03", "automated_done", verified=True)],
        {},
        "not_self_service",
    ),
    "a machine without proof": (
        [event("10:03", "automated_done", verified=False)],
        {"class": "port"},
        "not_verified",
    ),
    "fired long after its recovery": (
        [event("10:09", "source_recovered"), event("10:24:01", "source_fired")],
        {"source": "alert"},
        "flap_window",
    ),
    "reopened while open": ([event("10:10", "reopened")], {}, "not_resolved"),
    "no word to dismiss": ([event("10:10", "dismissed")], {}, "nothing_to_dismiss"),
    "an explicit reopening is no courtesy": (
        [solve("10:10"), event("10:20", "reopened"), event("10:30", "dismissed")],
        {},
        "nothing_to_dismiss",
    ),
    "dismissed too late": (
        [solve("10:10"), word("10:20"), event("10:50:01", "dismissed")],
        {},
        "too_late",
    ),
    "another class when solved": (
        [solve("10:10"), event("10:20", "class_changed", to="general")],
        {},
        "not_open",
    ),
    "no such class": ([event("10:20", "class_changed", to="odd")], {}, "unknown_class"),
    "a class a person found": (
        [event("10:01", "class_set", to="port", author="staff")],
        {},
        "not_by_rule",
    ),
    "a class found too late": ([event("10:03:01", "class_set", to="port")], {}, "too_late"),
    "an unknown class found": ([event("10:01", "class_set", to="odd")], {}, "unknown_class"),
    "a class found twice": (
        [event("10:01", "class_set", to="port"), event("10:02", "class_set", to="general")],
        {},
        "already_set",
    ),
    "corrected by no manager": (
        [event("10:20", "corrected", **{"class": "port", "reason": "so"})],
        {},
        "not_manager",
    ),
    "corrected without a reason": (
        [event("10:20", "corrected", **{"class": "port", "by": "manager", "reason": " "})],
        {},
        "no_reason",
    ),
    "corrected after a day": (
        [
            event(
                "2026-04-15T10:00:01Z",
                "corrected",
                **{"class": "port", "by": "manager", "reason": "so"},
            )
        ],
        {"now": LATER},
        "too_late",
    ),
    "corrected to no class": (
        [event("10:20", "corrected", **{"class": "odd", "by": "manager", "reason": "so"})],
        {},
        "unknown_class",
    ),
    "another policy when solved": (
        [solve("10:10"), event("10:20", "policy_reapplied", version=1)],
        {},
        "not_open",
    ),
    "a policy nobody wrote": (
        [event("10:20", "policy_reapplied", version=9)],
        {},
        "unknown_version",
    ),
    "a policy of tomorrow": (
        [event("10:20", "policy_reapplied", version=3)],
        {"policies": [policy(1), policy(3, "2026-04-15T00:00:00Z")]},
        "unknown_version",
    ),
    "a policy without this class": (
        [event("10:20", "policy_reapplied", version=2)],
        {"policies": [TWO[0], TWO[1] | {"effective_at": "2026-04-14T10:05:00Z"}]},
        "unknown_class",
    ),
    "into nothing": ([event("10:20", "merged_into", into="T9")], {}, "unknown_ticket"),
    "into itself": ([event("10:20", "merged_into", into="T1")], {}, "same_ticket"),
    "merged when solved": (
        [solve("10:10"), event("10:20", "merged_into", into="T1")],
        {},
        "not_open",
    ),
    "a text nobody wrote came back": ([event("10:20", "bounced", of="q")], {}, "unknown_event"),
    "withdrawn when solved": ([solve("10:10"), event("10:20", "cancelled")], {}, "not_open"),
    "withdrawn by staff": ([event("10:20", "cancelled", author="staff")], {}, "not_customer"),
    "a call logged too late": (
        [reply("10:20", channel="phone", logged_at="10:35:01")],
        {},
        "backdate_limit",
    ),
    "anything after the end": ([event("10:05", "spam"), ask("10:20")], {}, "over"),
    "a word after three days": (
        [solve("10:10"), word("2026-04-17T10:10:01Z")],
        {"now": LATER},
        "closed",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_refused(name):
    events, fields, reason = CASES[name]
    refused = one(*events, **fields)["refused"]
    assert [each["reason"] for each in refused] == [reason]


def test_refusals_are_listed_on_the_ticket_that_carries_them():
    found = many(
        ticket(name="A"),
        ticket(
            event("10:10", "merged_into", into="A"),
            event("10:20", "reopened"),
            reply("10:30"),
            name="B",
        ),
    )
    assert found["A"]["refused"] == []
    assert [each["reason"] for each in found["B"]["refused"]] == ["merged"]
    assert found["A"]["response"]["seconds"] == 1800


def test_merges_name_why_they_cannot_be():
    merge = event("10:30", "merged_into", into="A")
    other = many(ticket(name="A", customer="other"), ticket(merge, name="B"))
    assert other["B"]["refused"][0]["reason"] == "other_customer"
    solved = many(ticket(solve("10:20"), name="A"), ticket(merge, name="B"))
    assert solved["B"]["refused"][0]["reason"] == "not_open"
    unborn = many(ticket(name="A", start="10:45"), ticket(merge, name="B"))
    assert unborn["B"]["refused"][0]["reason"] == "not_open"
    circle = many(
        ticket(event("10:20", "merged_into", into="B"), name="A"), ticket(merge, name="B")
    )
    assert circle["B"]["refused"][0]["reason"] == "same_ticket"


@pytest.mark.parametrize("act", [ask("10:10", "waiting_parts"), solve("10:10", reason="automated")])
def test_the_text_of_a_refused_act_is_an_answer_all_the_same(act):
    found = one(act)
    assert found["refused"]
    assert found["response"]["seconds"] == 600


def test_a_text_after_the_end_is_no_answer():
    found = one(event("10:05", "cancelled"), reply("10:10"))
    assert found["response"]["excluded_reason"] == "cancelled"
    assert found["refused"][0]["reason"] == "over"


def test_harmless_events_are_never_refused():
    harmless = [
        event("11:00", kind)
        for kind in ("created", "received", "note", "assigned", "state", "acknowledged")
    ]
    bot = event("11:00", "message", author="bot", text="Hello.")
    empty = event("11:00", "message", author="staff", text="")
    found = one(event("10:05", "spam"), *harmless, bot, empty, event("11:00", "source_fired"))
    assert found["refused"] == []
