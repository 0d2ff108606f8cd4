"""Makes up replay files: any events in any order, close enough in time to meet at one instant."""

from hypothesis import strategies as st

from tickets.sla import instants

START = instants.read("2026-04-14T10:00:00Z")
MINUTE = 60_000
# Half the times are round, so that events meet each other and every limit.
moments = st.one_of(
    st.integers(-3, 40).map(lambda n: START + n * 5 * MINUTE),
    st.integers(-600_000, 4 * 3_600_000).map(lambda n: START + n),
    st.integers(0, 90).map(lambda hours: START + hours * 60 * MINUTE),
).map(instants.say)
texts = st.sampled_from(["We are on it.", "", " "])
flags = st.sampled_from([True, False])
classes = st.sampled_from(["port", "complex", "general"])
pause_reasons = st.sampled_from(
    ["waiting_customer_info", "waiting_customer_consent", "customer_requested_hold", "parts"]
)
names = st.sampled_from(["T1", "T2", "T3"])


def kind(name, **fields):
    """Events of one kind with these fields."""
    return st.fixed_dictionaries({"at": moments, "kind": st.just(name)}, optional=fields)


def needing(name, needed, **fields):
    """Events of one kind that must have some fields."""
    fixed = {"at": moments, "kind": st.just(name)} | needed
    return st.fixed_dictionaries(fixed, optional=fields)


said = {"text": texts, "public": flags, "channel": st.sampled_from(["portal", "mail", "phone"])}
messages = needing(
    "message",
    {"author": st.sampled_from(["staff", "customer", "bot"])},
    **said,
    auto_submitted=flags,
    on_behalf=flags,
)
calm = st.one_of(
    messages,
    messages,
    kind("acknowledged"),
    needing("pause", {"reason": pause_reasons, "text": texts}, until=moments),
    kind("resume", reason=pause_reasons),
    kind("consent_asked", text=texts, until=moments),
    kind("consent_granted"),
    kind("consent_declined"),
    kind("resolved", text=texts),
    needing("automated_done", {"verified": flags}),
    kind("source_recovered"),
    kind("source_fired"),
    kind("reopened", author=st.sampled_from(["staff", "customer"])),
    kind("dismissed"),
    needing("class_changed", {"to": classes}),
    needing("class_set", {"to": classes}),
    needing("policy_reapplied", {"version": st.sampled_from([1, 2])}),
    kind("cancelled"),
)
wild = st.one_of(
    calm,
    calm,
    calm,
    needing("merged_into", {"into": names}),
    needing("bounced", {"of": st.sampled_from([f"e{n}" for n in range(8)])}),
    needing(
        "corrected", {"class": classes, "by": st.just("manager"), "reason": st.just("a mistake")}
    ),
    kind("spam"),
    kind("test"),
)


@st.composite
def calls(draw, events):
    """Some calls are logged later than they were."""
    found = draw(events)
    if found["kind"] == "message" and found.get("channel") == "phone" and draw(flags):
        late = draw(st.integers(0, 30)) * MINUTE
        found["logged_at"] = instants.say(instants.read(found["at"]) + late)
    return found


@st.composite
def tickets(draw, name, events=wild, most=12):
    """A ticket with events that all have an id."""
    found = draw(st.lists(calls(events), max_size=most))
    made = {"kind": "created", "at": instants.say(START + draw(st.integers(0, 2)) * 10 * MINUTE)}
    numbered = [each | {"id": f"e{n}"} for n, each in enumerate([made, *found])]
    return {
        "id": name,
        "customer": draw(st.sampled_from(["acme", "acme", "beta"])),
        "class": draw(classes),
        "source": draw(st.sampled_from(["portal", "mail", "alert", "staff"])),
        "has_portal_login": draw(flags),
        "parent": draw(st.sampled_from([None, "I1"])),
        "events": numbered,
    }


OFFICE = {
    "zone": "Europe/Berlin",
    "hours": {day: [["09:00", "12:30"], ["13:00", "18:00"]] for day in ("tue", "wed", "thu")},
    "holidays": ["2026-04-16"],
}


@st.composite
def policies(draw):
    """Two versions; the second takes effect during the day, perhaps with office hours."""
    targets = {
        "port": {"response_s": 1800, "resolution_s": 300, "self_service": True},
        "complex": {"response_s": draw(st.sampled_from([600, 1800])), "resolution_s": 7200},
        "general": {"response_s": 3600, "resolution_s": 28_800},
    }
    first = {"version": 1, "effective_at": "2026-01-01T00:00:00Z"}
    second = {"version": 2, "effective_at": "2026-04-14T10:15:00Z", "classes": targets}
    second["calendar"] = draw(st.sampled_from(["24x7", OFFICE]))
    return [first, second]


broadcasts = kind("broadcast", text=texts, channel=st.sampled_from(["portal", "mail"]))
faults = st.one_of(
    broadcasts,
    kind("source_fired", starts_at=moments),
    kind("source_recovered"),
    kind("acknowledged"),
)


@st.composite
def files(draw, events=wild, most=3):
    """A whole file with up to `most` tickets, one incident and a report."""
    shared = [each | {"id": f"i{n}"} for n, each in enumerate(draw(st.lists(faults, max_size=4)))]
    count = draw(st.integers(1, most))
    return {
        "now": draw(moments),
        "tickets": [draw(tickets(f"T{n + 1}", events)) for n in range(count)],
        "policies": draw(policies()),
        "incidents": [{"id": "I1", "events": shared}],
        "report": {"from": "2026-04-14", "to": "2026-04-15", "zone": "Asia/Shanghai"},
    }
