"""Xid lines of the kernel log, gathered into bursts: one incident on one card. Pure.

A burst ends after three quiet minutes. Its root is the first fatal number, else the first that
somebody must look at, else the first at all; numbers that only follow others never convict.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from diagnostics.catalogue.load import Xid, fault, xid
from diagnostics.probes.addresses import normal
from diagnostics.probes.facts import KernelLine

QUIET_S = 180.0
# How long a number speaks against a card after it was last seen; fatal ones until the next boot.
ACTION_S, PROGRAM_S = 1800.0, 600.0
BURSTS_CAP, NUMBERS_CAP, LINE_CAP = 32, 16, 200
RECOVERY = 154
OFF_THE_BUS = 79

_XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]+)[^)]*\): (\d{1,4})\b(.*)")
_OFF_BUS = re.compile(r"NVRM: .*?([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\S*)"
                      r".*has fallen off the bus")  # fmt: skip
_ADVICE = re.compile(r"\(([^()]*)\)[^()]*$")
_RANK = {"fatal": 0, "action": 1, "not_applicable": 1, "app": 2, "info": 3}


@dataclass(frozen=True, slots=True)
class Burst:
    """`numbers` in the order they first came; `advice` is the newest of 154; `line` the root's.

    Times are the host's, epoch seconds; `slot` is a PCI address.
    """

    slot: str
    first: float
    last: float
    numbers: tuple[int, ...]
    count: int = 1
    advice: str = ""
    line: str = ""

    def root(self) -> Xid | None:
        """The number that explains the burst; None when only followers are in it."""
        rows = [row for row in map(xid, self.numbers) if not row.consequence_only]
        if rows:
            return min(rows, key=lambda row: _RANK[row.severity])
        return xid(RECOVERY) if RECOVERY in self.numbers and self.code() else None

    def code(self) -> str:
        """The catalogue fault: the root's, or what the driver itself advises when that is all."""
        if any(not xid(number).consequence_only for number in self.numbers):
            root = self.root()
            return root.fault if root else ""
        advice = self.advice.lower()
        if RECOVERY not in self.numbers or not advice or advice == "none":
            return ""
        return "gpu_needs_node_reboot" if "reboot" in advice else "gpu_reset_required"

    def active(self, now: float) -> bool:
        """Whether it still speaks against the card."""
        root = self.root()
        if root is None:
            return now - self.last < PROGRAM_S
        if root.severity == "fatal" or root.number == RECOVERY:
            return True
        long = root.severity in {"action", "not_applicable"}
        return now - self.last < (ACTION_S if long else PROGRAM_S)

    def for_the_record(self) -> bool:
        """Only noted on the timeline: nothing to look at."""
        root = self.root()
        return root is None or (root.severity == "info" and fault(self.code()).opens == "record")


def read(kept: object) -> list[Burst]:
    """Bursts as `write` left them in a node's memory; anything odd is dropped."""
    found = []
    for row in kept if isinstance(kept, list) else []:
        try:
            found.append(Burst(**{**row, "numbers": tuple(row["numbers"])}))
        except (TypeError, KeyError):
            continue
    return found


def write(bursts: Iterable[Burst], now: float) -> list[dict[str, object]]:
    """What the next visit must know, as JSON."""
    active = [burst for burst in bursts if burst.active(now)]
    return [{**asdict(burst), "numbers": list(burst.numbers)} for burst in active[-BURSTS_CAP:]]


def gather(bursts: Iterable[Burst], lines: Iterable[KernelLine]) -> list[Burst]:
    """Add new lines to the bursts known so far."""
    found = list(bursts)
    for line in sorted(lines, key=lambda line: line["at"]):
        hit = _hit(line["text"])
        if hit is None:
            continue
        slot, number, rest = hit
        running = next(
            (n for n, burst in enumerate(found)
             if burst.slot == slot and -QUIET_S < line["at"] - burst.last <= QUIET_S), None
        )  # fmt: skip
        if running is None:
            found.append(_start(slot, number, line, rest))
        else:
            found[running] = _join(found[running], number, line, rest)
    return found


def _hit(text: str) -> tuple[str, int, str] | None:
    """(slot, number, the rest) of an Xid line; the driver also says 79 without a number."""
    numbered = _XID.search(text)
    if numbered:
        return normal(numbered[1]), int(numbered[2]), numbered[3]
    gone = _OFF_BUS.search(text)
    return (normal(gone[1]), OFF_THE_BUS, "") if gone else None


def _advice(number: int, rest: str) -> str:
    found = _ADVICE.search(rest) if number == RECOVERY else None
    return found[1][:40] if found else ""


def _start(slot: str, number: int, line: KernelLine, rest: str) -> Burst:
    at, text = line["at"], line["text"][:LINE_CAP]
    return Burst(slot, at, at, (number,), 1, _advice(number, rest), text)


def _join(burst: Burst, number: int, line: KernelLine, rest: str) -> Burst:
    known = number in burst.numbers or len(burst.numbers) >= NUMBERS_CAP
    grown = Burst(
        slot=burst.slot,
        first=min(burst.first, line["at"]),
        last=max(burst.last, line["at"]),
        numbers=burst.numbers if known else (*burst.numbers, number),
        count=burst.count + 1,
        advice=_advice(number, rest) or burst.advice,
        line=burst.line,
    )
    before, after = burst.root(), grown.root()
    if after is None or (before is not None and before.number == after.number):
        return grown
    return Burst(**{**_fields(grown), "line": line["text"][:LINE_CAP]})  # type: ignore[arg-type]


def _fields(burst: Burst) -> Mapping[str, object]:
    return asdict(burst)
