"""PCI addresses as everybody writes them, brought into one form. Pure."""

import re
from functools import lru_cache

_ADDRESS = re.compile(r"(?:([0-9a-f]{4,8}):)?([0-9a-f]{2}):([0-9a-f]{2})(?:\.([0-7]))?")


@lru_cache(maxsize=8192)
def normal(text: str | None) -> str:
    """`00000000:41:00.0`, `PCI:0000:41:00` or `41:00.0` → `0000:41:00.0`; "" for anything else."""
    found = _ADDRESS.search((text or "").lower())
    if not found:
        return ""
    domain, bus, device, function = found.groups()
    return f"{int(domain or '0', 16):04x}:{bus}:{device}.{function or '0'}"
