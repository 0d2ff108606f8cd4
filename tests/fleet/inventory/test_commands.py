"""Commands of the inventory, as a person at the shell meets them."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from fleet.inventory.models import HostKey, JumpHost, Node
from fleet.inventory.services import offer_host_key
from tests.fleet.inventory.test_enrolment import host_key


def told(*argv):
    out = io.StringIO()
    call_command(*argv, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_import_nodes_reports_and_ends_with_1_when_a_row_is_refused(db, tmp_path, capsys):
    file = tmp_path / "nodes.csv"
    file.write_text("name,provider,region,address\nn1,S,sh,10.0.0.1\nn2,S,sh,\n")
    with pytest.raises(SystemExit) as ended:
        call_command("import_nodes", str(file))
    printed = capsys.readouterr().out
    assert ended.value.code == 1
    assert "refused        n2" in printed
    assert printed.endswith("1 created, 1 refused\n")
    assert Node.objects.get().name == "n1"


def test_a_dry_run_says_what_would_be_done(db, tmp_path, capsys):
    file = tmp_path / "nodes.csv"
    file.write_text("name,provider,region,address\nn1,S,sh,10.0.0.1\n")
    call_command("import_nodes", str(file), "--dry-run")
    printed = capsys.readouterr().out
    assert "would be created  n1" in printed
    assert printed.endswith("dry run, nothing was written: 1 would be created\n")
    assert not Node.objects.exists()


def test_a_file_without_a_row_says_so(db, tmp_path, capsys):
    file = tmp_path / "nodes.csv"
    file.write_text("name,provider,region,address\n")
    call_command("import_nodes", str(file))
    assert "nothing to import" in capsys.readouterr().out


def test_a_files_words_do_not_steer_the_terminal(db, tmp_path, capsys):
    file = tmp_path / "nodes.csv"
    file.write_text("name,provider,region,address\n\x1b[2Jn1,S,sh,10.0.0.1\n")
    with pytest.raises(SystemExit):
        call_command("import_nodes", str(file))
    printed = capsys.readouterr().out
    assert "\x1b" not in printed
    assert "\\x1b[2Jn1" in printed


def test_import_nodes_tells_a_file_that_cannot_be_read(db, tmp_path):
    with pytest.raises(CommandError, match="cannot be read") as refused:
        call_command("import_nodes", str(tmp_path / "none.csv"))
    assert refused.value.returncode == 2


def test_enrol_shows_the_keys_and_pins_the_one_compared(make_node, make_user):
    node = make_node(state="enrolling")
    key = offer_host_key(node=node, public_key=host_key(b"a"))
    assert told("enrol", node.name)["offered"] == key.fingerprint
    with pytest.raises(CommandError, match="not the fingerprint"):
        call_command("enrol", node.name, "--pin", "SHA256:other")
    by = make_user("ops")
    pinned = told("enrol", node.name, "--pin", key.fingerprint, "--by", by.email)
    assert (pinned["state"], pinned["pinned"], pinned["offered"]) == (
        "active",
        key.fingerprint,
        None,
    )
    assert HostKey.objects.get().pinned_by == by


def test_enrol_tells_what_it_cannot_do(make_node):
    node = make_node(address="127.0.0.1", port=9)
    with pytest.raises(CommandError, match="offers no key"):
        call_command("enrol", node.name, "--pin", "SHA256:x")
    assert told("enrol", node.name, "--scan")["scan"] == "unreachable"


def test_a_bastion_is_added_with_its_host_key_and_our_login_key_is_shown(db):
    key = host_key(b"j")
    assert told("jump_host", "gate", "10.0.0.254", "--host-key", key)["login_key"].startswith(
        "ssh-"
    )
    told("jump_host", "gate", "10.0.0.253", "--host-key", key)
    assert JumpHost.objects.get().address == "10.0.0.253"
    with pytest.raises(CommandError, match="not a public host key"):
        call_command("jump_host", "gate", "10.0.0.254", "--host-key", "x")


def test_tokens_are_made_listed_without_secret_and_revoked(make_user, client):
    person = make_user("ops")
    made = told("token", "create", person.email, "orders", "leases:read", "leases:write")[0]
    sent = {"HTTP_AUTHORIZATION": f"Bearer {made['secret']}"}
    assert client.get("/api/v1/leases", **sent).status_code == 200
    listed = told("token", "list", person.email)
    assert [row["name"] for row in listed] == ["orders"]
    assert "secret" not in listed[0]
    assert told("token", "revoke", str(made["id"]))[0]["revoked_at"]
    assert client.get("/api/v1/leases", **sent).status_code == 401
    with pytest.raises(CommandError):
        call_command("token", "revoke", "999")


@pytest.mark.parametrize("command", [("enrol",), ("examine",), ("findings", "--node")])
def test_every_command_answers_an_unknown_node_in_one_way(make_node, command):
    with pytest.raises(CommandError) as empty:
        call_command(*command, "nowhere")
    make_node(name="sh-r01-n03")
    with pytest.raises(CommandError) as near:
        call_command(*command, "sh-r01-n3")
    with pytest.raises(CommandError) as far:
        call_command(*command, "zz\0\x1b[31m")
    assert [str(each.value) for each in (empty, near, far)] == [
        "There is no node “nowhere”: the inventory is empty.",
        "There is no node “sh-r01-n3”. Did you mean sh-r01-n03?",
        "There is no node “zz\\x00\\x1b[31m”.",
    ]
    assert {each.value.returncode for each in (empty, near, far)} == {2}
