"""How verdicts, severities, layers and targets are said and drawn on every page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, ngettext, pgettext_lazy
from django.utils.translation import gettext as _

from diagnostics.catalogue.load import fault
from diagnostics.findings import messages
from diagnostics.findings.models import Finding
from diagnostics.probes.reading import Layer, Value, Verdict
from fleet.leases.models import AccessPath
from fleet.people import formats
from tickets.advice import advice


@dataclass(frozen=True, slots=True)
class Sign:
    """A status: its word, its shape (lucide icon) and the CSS class that colours it."""

    key: str
    word: str | Promise
    icon: str

    @property
    def css(self) -> str:
        return f"is-{self.key}"


FIRST = re.compile(r"(?<=。) *|(?<=\.) +")
VERDICTS = {
    Verdict.OK: Sign("ok", pgettext_lazy("verdict", "ok"), "circle-check"),
    Verdict.WARN: Sign("warn", pgettext_lazy("verdict", "warn"), "triangle-alert"),
    Verdict.FAIL: Sign("fail", pgettext_lazy("verdict", "fail"), "octagon-x"),
    Verdict.UNKNOWN: Sign("unknown", pgettext_lazy("verdict", "unknown"), "circle-question-mark"),
}
SEVERITIES = {
    "critical": Sign("critical", pgettext_lazy("severity", "critical"), "siren"),
    "high": Sign("high", pgettext_lazy("severity", "high"), "octagon-alert"),
    "medium": Sign("medium", pgettext_lazy("severity", "medium"), "triangle-alert"),
    "low": Sign("low", pgettext_lazy("severity", "low"), "circle-arrow-down"),
    "info": Sign("info", pgettext_lazy("severity", "info"), "info"),
}
LAYERS: dict[str, str | Promise] = {
    Layer.ACCESS: pgettext_lazy("layer", "access"),
    Layer.HARDWARE: pgettext_lazy("layer", "hardware"),
    Layer.DRIVER: pgettext_lazy("layer", "driver"),
    Layer.RUNTIME: pgettext_lazy("layer", "runtime"),
    Layer.FRAMEWORK: pgettext_lazy("layer", "framework"),
    Layer.APPLICATION: pgettext_lazy("layer", "application"),
    Layer.NETWORK: pgettext_lazy("layer", "network"),
    Layer.STORAGE: pgettext_lazy("layer", "storage"),
}
OPENS: dict[str, str | Promise] = {
    "incident": gettext_lazy("act now"),
    "worklist": gettext_lazy("daytime work"),
    "record": gettext_lazy("for the record"),
}
SIDES = {
    "no": gettext_lazy("Platform"),
    "yes": gettext_lazy("Your program or settings"),
    "unclear": gettext_lazy("Not yet determined"),
}


def verdict(key: str) -> Sign:
    """The sign of a verdict; anything unheard of is unknown, never ok."""
    return VERDICTS[Verdict(key)] if key in VERDICTS else VERDICTS[Verdict.UNKNOWN]


def severity(key: str) -> Sign:
    """The sign of a severity; anything unheard of counts as medium."""
    return SEVERITIES.get(key, SEVERITIES["medium"])


def opens(key: str) -> str:
    """What kind of work a finding is."""
    return str(OPENS.get(key, key))


def layer(key: str) -> str:
    """The layer's name in the reader's language, or the key itself."""
    return str(LAYERS.get(key, key))


@dataclass(frozen=True, slots=True)
class FaultText:
    """The catalogue's words for a fault in the reader's language."""

    title: str
    summary: str = ""
    advice: str = ""
    staff: str = ""
    side: str = ""


def fault_text(code: str) -> FaultText:
    """What the catalogue says; a code it does not hold is shown as it is."""
    language = get_language() or "en"
    try:
        row = fault(code)
    except KeyError:
        return FaultText(code)
    return FaultText(
        title=row.title(language),
        summary=row.summary(language),
        advice=advice(code, row.advice(language)),
        staff=row.staff(language),
        side=str(SIDES.get(row.customer_fault, SIDES["unclear"])),
    )


def first_step(text: str) -> str:
    """The first sentence of a text: what to do before anything else."""
    return FIRST.split(text, maxsplit=1)[0]


def sentence(reason: str, values: Mapping[str, Value]) -> str:
    """The reading in words; a reason nobody has words for is shown as it is."""
    try:
        return messages.sentence(reason, values)
    except KeyError:
        return reason


def probe(name: str) -> str:
    """The probe's title; a probe that is gone is shown by its name."""
    try:
        return messages.probe_title(name)
    except KeyError:
        return name


def card(uuid: str, slot: str = "") -> str:
    """`Card 8a31f0c2, slot 3`: the UUID's first group is what people compare."""
    short = uuid.removeprefix("GPU-").split("-", 1)[0]
    if slot:
        return _("Card %(card)s, slot %(slot)s") % {"card": short, "slot": slot}
    return _("Card %(card)s") % {"card": short}


def port(path: AccessPath) -> str:
    """`SSH port 203.0.113.7:22022`: what the customer dials."""
    return _("%(kind)s port %(address)s") % {"kind": path.get_kind_display(), "address": path}


def found_on(found: Finding) -> str:
    """What a finding is about: the card with its slot, the port with its address, or less."""
    if found.gpu is not None:
        return card(found.gpu.uuid, found.gpu.slot)
    if found.path is not None:
        return port(found.path)
    return target_name(found.target)


def target_name(target: str) -> str:
    """What a target is called when its row is not at hand."""
    kind, _colon, key = target.partition(":")
    if kind == "gpu":
        return card(key)
    if kind == "lease":
        return _("Instance %(order)s") % {"order": key}
    return _("Port %(port)s") % {"port": key} if kind == "path" else _("Node")


UNITS = {"c": "°C", "w": "W", "mib": "MiB", "gib": "GiB", "pct": "%", "s": "s", "ms": "ms"}


def value(name: str, given: Value) -> tuple[str, str]:
    """A reading's value with its unit: `temp_c`, 83 → (`temp`, `83 °C`)."""
    stem, _line, suffix = name.rpartition("_")
    if suffix == "x" and isinstance(given, int):
        return stem, f"x{given}"
    unit = UNITS.get(suffix, "") if stem else ""
    label = stem if unit else name
    if given is None or isinstance(given, str):
        return label, given or formats.NOTHING
    if name == "port" or name.endswith("_port"):
        return label, str(given)  # it is a name for people to type, not a quantity
    digits = 0 if float(given).is_integer() else 1
    return label, formats.number(given, unit, digits)


FACTS: dict[str, str | Promise] = {
    "provider": gettext_lazy("Provider"),
    "state": gettext_lazy("State"),
    "address": gettext_lazy("Address"),
    "jump": gettext_lazy("By way of"),
    "login": gettext_lazy("Login"),
    "asset": gettext_lazy("Asset tag"),
    "power": gettext_lazy("Power feed"),
    "uplink": gettext_lazy("Uplink"),
    "machine": gettext_lazy("Machine"),
    "kind": gettext_lazy("Kind"),
    "region": gettext_lazy("Region"),
    "image": gettext_lazy("Image"),
    "container": gettext_lazy("Container"),
    "starts": gettext_lazy("Start"),
    "ends": gettext_lazy("End"),
    "driver": gettext_lazy("Driver"),
    "kernel": gettext_lazy("Kernel"),
}


def fact(key: str) -> str:
    """The label of a fact about a node."""
    return str(FACTS.get(key, key))


def cores(count: int) -> str:
    """How many processor cores."""
    return ngettext("%(count)d core", "%(count)d cores", count) % {"count": count}
