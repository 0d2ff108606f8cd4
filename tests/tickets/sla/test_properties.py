"""What holds for any ticket: order, machine and pauses do not matter, decisions stand.

500 made-up files each; 10,000 in the long run.
"""

import copy
import os
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tickets.sla import made_up
from tickets.sla import instants, reading, writing

SLOW = {"suppress_health_check": list(HealthCheck), "deadline": None, "database": None}
FEW, MANY = settings(max_examples=500, **SLOW), settings(max_examples=10_000, **SLOW)
# What may decide a clock again; class_set counts as of creation while the class is provisional.
AGAIN = {"merged_into", "corrected", "bounced", "reopened", "source_fired", "dismissed"}
AGAIN |= {"spam", "test", "class_set"}
ZONES = ("America/New_York", "Asia/Kolkata", "Pacific/Apia", "UTC")


def answer(file):
    return writing.answer(reading.read_file(file))


def at(file, now):
    return answer(file | {"now": now})


def order_does_not_matter(file, data):
    turned = copy.deepcopy(file)
    for part in (*turned["tickets"], *turned["incidents"]):
        doubled = [each for each in part["events"] if data.draw(st.booleans())]
        part["events"] = data.draw(st.permutations([*part["events"], *doubled]))
    assert answer(turned) == answer(file)


def the_machines_zone_does_not_matter(file, data):
    before, zone = os.environ.get("TZ"), data.draw(st.sampled_from(ZONES))
    plain = answer(file)
    try:
        os.environ["TZ"] = zone
        time.tzset()
        assert answer(file) == plain
    finally:
        os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
        time.tzset()


def pausing_never_moves_the_response_clock(file, data):
    spoken = copy.deepcopy(file)
    for ticket in spoken["tickets"]:
        for event in ticket["events"]:
            if event["kind"] in {"pause", "consent_asked"}:
                event.update(kind="message", author=event.get("author", "staff"))
    paused, talked = answer(file)["tickets"], answer(spoken)["tickets"]
    for one, other in zip(paused, talked, strict=True):
        assert one["response"] == other["response"]


def decisions_stand(file, data):
    now, then = sorted((file["now"], data.draw(made_up.moments)), key=instants.read)
    before, after = at(file, now)["tickets"], at(file, then)["tickets"]
    news = {ticket["id"]: _news(ticket, now, then) for ticket in file["tickets"]}
    merged = any("merged_into" in kinds for kinds in news.values())
    for one, other in zip(before, after, strict=True):
        if merged or news[one["id"]]:
            continue
        for clock in ("response", "resolution"):
            if one[clock]["decided_at"]:
                kept = ("state", "decided_at", "due", "warn_at", "excluded_reason", "period")
                assert [one[clock][key] for key in kept] == [other[clock][key] for key in kept]


def _news(ticket, now, then):
    """Kinds of events that came to be known in between and may decide a clock again."""
    begin, end = instants.read(now), instants.read(then)
    found = set()
    for event in ticket["events"]:
        known = instants.read(event.get("logged_at") or event["at"])
        customer = event.get("author") == "customer" or event.get("on_behalf")
        again = event["kind"] in AGAIN or event.get("logged_at") or customer
        if begin < known <= end and again:
            found.add(event["kind"])
    return found


def the_future_has_not_happened(file, data):
    now = instants.read(file["now"])
    cut = copy.deepcopy(file)
    for part in (*cut["tickets"], *cut["incidents"]):
        part["events"] = [
            event
            for event in part["events"]
            if event["kind"] == "created"
            or instants.read(event.get("logged_at") or event["at"]) <= now
        ]
    whole, short = answer(file), answer(cut)
    assert short["tickets"] == whole["tickets"]
    assert short["incidents"] == whole["incidents"]


def every_clock_is_counted_once(file, data):
    told = answer(file | {"now": data.draw(made_up.moments)})
    for clock in ("response", "resolution"):
        figures = told["report"][clock]
        overall = figures["overall"]
        for parts in (figures["classes"], figures["customers"]):
            for name in ("met", "breached", "n", "in_flight", "stopped", "automated"):
                assert sum(block[name] for block in parts.values()) == overall[name]
        assert overall["n"] == overall["met"] + overall["breached"]
        begin, end, as_of = (told["report"][name] for name in ("from", "to", "as_of"))
        if as_of == told["now"]:
            started = [each for each in told["tickets"] if each["start"] and each["start"] < end]
            earlier = [e for e in started if (e[clock]["decided_at"] or end) < begin]
            held = overall["n"] + sum(overall["excluded"].values()) + overall["in_flight"]
            assert held + len(earlier) == len(started)


CALM = made_up.files(made_up.calm, most=1)
LAWS = {
    order_does_not_matter: made_up.files(),
    the_machines_zone_does_not_matter: made_up.files(),
    pausing_never_moves_the_response_clock: CALM,
    decisions_stand: made_up.files(),
    the_future_has_not_happened: made_up.files(),
    every_clock_is_counted_once: made_up.files(),
}


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_for_any_ticket(law):
    FEW(given(LAWS[law], st.data())(law))()


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_for_very_many_tickets(law):
    MANY(given(LAWS[law], st.data())(law))()
