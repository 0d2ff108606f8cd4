"""Hostprobe's output is untrusted: cut, garbled or hostile, it never becomes a fact."""

import json
import timeit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from diagnostics.nodekit import parse
from diagnostics.nodekit.shapes import PAYLOADS
from diagnostics.probes.reading import SectionState

FIRST = b"=== halfhour-probe 1 boot=0f6e time=1796000000.5 uptime=86400.00\n"
LAST = b"=== end\n"


def section(name: str, payload: bytes, state: str = "ok", rc: str = "-") -> bytes:
    return b"--- %s state=%s rc=%s ms=12 len=%d\n%s\n" % (
        name.encode(),
        state.encode(),
        rc.encode(),
        len(payload),
        payload,
    )


def observe(*parts: bytes, status: int | None = 0):
    return parse.observe(b"".join(parts), status=status, taken_at=1796000001.0)


def test_a_whole_answer_is_read() -> None:
    seen = observe(FIRST, section("pci", b'[{"pci":"0000:41:00.0","dead":false}]'), LAST)
    assert seen.reached == "ok"
    assert (seen.boot_id, seen.host_time, seen.uptime_s) == ("0f6e", 1796000000.5, 86400.0)
    assert seen.facts["pci"][0]["pci"] == "0000:41:00.0"


def test_a_login_banner_before_it_does_not_matter() -> None:
    assert observe(b"Welcome to Ubuntu\n", FIRST, LAST).reached == "ok"


@pytest.mark.parametrize(
    ("status", "reached"),
    [
        (97, "kit_refused"),
        (96, "no_python"),
        (124, "timeout"),
        (137, "timeout"),
        (1, "kit_refused"),
    ],
)
def test_no_answer_says_why(status: int, reached: str) -> None:
    assert observe(b"sh: something\n", status=status).reached == reached


def test_what_broke_off_is_truncated_and_so_is_what_never_came() -> None:
    seen = observe(FIRST, section("driver", b'{"loaded":true}'), section("gpus", b"[" * 99)[:60])
    assert seen.sections["driver"].state is SectionState.OK
    assert seen.sections["gpus"].state is SectionState.TRUNCATED
    assert seen.sections["kernel"].state is SectionState.TRUNCATED
    assert "gpus" not in seen.facts


@pytest.mark.parametrize("name", sorted(PAYLOADS))
@pytest.mark.parametrize(
    "payload",
    [
        b"not json",
        b"null",
        b'"text"',
        b"7",
        b"[[[[",
        b"[null]",
        b'{"lines":[[1]]}',
        b"[1,2]",
        b'{"space":3}',
        b"\xff\xfe",
    ],
)
def test_a_payload_of_another_shape_is_garbage_or_empty_never_raised(name, payload) -> None:
    seen = observe(FIRST, section(name, payload), LAST)
    if seen.sections[name].state is SectionState.OK:
        assert (
            not seen.facts[name]
            or "lines" in seen.facts[name]
            or name in {"sockets"}
            or all(value in (None, [], {}) for value in seen.facts[name].values())
        )
    else:
        assert seen.sections[name].state is SectionState.GARBAGE
        assert name not in seen.facts


def test_wrong_types_become_null_and_unknown_keys_go() -> None:
    card = {
        "temperature_c": "83",
        "power_w": float("1e400"),
        "util_pct": True,
        "state": "ok",
        "uuid": "x" * 5000,
        "evil": "<script>",
        "processes": [{"pid": "1"}, {"pid": 7}],
    }
    seen = observe(FIRST, section("gpus", json.dumps([card]).encode()), LAST)
    found = seen.facts["gpus"][0]
    assert found["temperature_c"] is None
    assert found["power_w"] is None
    assert found["util_pct"] is None
    assert len(found["uuid"]) == 300
    assert "evil" not in found
    assert found["processes"] == [{"pid": 7, "mib": None}]


def test_floods_are_cut() -> None:
    cards = json.dumps([{"state": "ok"}] * 500).encode()
    lines = json.dumps({"lines": [[1.0, "NVRM"]] * 5000, "cursor": "c" * 9999}).encode()
    seen = observe(FIRST, section("gpus", cards), section("kernel", lines), LAST)
    assert len(seen.facts["gpus"]) == 32
    assert len(seen.facts["kernel"]["lines"]) == 400
    assert len(seen.facts["kernel"]["cursor"]) == 400


def test_a_state_we_do_not_know_is_garbage() -> None:
    seen = observe(FIRST, section("disks", b"{}", state="perfect"), LAST)
    assert seen.sections["disks"].state is SectionState.GARBAGE


@given(st.binary(max_size=400), st.integers(0, 400))
def test_no_bytes_make_it_raise(noise: bytes, at: int) -> None:
    good = FIRST + section("gpus", b'[{"state":"ok"}]') + section("disks", b"{}") + LAST
    seen = observe(good[:at] + noise + good[at:])
    assert seen.reached in {"ok", "kit_refused"}


def test_eight_cards_are_parsed_in_a_third_of_a_millisecond() -> None:
    card = {
        "source": "nvml",
        "state": "ok",
        "uuid": "GPU-0",
        "temperature_c": 71,
        "errors": {},
        "processes": [{"pid": 1, "mib": 2}],
        **{f"limit_{n}_w": 450.0 for n in range(30)},
    }
    output = b"".join(
        [
            FIRST,
            section("gpus", json.dumps([card] * 8).encode()),
            section("kernel", b'{"lines":[],"cursor":"s=1"}'),
            section("sockets", json.dumps([["0.0.0.0", 22]] * 20).encode()),
            LAST,
        ]
    )
    best = min(timeit.repeat(lambda: observe(output), number=50, repeat=5)) / 50
    # Measured 0.15 ms; the line leaves room for a busy machine.
    assert best < 0.001
