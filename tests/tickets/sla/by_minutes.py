"""A second opinion: one ticket lived through minute by minute, counting aloud.

Knows people's messages, pauses, resolving, reopening, class changes and withdrawal, around the
clock and on whole minutes. Shares nothing with the product's computation.
"""

TARGETS = {"port": (30, 5), "complex": (30, 120), "general": (30, 480)}
ORDER = [
    "class_changed",
    "staff",
    "resume",
    "pause",
    "resolved",
    "reopened",
    "customer",
    "cancelled",
]
SILENCE = 72 * 60


class Life:
    """The ticket at some minute."""

    def __init__(self, klass):
        self.klass = klass
        self.response = {"count": 0, "budget": TARGETS[klass][0], "stop": None, "breach": None}
        self.resolution = {"count": 0, "budget": TARGETS[klass][1], "stop": None, "breach": None}
        self.paused_since = []
        self.resolved_at = None
        self.cancelled = False
        self.out = set()

    def act(self, minute, kind, to=None):
        if self.cancelled or (self.resolved_at is not None and minute - self.resolved_at > SILENCE):
            return
        getattr(self, kind)(minute, to)

    def staff(self, minute, _to):
        if self.response["stop"] is None:
            self.response["stop"] = minute

    def customer(self, minute, _to):
        self.paused_since = []
        self.resolved_at = self.resolution["stop"] = None

    def pause(self, minute, _to):
        self.staff(minute, None)
        if self.resolved_at is None:
            self.paused_since.append(minute)

    def resume(self, minute, _to):
        self.paused_since = []

    def resolved(self, minute, _to):
        self.staff(minute, None)
        if self.resolved_at is None:
            self.paused_since = []
            self.resolved_at = self.resolution["stop"] = minute

    def reopened(self, minute, _to):
        self.resolved_at = self.resolution["stop"] = None

    def cancelled_(self, minute, _to):
        if self.resolved_at is not None:
            return
        self.cancelled = True
        self.paused_since = []  # nobody waits any more: silence resolves nothing
        if self.response["stop"] is None and self.response["breach"] is None:
            self.out.add("response")
        if self.resolution["breach"] is None:
            self.out.add("resolution")

    def class_changed(self, minute, to):
        if self.resolved_at is not None or to == self.klass:
            return
        old, new = TARGETS[self.klass], TARGETS[to]
        self.klass = to
        for clock, before, after in zip((self.response, self.resolution), old, new, strict=True):
            if clock["stop"] is not None or clock["breach"] is not None:
                continue
            if after < before:
                clock["budget"] = min(clock["budget"], clock["count"] + after)
            elif after > before:
                clock["budget"] = max(clock["budget"], after)

    def silence(self, minute):
        if self.resolved_at is None and any(minute - at >= SILENCE for at in self.paused_since):
            self.paused_since = []
            self.resolved_at = self.resolution["stop"] = minute

    def pass_a_minute(self, minute):
        if self.cancelled:
            return
        self._count(self.response, minute, runs=self.response["stop"] is None)
        runs = self.resolved_at is None and not self.paused_since
        self._count(self.resolution, minute, runs=runs)

    def _count(self, clock, minute, *, runs):
        if not runs:
            return
        if clock["count"] >= clock["budget"] and clock["breach"] is None:
            clock["breach"] = minute  # the next moment is one too many
        clock["count"] += 1


def live(klass, events, now):
    """(state, count, breach) of both clocks at minute `now`; `events` are (minute, kind, to)."""
    life = Life(klass)
    at = {}
    for minute, kind, to in events:
        at.setdefault(minute, []).append((kind, to))
    for minute in range(now + 1):
        for kind, to in sorted(at.get(minute, ()), key=lambda each: ORDER.index(each[0])):
            life.act(minute, "cancelled_" if kind == "cancelled" else kind, to)
        life.silence(minute)
        if minute < now:
            life.pass_a_minute(minute)
    return {name: _outcome(life, name) for name in ("response", "resolution")}


def _outcome(life, name):
    clock = getattr(life, name)
    if name in life.out:
        return "excluded", None, None
    state = "breached" if clock["breach"] is not None else "met"
    if clock["stop"] is None and clock["breach"] is None:
        state = "in_flight"
    gone = clock["stop"] is None and (life.cancelled or life.resolved_at is not None)
    return state, None if gone else clock["count"], clock["breach"]
