"""Which policy holds for a lease at an instant."""

from collections.abc import Collection, Mapping
from datetime import datetime

from django.db.models import Q

from fleet.leases.models import Lease
from tickets.policies.models import LeasePolicy, PolicyVersion, SlaPolicy
from tickets.policies.terms import instant, policies_of
from tickets.sla.policy import Policy, in_force


def own_policy(lease: Lease, at: datetime) -> SlaPolicy | None:
    """The policy of this lease at that time, if it has one of its own."""
    rows = LeasePolicy.objects.filter(lease=lease, starts_at__lte=at)
    own = rows.filter(Q(ends_at=None) | Q(ends_at__gt=at)).select_related("policy").first()
    return own.policy if own else None


def terms_of(policies: Collection[int]) -> Mapping[int, tuple[Policy, ...]]:
    """Every version of these policies as the clocks read them (one query)."""
    found: dict[int, list[PolicyVersion]] = {pk: [] for pk in policies}
    for row in PolicyVersion.objects.filter(policy__in=policies).order_by("version"):
        found[row.policy_id].append(row)
    return {pk: policies_of(rows) for pk, rows in found.items()}


def terms_in_force(policy: SlaPolicy, at: datetime) -> Policy | None:
    """The version of a policy in force at a time; None before its first."""
    return in_force(terms_of([policy.pk])[policy.pk], instant(at))
