"""What the order system says of a lease, as plain data. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, TypedDict

MOST_PATHS = 64


@dataclass(frozen=True, slots=True)
class PathFacts:
    """One published port, known by its public name and port."""

    public_host: str
    public_port: int
    node_port: int
    kind: str = "ssh"
    container_port: int | None = None
    gateway: str = ""


class LeaseFacts(TypedDict, total=False):
    """A field that is left out stays as it is; `gpus` (UUIDs) and `paths` replace the whole set."""

    customer: str
    node: str
    group: str
    gpus: Sequence[str]
    paths: Sequence[PathFacts]
    state: str
    kind: str
    container: str
    image: str
    limits: dict[str, Any]
    price: Decimal | None
    price_unit: str
    starts_at: datetime
    ends_at: datetime | None
