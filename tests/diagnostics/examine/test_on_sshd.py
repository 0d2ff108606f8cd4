"""A whole examination of a real OpenSSH host, from the claim to the stored rows."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from diagnostics.examine.models import Examination, VisitRequest, Watch
from diagnostics.examine.services import NotInService, examine_now
from diagnostics.examine.states import VisitState
from diagnostics.findings.models import Finding
from fleet.inventory.models import HostKey, Node
from fleet.inventory.states import HostKeyState, NodeState
from fleet.transport import keys

pytestmark = [pytest.mark.sshd, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def host(sshd, make_node, make_credential):
    """The first address of the real sshd as a node in service."""
    at = sshd.hosts[0]
    credential = make_credential(secret=keys.encrypt(sshd.private_key), username=at.username)
    node = make_node(address=at.address, port=at.port, credential=credential, gpus=2)
    algorithm, public = sshd.host_key.split()
    HostKey.objects.create(
        node=node, algorithm=algorithm, public_key=public, state=HostKeyState.PINNED
    )
    return node


def test_a_host_without_nvidia_is_reached_and_never_called_ok(host: Node) -> None:
    row = examine_now(host)
    watch = Watch.objects.get(node=host)
    by_probe = {(each["probe"], each["target"]): each for each in watch.readings}
    assert row.reached == "ok"
    assert by_probe["node_reachable", "node"]["verdict"] == "ok"
    # A kernel log without Xid lines is a true reading of the log, whatever the driver does.
    of_cards = [
        each
        for each in watch.readings
        if each["target"].startswith("gpu:") and each["probe"] != "xid"
    ]
    assert of_cards
    assert "ok" not in {each["verdict"] for each in of_cards}, watch.readings
    assert watch.token == ""
    assert watch.claimed_until is None
    assert watch.memory["visit"]["reached"] == "ok"


def test_a_second_visit_finds_the_kit_in_place(host: Node) -> None:
    examine_now(host)
    second = examine_now(host)
    assert second.reached == "ok"
    assert Examination.objects.filter(node=host).count() == 2
    assert set(VisitRequest.objects.values_list("state", flat=True)) == {VisitState.DONE}


def test_another_host_key_is_a_finding_and_never_trusted(host: Node) -> None:
    HostKey.objects.filter(node=host).update(public_key="AAAAC3NzaC1lZDI1NTE5AAAAIAAAAA")
    row = examine_now(host)
    assert row.reached == "host_key_changed"
    assert Finding.objects.get(node=host).code == "ssh_host_key_changed"
    offered = HostKey.objects.get(node=host, state=HostKeyState.OFFERED)
    assert offered.public_key != HostKey.objects.get(state=HostKeyState.PINNED).public_key
    assert examine_now(host).reached == "host_key_changed"


def test_a_refused_login_is_named(host: Node, sshd) -> None:
    private, _public = keys.generate()
    host.credential.secret = keys.encrypt(private)
    host.credential.save()
    assert examine_now(host).reached == "auth_refused"
    assert Finding.objects.get(node=host).code == "probe_access_denied"


def test_the_command_prints_every_reading_in_words(host: Node) -> None:
    out = StringIO()
    call_command("examine", host.name, "--json", stdout=out)
    report = json.loads(out.getvalue())
    assert report["node"] == host.name
    assert report["reached"] == "ok"
    assert all(each["sentence"] for each in report["readings"])


def test_a_misspelt_node_is_answered_with_near_names(host: Node) -> None:
    with pytest.raises(CommandError, match=host.name):
        call_command("examine", host.name.replace("node", "noed"))


def test_a_retired_node_is_not_examined(host: Node) -> None:
    Node.objects.filter(pk=host.pk).update(state=NodeState.RETIRED)
    host.refresh_from_db()
    with pytest.raises(NotInService):
        examine_now(host)
    with pytest.raises(CommandError, match="Retired"):
        call_command("examine", host.name)
