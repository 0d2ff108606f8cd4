"""What was promised: versions that never change, and the policy of each lease."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import DatabaseError, transaction

from fleet.changes.errors import Refused
from tickets.cases.opening import open_ticket
from tickets.policies.models import PolicyVersion, SlaPolicy
from tickets.policies.services import add_policy, add_version, assign, default_policy, policy_for

MAY = datetime(2026, 5, 1, tzinfo=UTC)
STRICT = {"classes": {"complex": {"response_s": 900, "resolution_s": 3600}}}


@pytest.fixture
def gold(db, make_user):
    policy = add_policy(name="Gold", zone="Europe/Berlin", actor=make_user("manager"))
    add_version(policy=policy, effective_at=MAY, terms=STRICT, actor=None)
    return policy


def test_everybody_has_the_default_promise(db):
    assert default_policy() == default_policy() == policy_for(None, MAY)
    assert SlaPolicy.objects.count() == 1


def test_versions_count_up_and_never_change(gold):
    second = add_version(policy=gold, effective_at=MAY, terms=STRICT, actor=None)
    assert second.version == 2
    with pytest.raises(DatabaseError), transaction.atomic():
        PolicyVersion.objects.update(version=9)


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        (
            {"classes": {"complex": {"response_s": 0, "resolution_s": 1}}},
            "classes.complex.response_s",
        ),
        ({"calendar": {"zone": "Mars", "hours": {}}}, "calendar.zone"),
        ({"flap_s": "long"}, "flap_s"),
    ],
)
def test_terms_no_clock_can_run_by_are_refused_with_their_place(gold, terms, field):
    with pytest.raises(Refused) as refused:
        add_version(policy=gold, effective_at=MAY, terms=terms, actor=None)
    assert set(refused.value.errors) == {field}


def test_a_policy_needs_a_name_of_its_own_and_a_zone(gold):
    for name, zone, field in (("", "UTC", "name"), ("Gold", "UTC", "name"), ("x", "Mars", "zone")):
        with pytest.raises(Refused) as refused:
            add_policy(name=name, zone=zone, actor=None)
        assert set(refused.value.errors) == {field}


def test_a_lease_has_its_own_promise_for_a_time(gold, make_lease):
    lease = make_lease()
    assign(lease=lease, policy=gold, starts_at=MAY, ends_at=MAY + timedelta(days=1), actor=None)
    assert policy_for(lease, MAY) == gold
    assert policy_for(lease, MAY - timedelta(seconds=1)) == default_policy()
    assert policy_for(lease, MAY + timedelta(days=1)) == default_policy()


def test_a_later_policy_ends_the_one_before(gold, make_lease):
    lease, silver = make_lease(), add_policy(name="Silver", zone="UTC", actor=None)
    add_version(policy=silver, effective_at=MAY, terms={}, actor=None)
    assign(lease=lease, policy=gold, starts_at=MAY, actor=None)
    assign(lease=lease, policy=silver, starts_at=MAY + timedelta(days=2), actor=None)
    assert policy_for(lease, MAY + timedelta(days=1)) == gold
    assert policy_for(lease, MAY + timedelta(days=3)) == silver
    with pytest.raises(Refused, match="another policy"):
        assign(lease=lease, policy=gold, starts_at=MAY + timedelta(days=1), actor=None)


def test_a_policy_that_promises_nothing_yet_cannot_be_given(gold, make_lease):
    with pytest.raises(Refused, match="in force"):
        assign(lease=make_lease(), policy=gold, starts_at=MAY - timedelta(days=1), actor=None)


def test_a_ticket_keeps_the_terms_of_its_start(gold, make_lease):
    lease = make_lease()
    assign(lease=lease, policy=gold, starts_at=MAY, actor=None)
    ticket = open_ticket(
        customer=lease.customer, lease=lease, subject="x", source="portal", klass="complex", at=MAY
    )
    assert ticket.response_due_at == MAY + timedelta(minutes=15)
    loose = {"classes": {"complex": {"response_s": 9000, "resolution_s": 9000}}}
    add_version(policy=gold, effective_at=MAY + timedelta(minutes=1), terms=loose, actor=None)
    from tickets.cases.settle import settle

    settle(ticket.pk, MAY + timedelta(minutes=2))
    ticket.refresh_from_db()
    assert ticket.response_due_at == MAY + timedelta(minutes=15)
