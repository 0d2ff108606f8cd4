"""Hostprobe's output → an Observation. It is untrusted: capped, checked, never run. Pure."""

import json
import re

from diagnostics.nodekit.kit import KIT_MISSING, NO_PYTHON
from diagnostics.nodekit.shapes import PAYLOADS
from diagnostics.probes.reading import Observation, Section, SectionState

OUTPUT_CAP = 1 << 20
KEPT_TEXT = 500
FIRST_LINE = re.compile(
    rb"=== halfhour-probe 1 boot=([0-9a-f-]{1,40}) time=(\d+(?:\.\d+)?) uptime=(-|\d+(?:\.\d+)?)\n"
)
HEAD = re.compile(
    rb"--- ([a-z_]{1,20}) state=([a-z]{1,12}) rc=(-|-?\d{1,5}) ms=(\d{1,7}) len=(\d{1,7})\n"
)
LAST_LINE = b"=== end\n"
STATES = {state.value: state for state in SectionState}
# `timeout` ends the probe with these.
OUT_OF_TIME = {124, 137}


def failed(reached: str, taken_at: float) -> Observation:
    """A visit that got no answer. `reached` is a word of `Observation.reached`, not `ok`."""
    return Observation(reached=reached, taken_at=taken_at)


def observe(output: bytes, *, status: int | None, taken_at: float) -> Observation:
    """Read what hostprobe printed; whatever is cut, missing or odd becomes a section's state.

    `taken_at` is our clock in epoch seconds. Never raises.
    """
    if status == KIT_MISSING:
        return failed("kit_refused", taken_at)
    if status == NO_PYTHON:
        return failed("no_python", taken_at)
    output = output[:OUTPUT_CAP]
    first = FIRST_LINE.search(output)  # a login banner may stand before it
    if first is None:
        return failed("timeout" if status in OUT_OF_TIME else "kit_refused", taken_at)
    sections, facts = _sections(output, first.end())
    boot, at, uptime = first.groups()
    python = facts.get("python")
    return Observation(
        reached="ok",
        taken_at=taken_at,
        host_time=float(at),
        boot_id="" if boot == b"-" else boot.decode(),
        uptime_s=None if uptime == b"-" else float(uptime),
        kit_version=str(python.get("kit") or "") if isinstance(python, dict) else "",
        sections=sections,
        facts=facts,
    )


def _sections(output: bytes, at: int) -> tuple[dict[str, Section], dict[str, object]]:
    sections: dict[str, Section] = {}
    facts: dict[str, object] = {}
    while head := HEAD.match(output, at):
        name, word, rc, ms, length = head.groups()
        start, size = head.end(), int(length)
        payload = output[start : start + size]
        at = start + size + 1
        state = STATES.get(word.decode(), SectionState.GARBAGE)
        if len(payload) < size:
            state = SectionState.TRUNCATED
        elif output[at - 1 : at] not in {b"\n", b""}:
            state = SectionState.GARBAGE
        section = name.decode()
        if state is SectionState.OK:
            state = _read(section, payload, facts)
        kept = "" if state is SectionState.OK else payload[:KEPT_TEXT].decode("utf-8", "replace")
        status = None if rc == b"-" else int(rc)
        sections[section] = Section(section, state, status, int(ms), kept)
    if output[at:] != LAST_LINE:
        _cut(sections)
    return sections, facts


def _read(name: str, payload: bytes, facts: dict[str, object]) -> SectionState:
    """Put a section's payload among the facts, if it is what it should be."""
    shape = PAYLOADS.get(name)
    if not payload:
        return SectionState.EMPTY
    if shape is None:
        return SectionState.GARBAGE
    try:
        facts[name] = shape(json.loads(payload))
    except (ValueError, TypeError, KeyError, RecursionError):
        return SectionState.GARBAGE
    return SectionState.OK


def _cut(sections: dict[str, Section]) -> None:
    """The output ended early: what never came is truncated, not absent."""
    for name in PAYLOADS:
        if name not in sections:
            sections[name] = Section(name, SectionState.TRUNCATED)
