"""Checks what a host claims against the shapes of `probes.facts`: wrong types become None. Pure."""

import math
from collections.abc import Callable, Mapping

TEXT_CAP = 300
CARDS_CAP, ROWS_CAP, LINES_CAP = 32, 300, 400

Check = Callable[[object], object]


class WrongShape(ValueError):
    """The payload is not what this section holds."""


def text(value: object) -> str | None:
    return value[:TEXT_CAP] if type(value) is str else None


def whole(value: object) -> int | None:
    return value if type(value) is int and abs(value) < 1 << 53 else None


def number(value: object) -> float | None:
    if type(value) is int:
        value = float(value) if abs(value) < 1 << 53 else None
    return value if type(value) is float and math.isfinite(value) else None


def flag(value: object) -> bool | None:
    return value if type(value) is bool else None


def wholes(value: object) -> list[int] | None:
    if type(value) is not list or len(value) > ROWS_CAP:
        return None
    return value if all(type(one) is int for one in value) else None


def texts(value: object) -> list[str]:
    if type(value) is not list:
        return []
    return [one[:TEXT_CAP] for one in value[:ROWS_CAP] if type(one) is str]


def words(value: object) -> dict[str, str]:
    if type(value) is not dict:
        return {}
    pairs = list(value.items())[:64]
    return {key[:40]: word[:40] for key, word in pairs if type(word) is str}


def processes(value: object) -> list[dict[str, object]]:
    if type(value) is not list:
        return []
    return [
        {"pid": row["pid"], "mib": whole(row.get("mib"))}
        for row in value[:64]
        if type(row) is dict and type(row.get("pid")) is int
    ]


def _ports(value: object) -> list[dict[str, object]]:
    if type(value) is not list:
        return []
    return [
        {"ip": str(one[0])[:64], "host": one[1], "inside": one[2]}
        for one in value[:64]
        if type(one) is list and len(one) == 3 and type(one[1]) is int and type(one[2]) is int
    ]


CARD: Mapping[str, Check] = {
    **dict.fromkeys(("source", "state", "uuid", "name", "pci", "vbios", "action"), text),
    **dict.fromkeys(
        (
            *("index", "minor", "pstate", "temperature_c", "margin_c", "slowdown_c", "target_c"),
            *("fan_pct", "sm_mhz", "mem_mhz", "util_pct", "util_mem_pct", "memory_total_mib"),
            *("memory_used_mib", "memory_free_mib", "memory_reserved_mib", "gen", "gen_max"),
            *("width_x", "width_max_x", "reasons"),
        ),
        whole,
    ),
    **dict.fromkeys(
        (
            *("power_w", "limit_w", "limit_enforced_w"),
            *("limit_default_w", "limit_min_w", "limit_max_w"),
        ),
        number,
    ),
    **dict.fromkeys(("ecc", "persistence"), flag),
    "remapped": wholes,
    "processes": processes,
    "errors": words,
}
_CARD = tuple(CARD.items())
NVIDIA: Mapping[str, Check] = {
    **dict.fromkeys(("answer", "via", "driver", "text"), text),
    "code": whole,
    "stuck": lambda value: wholes(value) or [],
}
MODULE: Mapping[str, Check] = {
    **dict.fromkeys(("loaded", "nouveau"), flag),
    **dict.fromkeys(("version", "kernel"), text),
}
FUNCTION: Mapping[str, Check] = {
    **dict.fromkeys(("pci", "device"), text),
    **dict.fromkeys(("width_x", "width_max_x"), whole),
    "dead": flag,
}
CONTAINER: Mapping[str, Check] = {
    **dict.fromkeys(("id", "name", "state"), text),
    "exit_code": whole,
    "oom": flag,
    **dict.fromkeys(("ports", "bound"), _ports),
    "gpus": texts,
}
DISK: Mapping[str, Check] = {"mount": text, **dict.fromkeys(("size", "used", "free"), whole)}
STUCK: Mapping[str, Check] = {
    **dict.fromkeys(("pid", "seconds"), whole),
    **dict.fromkeys(("wchan", "name"), text),
}
PYTHON: Mapping[str, Check] = {"version": text, "kit": text, "cpu_ms": whole, "wall_ms": whole}


def row(value: object, shape: Mapping[str, Check]) -> dict[str, object]:
    """One dict, known keys only. Raises WrongShape when it is no dict."""
    if type(value) is not dict:
        raise WrongShape("not an object")
    return {name: check(value.get(name)) for name, check in shape.items()}


def rows(value: object, shape: Mapping[str, Check], cap: int = ROWS_CAP) -> list[dict[str, object]]:
    """A list of dicts. Raises WrongShape when it is anything else."""
    if type(value) is not list:
        raise WrongShape("not a list")
    return [row(one, shape) for one in value[:cap]]


def cards(value: object) -> list[dict[str, object]]:
    """The cards; the loop is written out because eight of them are read every visit."""
    if type(value) is not list:
        raise WrongShape("not a list")
    found = []
    for one in value[:CARDS_CAP]:
        if type(one) is not dict:
            raise WrongShape("not an object")
        get = one.get
        found.append({name: check(get(name)) for name, check in _CARD})
    return found


def kernel(value: object) -> dict[str, object]:
    """New kernel lines as {at, text}."""
    if type(value) is not dict or type(value.get("lines")) is not list:
        raise WrongShape("no lines")
    lines = [
        {"at": float(line[0]), "text": line[1][:TEXT_CAP]}
        for line in value["lines"][:LINES_CAP]
        if type(line) is list and len(line) == 2 and number(line[0]) and type(line[1]) is str
    ]
    cursor = value.get("cursor")
    return {
        "source": text(value.get("source")) or "",
        "cursor": cursor[:400] if type(cursor) is str else "",
        "lines": lines,
        "skipped": whole(value.get("skipped")) or 0,
    }


def sockets(value: object) -> list[dict[str, object]]:
    """Listening sockets as {address, port}."""
    if type(value) is not list:
        raise WrongShape("not a list")
    return [
        {"address": one[0][:64], "port": one[1]}
        for one in value[:ROWS_CAP]
        if type(one) is list and len(one) == 2 and type(one[0]) is str and type(one[1]) is int
    ]


def disks(value: object) -> dict[str, object]:
    """File systems by what is counted."""
    if type(value) is not dict:
        raise WrongShape("not an object")
    return {
        kind: [r for r in rows(value.get(kind), DISK) if None not in r.values()]
        for kind in ("space", "inodes")
    }


PAYLOADS: Mapping[str, Check] = {
    "nvidia": lambda value: row(value, NVIDIA),
    "gpus": cards,
    "driver": lambda value: row(value, MODULE),
    "pci": lambda value: rows(value, FUNCTION),
    "kernel": kernel,
    "containers": lambda value: rows(value, CONTAINER),
    "sockets": sockets,
    "disks": disks,
    "procs": lambda value: rows(value, STUCK),
    "python": lambda value: row(value, PYTHON),
}
