"""The faults the product can name and NVIDIA's driver error numbers, read once. Pure.

faults.csv and xid.csv are the source of every word here: new faults get new rows, codes stay.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

UNKNOWN_XID = "xid_unknown"


def _words(cell: str) -> tuple[str, ...]:
    return tuple(cell.split("|")) if cell else ()


@dataclass(frozen=True, slots=True)
class Fault:
    """One row of faults.csv. `title` and its like take a language code: `zh…` or else English.

    `layer` is one of the eight of `probes.reading.Layer`; `severity` info, low, medium, high or
    critical; `opens` incident, worklist or record; `customer_fault` yes, no or unclear.
    `consequence_of` names the faults of which this one is usually only a symptom.
    """

    code: str
    layer: str
    severity: str
    fixed_by: str
    customer_fault: str
    opens: str
    sla_class: str
    source: str
    consequence_of: tuple[str, ...]
    remedies: tuple[str, ...]
    english: tuple[str, str, str, str]
    chinese: tuple[str, str, str, str]

    def title(self, language: str) -> str:
        """What the fault is called."""
        return self._in(language)[0]

    def summary(self, language: str) -> str:
        """One sentence for the customer: what it is."""
        return self._in(language)[1]

    def advice(self, language: str) -> str:
        """For the customer: what to do now."""
        return self._in(language)[2]

    def staff(self, language: str) -> str:
        """For staff: what to check or do first."""
        return self._in(language)[3]

    def _in(self, language: str) -> tuple[str, str, str, str]:
        return self.chinese if language.lower().startswith("zh") else self.english


@dataclass(frozen=True, slots=True)
class Xid:
    """One row of xid.csv.

    `severity` is app, info, action, fatal or not_applicable; a `consequence_only` number is never
    the finding by itself while another number explains it. `confidence` is high, medium or low.
    """

    number: int
    name: str
    layer: str
    severity: str
    fault: str
    consequence_only: bool
    repeat_rule: str
    action: tuple[str, ...]
    confidence: str
    note: str


def _rows(name: str) -> Iterator[dict[str, str]]:
    text = files("diagnostics.catalogue").joinpath(name).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(keepends=True))


def _fault(row: dict[str, str]) -> Fault:
    def said(language: str) -> tuple[str, str, str, str]:
        title, summary, advice, staff = (
            row[f"{column}_{language}"] for column in ("title", "summary", "advice", "staff")
        )
        return title, summary, advice, staff

    return Fault(
        code=row["code"],
        layer=row["layer"],
        severity=row["severity"],
        fixed_by=row["fixed_by"],
        customer_fault=row["customer_fault"],
        opens=row["opens"],
        sla_class=row["sla_class"],
        source=row["source"],
        consequence_of=_words(row["consequence_of"]),
        remedies=_words(row["remedies"]),
        english=said("en"),
        chinese=said("zh"),
    )


def _xid(row: dict[str, str]) -> Xid:
    return Xid(
        number=int(row["code"]),
        name=row["name"],
        layer=row["layer"],
        severity=row["severity"],
        fault=row["fault"],
        consequence_only=row["consequence_only"] == "yes",
        repeat_rule=row["repeat_rule"],
        action=_words(row["action"]),
        confidence=row["confidence"],
        note=row["note"],
    )


FAULTS = MappingProxyType({row["code"]: _fault(row) for row in _rows("faults.csv")})
XIDS = MappingProxyType({int(row["code"]): _xid(row) for row in _rows("xid.csv")})


def fault(code: str) -> Fault:
    """The fault called `code`. Raises KeyError."""
    return FAULTS[code]


def xid(number: int) -> Xid:
    """What a driver error number means; one not listed is `xid_unknown`: look, never act."""
    known = XIDS.get(number)
    if known is not None:
        return known
    return Xid(
        number=number,
        name="",
        layer="driver",
        severity="action",
        fault=UNKNOWN_XID,
        consequence_only=False,
        repeat_rule="",
        action=(),
        confidence="low",
        note="",
    )


def explains(root: str, symptom: str) -> bool:
    """Whether `symptom` is usually only a consequence of `root`, over any number of steps."""
    return symptom in FAULTS and root in _causes(symptom)


@cache
def _causes(code: str) -> frozenset[str]:
    found: set[str] = set()
    waiting = [code]
    while waiting:
        known = FAULTS.get(waiting.pop())
        fresh = set(known.consequence_of if known else ()) - found
        found |= fresh
        waiting += fresh
    return frozenset(found - {code})
