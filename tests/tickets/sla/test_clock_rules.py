"""The rules in detail: class, policy, merges, exclusions, warnings, incidents."""

from tests.tickets.sla.story import ask, event, many, one, policy, reply, solve, ticket, told, word

ALERT = {"source": "alert"}
MAIL_ONLY = {"has_portal_login": False}


def clock(found, name="resolution"):
    part = found[name]
    return part["state"], part["seconds"], part["due"] and part["due"][11:16]


# Class and policy


def test_tightening_gives_the_new_target_from_the_change_on():
    found = one(event("10:30", "class_changed", to="port"), **{"class": "general"})
    assert found["resolution"]["due"][11:16] == "10:35"
    late = one(event("17:58", "class_changed", to="port"), **{"class": "general"})
    assert late["resolution"]["due"][11:16] == "18:00"


def test_loosening_never_makes_due_earlier_and_counts_pauses():
    found = one(
        ask("10:30"), word("11:30"), event("11:40", "class_changed", to="general"), now="12:00"
    )
    assert found["resolution"]["due"][11:16] == "19:00"


def test_a_breach_stays_when_the_class_is_loosened_later():
    found = one(event("10:06", "class_changed", to="general"), solve("11:00"), **{"class": "port"})
    assert clock(found) == ("breached", 3600, "10:05")
    assert found["resolution"]["sticky"]


def test_a_change_at_due_acts_first():
    found = one(event("10:05", "class_changed", to="complex"), **{"class": "port"})
    assert found["resolution"]["due"][11:16] == "12:00"


def test_a_clock_that_stopped_ignores_later_changes():
    strict = policy(2, "2026-04-14T10:15:00Z", response=60)
    found = one(
        reply("10:10"),
        event("10:20", "policy_reapplied", version=2),
        policies=[policy(1), strict],
    )
    assert clock(found, "response") == ("met", 600, "10:30")
    assert found["policy_version"] == 2


def test_the_class_that_the_first_examination_found_counts_from_creation():
    found = one(event("10:02", "class_set", to="port"), solve("10:06"))
    assert clock(found) == ("breached", 360, "10:05")


def test_a_class_changed_before_a_correction_falls_away_and_one_after_it_stands():
    right = {"class": "general", "by": "manager", "reason": "so"}
    found = one(
        event("10:10", "class_changed", to="port"),
        event("10:20", "corrected", **right),
        event("10:30", "class_changed", to="complex"),
        now="11:00",
    )
    assert (found["class"], found["resolution"]["due"][11:16]) == ("complex", "12:30")


def test_the_last_of_two_corrections_counts():
    first = {"class": "general", "by": "manager", "reason": "so"}
    found = one(
        event("10:10", "corrected", **first),
        event("10:20", "corrected", **first | {"class": "port"}),
    )
    assert (found["class"], found["original"]["class"]) == ("port", "complex")


# Merges


def merged(*events, into=(), at="10:40", fields=None, **more):
    """B is absorbed by A."""
    more = {"now": "23:00"} | more
    merge = event(at, "merged_into", into="A")
    tickets = [
        ticket(*into, name="A", **(fields or {})),
        ticket(*events, merge, name="B", start=more.pop("start", "10:00")),
    ]
    return many(*tickets, **more)["A"]


def test_a_breach_of_the_absorbed_ticket_stays():
    found = merged(into=[reply("10:45")], fields={"start": "10:20"})
    assert clock(found, "response") == ("breached", 2700, "10:30")
    assert found["flags"] == []
    kept = merged(into=[reply("10:35")], fields={"start": "10:20"}, at="10:34")
    assert (kept["response"]["breached_at"][11:16], kept["flags"]) == ("10:30", [])


def test_a_breach_that_only_the_merge_keeps_is_marked():
    strict = {
        "complex": {"response_s": 1800, "resolution_s": 7200},
        "port": {"response_s": 60, "resolution_s": 300},
    }
    rules = [policy() | {"classes": strict}]
    found = many(
        ticket(reply("10:20"), name="A"),
        ticket(
            event("10:40", "merged_into", into="A"), name="B", start="10:25", **{"class": "port"}
        ),
        policies=rules,
    )["A"]
    assert found["response"]["breached_at"][11:16] == "10:26"
    assert (found["response"]["seconds"], found["flags"]) == (1200, ["merge_breach"])


def test_an_answer_on_the_other_ticket_in_time_counts():
    found = merged(start="10:05", into=[reply("10:20")])
    assert clock(found, "response") == ("met", 1200, "10:30")


def test_the_survivor_keeps_its_own_pauses():
    found = merged(ask("10:10"), into=[solve("11:30")])
    assert found["resolution"]["paused_seconds"] == 0


def test_words_to_the_absorbed_ticket_reach_the_survivor():
    found = merged(word("11:00"), reply("11:20"), into=[reply("10:10"), ask("10:50")])
    assert found["state"] == "open"
    assert found["next_response"][0]["stopped_at"][11:16] == "11:20"


def test_merges_chain():
    found = many(
        ticket(name="A"),
        ticket(event("10:30", "merged_into", into="A"), name="B", start="09:50"),
        ticket(event("10:35", "merged_into", into="B"), reply("10:40"), name="C", start="10:05"),
    )
    assert found["A"]["start"].endswith("09:50:00Z")
    assert clock(found["A"], "response") == ("breached", 3000, "10:20")
    assert found["C"]["excluded_reason"] == "merged"


# Exclusions


def test_a_recovery_takes_the_response_out_and_a_refiring_brings_it_back():
    recovered = event("10:09", "source_recovered")
    out = one(recovered, **ALERT)
    assert (out["response"]["excluded_reason"], out["resolution"]["state"]) == (
        "self_recovered",
        "met",
    )
    assert out["response"]["decided_at"].endswith("10:09:00Z")
    back = one(recovered, event("10:14", "source_fired"), reply("10:29"), **ALERT)
    assert clock(back, "response") == ("met", 1740, "10:30")
    reopened = one(recovered, word("10:14"), reply("10:29"), **ALERT)
    assert reopened["response"]["state"] == "excluded"


def test_a_recovery_after_the_breach_hides_nothing():
    found = one(event("10:31", "source_recovered"), **ALERT)
    assert clock(found, "response") == ("breached", None, "10:30")


def test_a_flap_reopens_what_staff_solved_around_the_recovery():
    found = one(
        solve("10:08"), event("10:10", "source_recovered"), event("10:14", "source_fired"), **ALERT
    )
    assert (found["state"], found["flags"]) == ("open", ["flap"])


def test_alerts_of_other_tickets_do_nothing():
    found = one(event("10:09", "source_recovered"), event("10:50", "source_fired"))
    assert (found["state"], found["refused"]) == ("open", [])


def test_a_withdrawal_takes_out_what_is_undecided():
    found = one(reply("10:05"), event("10:40", "cancelled"))
    assert (found["response"]["state"], found["resolution"]["state"]) == ("met", "excluded")
    late = one(event("12:10", "cancelled"))
    assert clock(late, "response") == ("breached", None, "10:30")
    assert clock(late) == ("breached", None, "12:00")


def test_spam_takes_everything_out_and_says_so_if_late():
    found = one(event("12:10", "spam"))
    assert found["flags"] == ["excluded_after_breach"]
    assert {found[name]["state"] for name in ("response", "resolution")} == {"excluded"}
    assert one(event("10:10", "test"))["flags"] == []


# Warnings, acknowledgement, skew


def test_warnings_name_the_shares_of_the_budget():
    found = one(reply("10:20"), now="10:30")
    assert [at and at[11:16] for at in found["response"]["warn_at"]] == ["10:15", None]
    assert [at[11:16] for at in found["resolution"]["warn_at"]] == ["11:00", "11:36"]


def test_warnings_move_with_pauses():
    found = one(ask("10:30"), word("11:30"), now="11:40")
    assert [at[11:16] for at in found["resolution"]["warn_at"]] == ["12:00", "12:36"]


def test_acknowledgement_runs_from_the_first_receipt():
    found = one(event("09:58", "received"), event("10:05", "acknowledged"), **ALERT)
    assert found["tta_seconds"] == 420
    bot = one(event("10:05", "acknowledged", author="bot"))
    assert bot["tta_seconds"] is None


def test_a_stop_before_the_start_is_nothing_and_is_marked():
    found = one(reply("09:59"))
    assert (found["response"]["seconds"], found["flags"]) == (0, ["negative_duration"])
    assert found["response"]["stopped_at"].endswith("10:00:00Z")


# Incidents


def test_an_incident_has_its_own_figures():
    shared = {
        "id": "I",
        "events": [
            event("10:02", "source_fired", starts_at="10:00"),
            event("10:03", "source_fired"),
            event("10:04", "acknowledged", author="bot"),
            event("10:05", "acknowledged"),
            event("10:10", "source_recovered"),
            event("10:12", "acknowledged"),
            event("10:25", "source_fired"),
            event("10:30", "source_recovered"),
            event("10:45:01", "source_fired"),
        ],
    }
    found = told(incidents=[shared])["incidents"][0]
    assert found == {
        "id": "I",
        "detection_seconds": 120,
        "tta_seconds": 180,
        "restore_seconds": 1800,
        "episodes": 2,
        "repeats": 1,
        "open": False,
        "flags": ["flap"],
        "refused": [
            {
                "id": None,
                "kind": "source_fired",
                "at": "2026-04-14T10:45:01Z",
                "reason": "flap_window",
            }
        ],
    }


def test_a_fault_that_begins_after_its_alert_took_no_time_to_detect():
    shared = {"id": "I", "events": [event("10:02", "source_fired", starts_at="10:03")]}
    found = told(incidents=[shared])["incidents"][0]
    assert (found["detection_seconds"], found["flags"]) == (0, ["negative_duration"])
    assert (found["open"], found["restore_seconds"]) == (True, None)


def test_a_class_found_after_a_correction_does_not_replace_it():
    right = {"class": "general", "by": "manager", "reason": "so"}
    found = one(event("10:01", "corrected", **right), event("10:02", "class_set", to="port"))
    assert (found["class"], found["refused"]) == ("general", [])


def test_a_merge_brings_back_a_breach_that_a_recovery_would_exclude():
    found = merged(
        into=[event("10:09", "source_recovered"), word("10:20")],
        fields={"source": "alert"},
        at="10:50",
        start="10:10",
    )
    assert clock(found, "response") == ("breached", 46800, "10:30")
    assert "merge_breach" in found["flags"]


def test_shares_of_a_budget_are_rounded_up_to_a_millisecond():
    found = one(now="10:00:00.100", policies=[policy(response=1, warn_percent=[33.33, 50])])
    assert found["response"]["warn_at"] == ["2026-04-14T10:00:00.334Z", "2026-04-14T10:00:00.500Z"]


def test_holidays_are_closed_and_working_days_win():
    week = {"hours": {day: [["10:00", "12:00"]] for day in ("tue", "wed", "thu", "fri")}}
    calendar = week | {
        "zone": "UTC",
        "holidays": ["2026-04-15", "2026-04-16"],
        "open_days": {"2026-04-16": [["20:00", "24:00"]]},
    }
    found = one(start="11:00", policies=[policy(calendar=calendar)], now="2026-04-17T11:00:00Z")
    assert found["resolution"]["due"] == "2026-04-16T21:00:00Z"
    assert found["resolution"]["seconds"] == (1 + 4 + 1) * 3600
