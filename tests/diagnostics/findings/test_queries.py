"""Who sees which findings, and the command that lists them."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from diagnostics.findings.models import Finding
from diagnostics.findings.queries import findings_of_lease, findings_of_node, open_findings
from diagnostics.findings.states import FindingState
from fleet.inventory.states import NodeState
from fleet.leases.states import LeaseState
from fleet.people.models import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def shared(make_node, make_customer, make_lease, make_user, make_finding):
    """One node, two customers with a card each; a finding on each card and one on the node."""
    node = make_node(gpus=2)
    made = {"node": node, "ops": make_user(Role.OPS)}
    for name, gpu in zip("ab", node.gpus.all(), strict=True):
        customer = make_customer()
        lease = make_lease(node=node, customer=customer, gpus=[gpu])
        made[name] = make_user(customer=customer)
        made[f"lease_{name}"] = lease
        made[f"gpu_{name}"] = make_finding(
            node=node, code="gpu_fallen_off_bus", target=f"gpu:{gpu.uuid}", gpu=gpu, lease=lease
        )
    made["whole"] = make_finding(node=node)
    return made


def test_staff_see_everything_of_a_node(shared) -> None:
    assert open_findings(shared["ops"]).count() == 3
    assert findings_of_node(shared["ops"], shared["node"]).count() == 3


def test_a_customer_sees_their_cards_and_what_the_whole_node_suffers(shared) -> None:
    seen = set(open_findings(shared["a"]))
    assert seen == {shared["gpu_a"], shared["whole"]}
    assert set(findings_of_lease(shared["a"], shared["lease_a"])) == seen


def test_a_customer_gets_nothing_for_another_s_lease(shared) -> None:
    assert shared["gpu_b"] not in findings_of_lease(shared["a"], shared["lease_b"])
    assert set(findings_of_lease(shared["ops"], shared["lease_b"])) == {
        shared["gpu_b"],
        shared["whole"],
    }


def test_what_ended_before_a_lease_began_is_not_its_history(shared, make_finding) -> None:
    lease, now = shared["lease_a"], timezone.now()
    old = make_finding(
        node=shared["node"],
        opened_at=now - timedelta(days=9),
        cleared_at=now - timedelta(days=8),
        state=FindingState.CLEARED,
    )
    assert old not in findings_of_lease(shared["a"], lease)
    Finding.objects.filter(pk=old.pk).update(cleared_at=lease.starts_at + timedelta(hours=1))
    assert old in findings_of_lease(shared["a"], lease)


def test_after_the_lease_a_customer_no_longer_hears_of_the_node(shared, make_finding) -> None:
    lease = shared["lease_a"]
    lease.state, lease.ends_at = LeaseState.ENDED, timezone.now() - timedelta(hours=1)
    lease.save()
    assert shared["whole"] not in open_findings(shared["a"])
    assert shared["gpu_a"] in open_findings(shared["a"])


def test_simulated_findings_are_seen_in_drill_mode_only(make_node, make_finding, make_user) -> None:
    found = make_finding(node=make_node(simulated=True))
    assert found not in open_findings(make_user(Role.OPS))
    assert found in open_findings(make_user(Role.OPS, drill_mode=True))


def test_a_retired_node_s_findings_are_history(shared) -> None:
    shared["node"].state = NodeState.RETIRED
    shared["node"].save()
    assert not open_findings(shared["ops"]).exists()
    assert findings_of_node(shared["ops"], shared["node"]).count() == 3


def command(*arguments: str) -> str:
    out = StringIO()
    call_command("findings", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_lists_findings_as_json_with_words(shared, make_finding) -> None:
    make_finding(node=shared["node"], code="disk_full", state=FindingState.CLEARED)
    rows = json.loads(command("--open", "--json"))
    assert [row["code"] for row in rows].count("gpu_fallen_off_bus") == 2
    assert all(row["title"] and row["reason"] and row["node"] for row in rows)
    assert len(json.loads(command("--json"))) == len(rows) + 1
    assert command("--open").count("\n") == len(rows)


def test_the_command_refuses_a_node_it_does_not_know(shared) -> None:
    with pytest.raises(CommandError, match="There is no node “nowhere”"):
        command("--node", "nowhere")


def test_the_command_says_when_there_is_nothing() -> None:
    assert command() == "No findings.\n"
    assert json.loads(command("--json")) == []


def test_more_findings_take_no_more_queries(shared, make_finding) -> None:
    def count() -> int:
        with CaptureQueriesContext(connection) as seen:
            command("--json")
        return len(seen)

    few = count()
    for number in range(30):
        make_finding(node=shared["node"], target=f"path:{number}")
    assert count() == few
