"""journalctl and dmesg: the kernel log, by cursor, boot, time and form."""

import json
import re
from datetime import UTC, datetime
from time import gmtime, strftime

from fleet.simulator.host import SimHost
from fleet.simulator.kernel_log import Entry
from fleet.simulator.stand_ins.answer import Answer, option
from fleet.simulator.state import Boot

# The journal file's own identity, part of every cursor.
SEQ_ID = "4f3c1de7a0b24c6f9d0b8f6e2a1c5d73"
NONE = "-- No entries --\n"


def cursor(boot: Boot, entry: Entry) -> str:
    """Where an entry stands: sequence number, boot, monotonic and wall time in µs."""
    micro, wall = int(entry.monotonic_s * 1e6), int(entry.at * 1e6)
    check = (entry.seq * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
    plain = boot.id.replace("-", "")
    return f"s={SEQ_ID};i={entry.seq:x};b={plain};m={micro:x};t={wall:x};x={check:x}"


def _stamp(at: float, form: str) -> str:
    if form == "short":
        return strftime("%b %d %H:%M:%S", gmtime(at))
    if form == "short-unix":
        return f"{at:.6f}"
    when = datetime.fromtimestamp(at, UTC)
    if form == "short-iso-precise":
        return when.strftime("%Y-%m-%dT%H:%M:%S.%f+0000")
    if form == "short-full":
        return when.strftime("%a %Y-%m-%d %H:%M:%S UTC")
    return when.strftime("%Y-%m-%dT%H:%M:%S+0000")


def _json(host: SimHost, boot: Boot, entry: Entry) -> str:
    return json.dumps(
        {
            "__CURSOR": cursor(boot, entry),
            "__REALTIME_TIMESTAMP": str(int(entry.at * 1e6)),
            "__MONOTONIC_TIMESTAMP": str(int(entry.monotonic_s * 1e6)),
            "_BOOT_ID": boot.id.replace("-", ""),
            "_TRANSPORT": "kernel",
            "_HOSTNAME": host.spec.name,
            "PRIORITY": str(entry.priority),
            "SYSLOG_FACILITY": "0",
            "SYSLOG_IDENTIFIER": "kernel",
            "_SOURCE_MONOTONIC_TIMESTAMP": str(int(entry.monotonic_s * 1e6)),
            "MESSAGE": entry.text,
        }
    )


def _show(host: SimHost, boot: Boot, entry: Entry, form: str) -> str:
    if form in {"json", "json-sse", "json-pretty"}:
        return _json(host, boot, entry)
    if form == "cat":
        return entry.text
    if form == "short-monotonic":
        return f"[{entry.monotonic_s:12.6f}] {host.spec.name} kernel: {entry.text}"
    return f"{_stamp(entry.at, form)} {host.spec.name} kernel: {entry.text}"


def _boots(host: SimHost) -> list[Boot]:
    """Oldest first; the journal keeps this boot and the one before."""
    before = host.state.before
    return [before, host.state.boot] if before else [host.state.boot]


def _list_boots(host: SimHost) -> Answer:
    lines = ["IDX BOOT ID                          FIRST ENTRY                 LAST ENTRY\n"]
    boots = _boots(host)
    for place, boot in enumerate(boots):
        written = host.kernel(boot)
        first, last = _stamp(boot.at, "short-full"), _stamp(written[-1].at, "short-full")
        lines.append(f"{place - len(boots) + 1:>3} {boot.id.replace('-', '')} {first} {last}\n")
    return Answer("".join(lines))


def _boot_of(host: SimHost, words: list[str]) -> Boot | None:
    """The boot of `-b [N|ID]`; this one unless told. None: no such boot in the journal."""
    boots = _boots(host)
    wanted = option(words, "-b", "--boot") or "0"
    by_id = [boot for boot in boots if boot.id.replace("-", "") == wanted.replace("-", "")]
    if by_id:
        return by_id[0]
    if not re.fullmatch(r"-?\d+", wanted):
        # `-b` without a value: the next word is another option.
        return host.state.boot
    place = len(boots) - 1 + int(wanted)
    return boots[place] if 0 <= place < len(boots) else None


def _when(text: str, now: float) -> float | None:
    if re.fullmatch(r"@\d+(\.\d+)?", text):
        return float(text[1:])
    match = re.fullmatch(r"-?(\d+)\s*(s|sec|min|m|h|hour|hours|d|day|days)(\s+ago)?", text.strip())
    if match:
        unit = {"s": 1, "m": 60, "h": 3600, "d": 86400}[match[2][0]]
        return now - int(match[1]) * unit
    try:
        when = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _narrow(host: SimHost, words: list[str], found: list[Entry]) -> list[Entry] | str:
    """Apply cursor, time, pattern and count; a text is the error journalctl would print."""
    after = option(words, "--after-cursor", "--cursor", "-c")
    if after is not None:
        match = re.search(r"(?:^|;)i=([0-9a-f]+)(?:;|$)", after)
        if not match:
            return "Failed to seek to cursor: Invalid argument\n"
        place = int(match[1], 16) + (option(words, "--after-cursor") is not None)
        found = [entry for entry in found if entry.seq >= place]
    since = option(words, "--since", "-S")
    if since is not None:
        at = _when(since, host.now())
        if at is None:
            return f"Failed to parse timestamp: {since}\n"
        found = [entry for entry in found if entry.at >= at]
    pattern = option(words, "--grep", "-g")
    if pattern is not None:
        flags = re.IGNORECASE if pattern.islower() else 0
        found = [entry for entry in found if re.search(pattern, entry.text, flags)]
    count = option(words, "-n", "--lines")
    counted = int(count) if count and count.isascii() and count.isdecimal() else 0
    return found[-counted:] if counted else found


def journalctl(host: SimHost, words: list[str]) -> Answer:
    """The kernel's journal; of services the simulated host keeps none."""
    if "--version" in words:
        return Answer("systemd 255 (255.4-1ubuntu8.6)\n")
    if "--list-boots" in words:
        return _list_boots(host)
    boot = _boot_of(host, words)
    if boot is None:
        return Answer(
            "", 1, "Data from the specified boot is not available: No such boot ID in journal\n"
        )
    units = option(words, "-u", "--unit")
    found = [] if units else _narrow(host, words, host.kernel(boot))
    if isinstance(found, str):
        return Answer("", 1, found)
    form = option(words, "-o", "--output") or "short"
    lines = [_show(host, boot, entry, form) + "\n" for entry in found]
    if not lines and not form.startswith("json") and "-q" not in words and "--quiet" not in words:
        lines = [NONE]
    if "-r" in words or "--reverse" in words:
        lines.reverse()
    if "--show-cursor" in words:
        last = found[-1] if found else host.kernel(boot)[-1]
        lines.append(f"-- cursor: {cursor(boot, last)}\n")
    return Answer("".join(lines))


def dmesg(host: SimHost, words: list[str]) -> Answer:
    """The ring buffer: this boot only."""
    form = option(words, "--time-format") or (
        "ctime" if "-T" in words or "--ctime" in words else ""
    )
    lines = []
    for entry in host.kernel():
        if form == "iso":
            when = datetime.fromtimestamp(entry.at, UTC)
            lines.append(f"{when.strftime('%Y-%m-%dT%H:%M:%S,%f+00:00')} {entry.text}\n")
        elif form == "ctime":
            lines.append(f"[{strftime('%a %b %e %H:%M:%S %Y', gmtime(entry.at))}] {entry.text}\n")
        else:
            lines.append(f"[{entry.monotonic_s:12.6f}] {entry.text}\n")
    return Answer("".join(lines))
