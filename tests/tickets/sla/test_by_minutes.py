"""The clocks agree with a count minute by minute."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.tickets.sla import by_minutes
from tickets.sla import instants, reading, writing

START = instants.read("2026-04-14T10:00:00Z")
SLOW = {"suppress_health_check": list(HealthCheck), "deadline": None, "database": None}
minutes = st.one_of(
    st.integers(0, 40),
    st.sampled_from([5, 30, 120, 480, 4320, 4350]),
    st.integers(0, 700),
    st.integers(4300, 4900),
)
kinds = st.sampled_from(by_minutes.ORDER)
steps = st.tuples(minutes, kinds, st.sampled_from(list(by_minutes.TARGETS)))


def said(step):
    """One step as an event of the file format."""
    minute, kind, to = step
    event = {"at": instants.say(START + minute * 60_000), "kind": kind}
    if kind in {"staff", "customer"}:
        return event | {"kind": "message", "author": kind, "text": "Hello."}
    if kind == "pause":
        return event | {"reason": "waiting_customer_info", "text": "Which port?"}
    if kind == "class_changed":
        return event | {"to": to}
    return event | ({"text": "Done."} if kind == "resolved" else {"author": "customer"})


def agree(klass, happened, now):
    made = {"at": instants.say(START), "kind": "created"}
    # One class change a minute: two at one instant have no order but that of their ids.
    changes = {
        minute: (minute, kind, to) for minute, kind, to in happened if kind == "class_changed"
    }
    rest = [step for step in happened if step[1] != "class_changed"]
    happened = [*changes.values(), *rest]
    ticket = {"id": "T1", "customer": "a", "class": klass, "source": "portal"}
    ticket["events"] = [made, *map(said, happened)]
    file = {"now": instants.say(START + now * 60_000), "tickets": [ticket]}
    told = writing.answer(reading.read_file(file))["tickets"][0]
    expected = by_minutes.live(klass, [step for step in happened if step[0] <= now], now)
    for name, (state, count, breach) in expected.items():
        clock = told[name]
        at = None if breach is None else instants.say(START + breach * 60_000)
        seconds = None if count is None else count * 60
        assert (clock["state"], clock["seconds"], clock["breached_at"]) == (state, seconds, at), (
            name
        )


TICKETS = (st.sampled_from(list(by_minutes.TARGETS)), st.lists(steps, max_size=10), minutes)


def test_for_any_ticket():
    settings(max_examples=500, **SLOW)(given(*TICKETS)(agree))()


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_for_very_many_tickets():
    settings(max_examples=10_000, **SLOW)(given(*TICKETS)(agree))()
