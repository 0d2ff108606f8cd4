"""What a reading says, in words: one whole sentence per reason, in the reader's language.

A sentence's places are named after the values of the reading; numbers get their unit from the
name's ending (`_c` °C, `_w` W, `_gib` GiB, `_pct` %, `_s` s, `_ms` ms). Values come from hosts:
they are text, and pages escape them like any other.
"""

from collections.abc import Mapping

from django.utils.translation import get_language, gettext_noop, pgettext
from django.utils.translation import gettext as _

from diagnostics.catalogue.load import fault, xid
from diagnostics.findings.sentences import SENTENCES
from diagnostics.probes.reading import Value
from fleet.people import formats

UNITS = {"c": "°C", "w": "W", "mib": "MiB", "gib": "GiB", "pct": "%", "s": "s", "ms": "ms"}

PROBES = {
    "node_reachable": gettext_noop("Node reachable"),
    "access_path": gettext_noop("Published port from outside"),
    "host_restart": gettext_noop("Host restart"),
    "gpu_count": gettext_noop("Cards present"),
    "gpu_state": gettext_noop("Card answers"),
    "xid": gettext_noop("Driver errors (Xid)"),
    "pcie_width": gettext_noop("PCIe link"),
    "temperature": gettext_noop("Temperature"),
    "event_reasons": gettext_noop("Clock limits"),
    "power_limit": gettext_noop("Power limit"),
    "driver_loaded": gettext_noop("Driver loaded"),
    "driver_answers": gettext_noop("Driver answers"),
    "driver_versions": gettext_noop("Driver versions"),
    "persistence": gettext_noop("Persistence mode"),
    "lease_container": gettext_noop("Container of the lease"),
    "disk_space": gettext_noop("Disk space"),
    "disk_inodes": gettext_noop("Inodes"),
}

# What could not be read, as it stands inside a sentence.
THINGS = {
    "nvidia": gettext_noop("the driver's answer"),
    "gpus": gettext_noop("the cards"),
    "driver": gettext_noop("the kernel module"),
    "pci": gettext_noop("the PCI bus"),
    "kernel": gettext_noop("the kernel log"),
    "containers": gettext_noop("the containers"),
    "sockets": gettext_noop("the listening ports"),
    "disks": gettext_noop("the disks"),
    "procs": gettext_noop("the processes"),
    "width_x": gettext_noop("the PCIe width"),
    "temperature_c": gettext_noop("the temperature"),
    "reasons": gettext_noop("the clock limits"),
    "limit_w": gettext_noop("the power limit"),
    "persistence": gettext_noop("the persistence mode"),
}


class _Places(dict[str, str]):
    """Named places of a sentence; one without a value shows a dash."""

    def __missing__(self, name: str) -> str:
        return formats.NOTHING


def sentence(reason: str, values: Mapping[str, Value]) -> str:
    """What a reading says, in the active language. Raises KeyError for an unheard-of reason."""
    places = _Places({name: _said(name, given) for name, given in values.items()})
    if reason.startswith("xid_"):
        places["name"] = _xid_name(values.get("number"))
    return _(SENTENCES[reason]) % places


def probe_title(name: str) -> str:
    """What a probe is called, in the active language. Raises KeyError."""
    return _(PROBES[name])


def _said(name: str, given: Value) -> str:
    """A value as it stands in a sentence: `83 °C`, `x16`, `the kernel log`."""
    if given is None or given == "":
        return formats.NOTHING
    if name in {"section", "value"}:
        return _(THINGS[str(given)]) if given in THINGS else str(given)
    if isinstance(given, str):
        return given
    stem, _line, suffix = name.rpartition("_")
    if stem and suffix == "x":
        return f"x{given}"
    if name == "uptime_s":
        return _duration(float(given))
    unit = UNITS.get(suffix, "") if stem else ""
    digits = 0 if float(given).is_integer() else 1
    return formats.number(given, unit, digits) if unit else str(given)


def _xid_name(number: Value) -> str:
    """What a driver error number reports. xid.csv speaks English; elsewhere the fault's title."""
    if not isinstance(number, int):
        return formats.NOTHING
    row, language = xid(number), get_language() or "en"
    named = row.name if language.startswith("en") else ""
    return named or fault(row.fault).title(language)


def _duration(seconds: float) -> str:
    """`45 s`, `12 min`, `2 h 5 min`, `3 d 4 h`."""
    whole = int(seconds)
    if whole < 60:
        return pgettext("duration", "%(n)d s") % {"n": whole}
    if whole < 3600:
        return pgettext("duration", "%(n)d min") % {"n": whole // 60}
    if whole < 172800:
        hours, minutes = whole // 3600, whole % 3600 // 60
        return pgettext("duration", "%(h)d h %(m)d min") % {"h": hours, "m": minutes}
    return pgettext("duration", "%(d)d d %(h)d h") % {
        "d": whole // 86400,
        "h": whole % 86400 // 3600,
    }
