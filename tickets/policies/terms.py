"""Terms of a policy version as its row keeps them, and as the clocks read them."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from tickets.policies.models import PolicyVersion
from tickets.sla import instants
from tickets.sla.fields import Fields
from tickets.sla.policy import Policy
from tickets.sla.reading_policies import read_policy


def instant(when: datetime) -> int:
    """A time of the database as the clocks count: whole milliseconds, the rest cut off."""
    return int(when.timestamp() // 1) * instants.SECOND + when.microsecond // 1000


def read_terms(version: int, effective_at: datetime, terms: Mapping[str, Any]) -> Policy:
    """The version as the clocks read it. Raises sla.fields.Wrong, which says where it is wrong."""
    said = {
        **terms,
        "version": version,
        "effective_at": instants.say(instant(effective_at)),
    }
    return read_policy(Fields.of(said, ""))


def policies_of(versions: Iterable[PolicyVersion]) -> tuple[Policy, ...]:
    """All versions of a policy."""
    return tuple(read_terms(row.version, row.effective_at, row.terms) for row in versions)
