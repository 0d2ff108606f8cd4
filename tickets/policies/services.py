"""Writes policies: new versions only, nothing that tickets already rely on changes."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import available_timezones

from django.db import IntegrityError, transaction
from django.db.models import Max, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import record
from fleet.leases.models import Lease
from fleet.people.models import User
from tickets.policies.models import LeasePolicy, PolicyVersion, SlaPolicy
from tickets.policies.queries import own_policy
from tickets.policies.terms import read_terms
from tickets.sla.fields import Wrong

STANDARD = "Standard"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def policy_for(lease: Lease | None, at: datetime) -> SlaPolicy:
    """The lease's own policy at that time, else everybody's."""
    return (own_policy(lease, at) if lease is not None else None) or default_policy()


def default_policy() -> SlaPolicy:
    """Everybody's policy; the first call makes it: answer in 30 min, port 5 min, complex 2 h."""
    found = SlaPolicy.objects.filter(is_default=True).first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            made = SlaPolicy.objects.create(name=STANDARD, is_default=True)
            PolicyVersion.objects.create(policy=made, version=1, effective_at=EPOCH)
            return made
    except IntegrityError:  # somebody else was quicker
        return SlaPolicy.objects.get(is_default=True)


@transaction.atomic
def add_policy(*, name: str, zone: str, actor: User | None) -> SlaPolicy:
    """A new promise, without terms yet. Raises Refused."""
    if not name.strip() or len(name) > 80:
        raise Refused({"name": _("Give the policy a name of 1 to 80 characters.")})
    if SlaPolicy.objects.filter(name=name).exists():
        raise Refused({"name": _("A policy of this name exists.")})
    if zone not in available_timezones():
        raise Refused({"zone": _("There is no time zone of this name.")})
    policy = SlaPolicy.objects.create(name=name, zone=zone)
    record(kind="sla_policy_added", actor=actor, data={"policy": policy.pk})
    return policy


@transaction.atomic
def add_version(
    *, policy: SlaPolicy, effective_at: datetime, terms: Mapping[str, Any], actor: User | None
) -> PolicyVersion:
    """Terms from a time on. Raises Refused, naming the field, for terms no clock can run by.

    Tickets that exist keep the version of their start; re-applying is an act of its own.
    """
    last = PolicyVersion.objects.filter(policy=policy).aggregate(last=Max("version"))["last"] or 0
    try:
        read_terms(last + 1, effective_at, terms)
    except Wrong as wrong:
        raise Refused({wrong.where or "terms": wrong.message}) from wrong
    row = PolicyVersion.objects.create(
        policy=policy,
        version=last + 1,
        effective_at=effective_at,
        terms=dict(terms),
        written_by=actor.pk if actor else None,
    )
    data = {"policy": policy.pk, "version": row.version}
    record(kind="sla_version_added", actor=actor, data=data)
    return row


@transaction.atomic
def assign(
    *,
    lease: Lease,
    policy: SlaPolicy,
    starts_at: datetime,
    ends_at: datetime | None = None,
    actor: User | None,
) -> LeasePolicy:
    """Give a lease a policy for a time; what runs at its start and has no end is cut there.

    Raises Refused where another time overlaps.
    """
    if ends_at is not None and ends_at <= starts_at:
        raise Refused({"ends_at": _("The end must lie after the start.")})
    if not PolicyVersion.objects.filter(policy=policy, effective_at__lte=starts_at).exists():
        raise Refused({"policy": _("This policy has no version in force at that time.")})
    rows = LeasePolicy.objects.select_for_update().filter(lease=lease)
    rows.filter(ends_at=None, starts_at__lt=starts_at).update(ends_at=starts_at)
    overlapping = rows.filter(Q(ends_at=None) | Q(ends_at__gt=starts_at))
    if ends_at is not None:
        overlapping = overlapping.filter(starts_at__lt=ends_at)
    if overlapping.exists():
        raise Refused({"starts_at": _("The lease has another policy in this time.")})
    row = LeasePolicy.objects.create(
        lease=lease, policy=policy, starts_at=starts_at, ends_at=ends_at
    )
    data = {"policy": policy.pk, "at": timezone.now().isoformat()}
    record(kind="sla_policy_assigned", actor=actor, lease=lease, data=data)
    return row
