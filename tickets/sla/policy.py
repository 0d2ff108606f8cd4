"""What a contract promises, in versions. Durations are in milliseconds, in files seconds. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType

from tickets.sla.calendar import ALWAYS, Hours
from tickets.sla.instants import SECOND


@dataclass(frozen=True, slots=True)
class Target:
    """The targets of one class of tickets. `self_service`: a verified automated act meets both."""

    response: int
    resolution: int
    self_service: bool = False


DEFAULT_CLASSES: Mapping[str, Target] = MappingProxyType(
    {
        "port": Target(1800 * SECOND, 300 * SECOND, self_service=True),
        "complex": Target(1800 * SECOND, 7200 * SECOND),
        "general": Target(1800 * SECOND, 28_800 * SECOND),
    }
)


@dataclass(frozen=True)
class Policy:
    """One version of a policy. A ticket keeps the version in force at its start."""

    version: int = 1
    effective_at: int = 0
    classes: Mapping[str, Target] = field(default_factory=lambda: DEFAULT_CLASSES)
    hours: Hours = ALWAYS
    next_response: int = 1800 * SECOND
    reopen: int = 259_200 * SECOND
    no_reply: int = 259_200 * SECOND
    flap: int = 900 * SECOND
    backdate: int = 900 * SECOND
    provisional: int = 180 * SECOND
    warn_percent: tuple[Fraction, ...] = (Fraction(50), Fraction(80))


DEFAULT = Policy()


def in_force(policies: Sequence[Policy], at: int) -> Policy | None:
    """The version in force at an instant: the newest to take effect, then the highest number."""
    begun = [policy for policy in policies if policy.effective_at <= at]
    return max(begun, key=lambda policy: (policy.effective_at, policy.version), default=None)
