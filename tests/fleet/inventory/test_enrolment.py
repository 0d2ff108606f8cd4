"""Enrolment: a node shows its key, a person compares and pins it; a change is not accepted."""

import base64

import pytest
from django.urls import reverse

from fleet.changes.errors import Refused, StaleState
from fleet.changes.models import Event
from fleet.inventory import scanning
from fleet.inventory.hostkey import BadHostKey, read_host_key
from fleet.inventory.models import HostKey, KeyScan
from fleet.inventory.services import (
    ask_for_scan,
    enrol,
    offer_host_key,
    pin_host_key,
    refuse_host_key,
)


def host_key(seed):
    parts = (b"ssh-ed25519", seed * 32)
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    return "ssh-ed25519 " + base64.b64encode(blob).decode()


@pytest.fixture
def ops(make_user):
    return make_user("ops")


@pytest.fixture
def node(make_node):
    return make_node(state="enrolling")


def test_pinning_the_first_key_takes_a_node_into_service(node, ops):
    key = offer_host_key(node=node, public_key=host_key(b"a") + " root@node")
    enrol(key=key, fingerprint=key.fingerprint, actor=ops)
    node.refresh_from_db()
    key.refresh_from_db()
    assert (node.state, key.state, key.pinned_by) == ("active", "pinned", ops)
    kinds = list(Event.objects.order_by("pk").values_list("kind", flat=True))
    assert kinds == ["host_key_offered", "host_key_pinned", "node_moved"]


def test_another_fingerprint_than_the_one_compared_pins_nothing(node, ops):
    key = offer_host_key(node=node, public_key=host_key(b"a"))
    with pytest.raises(Refused):
        enrol(key=key, fingerprint="SHA256:other", actor=ops)
    node.refresh_from_db()
    assert node.state == "enrolling"


def test_only_ops_pin(node, make_user):
    key = offer_host_key(node=node, public_key=host_key(b"a"))
    for person in (make_user("manager"), make_user()):
        with pytest.raises(Refused, match="Only ops"):
            pin_host_key(key=key, fingerprint=key.fingerprint, actor=person)


def test_a_changed_key_is_offered_beside_the_pinned_one_and_told_once(node, ops):
    old = offer_host_key(node=node, public_key=host_key(b"a"))
    enrol(key=old, fingerprint=old.fingerprint, actor=ops)
    new = offer_host_key(node=node, public_key=host_key(b"b"))
    assert offer_host_key(node=node, public_key=host_key(b"b")) == new
    old.refresh_from_db()
    assert (old.state, new.state) == ("pinned", "offered")
    assert Event.objects.get(kind="host_key_changed").data == {"key": new.pk, "pinned": old.pk}
    pin_host_key(key=new, fingerprint=new.fingerprint, actor=ops)
    old.refresh_from_db()
    assert (old.state, new.state) == ("retired", "pinned")


def test_the_pinned_key_shown_again_changes_nothing(node, ops):
    key = offer_host_key(node=node, public_key=host_key(b"a"))
    enrol(key=key, fingerprint=key.fingerprint, actor=ops)
    before = Event.objects.count()
    assert offer_host_key(node=node, public_key=host_key(b"a")) == key
    assert Event.objects.count() == before


def test_a_newer_offer_replaces_the_older(node, ops):
    first = offer_host_key(node=node, public_key=host_key(b"a"))
    seen_on_a_page = HostKey.objects.get(pk=first.pk)
    offer_host_key(node=node, public_key=host_key(b"b"))
    assert HostKey.objects.filter(state="offered").count() == 1
    with pytest.raises(StaleState):
        pin_host_key(key=seen_on_a_page, fingerprint=first.fingerprint, actor=ops)


def test_a_refused_key_is_gone_and_comes_back_as_a_new_offer(node, ops):
    key = offer_host_key(node=node, public_key=host_key(b"a"))
    refuse_host_key(key=key, actor=ops)
    assert offer_host_key(node=node, public_key=host_key(b"a")) != key


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ssh-ed25519",
        "ssh-ed25519 !!!!",
        "ssh-ed25519 AAAA",
        "ssh-dss AAAAB3NzaC1kc3M=",
        "x " * 9,
    ],
)
def test_what_is_no_host_key_is_not_read(text):
    with pytest.raises(BadHostKey):
        read_host_key(text)


def test_a_line_of_ssh_keyscan_is_read():
    assert str(read_host_key("[10.0.0.1]:22 " + host_key(b"a"))) == host_key(b"a")


@pytest.mark.sshd
def test_a_scan_stores_what_a_real_sshd_shows_as_an_offer(make_node, sshd):
    node = make_node(state="enrolling", address=sshd.hosts[0].address, port=sshd.port)
    asked = ask_for_scan(node=node)
    assert ask_for_scan(node=node) == asked
    done = scanning.scan(asked.pk)
    assert (done.state, done.outcome) == ("done", "offered")
    key = HostKey.objects.get()
    shown = (sshd.folder / "keys" / "host.pub").read_text()
    assert (key.state, key.line) == ("offered", " ".join(shown.split()[:2]))
    assert scanning.scan(asked.pk) is None
    enrol(key=key, fingerprint=key.fingerprint, actor=None)
    assert scanning.scan(ask_for_scan(node=node).pk).outcome == "known"


def test_a_node_that_does_not_answer_ends_the_scan_with_its_reason(make_node):
    node = make_node(address="127.0.0.1", port=9)
    assert scanning.scan(ask_for_scan(node=node).pk).outcome == "unreachable"
    assert KeyScan.objects.get().state == "failed"


def test_an_enrolment_says_why_the_node_was_not_seen(make_node, ops, client):
    client.force_login(ops)
    for address, port, outcome, words in (
        ("nowhere.invalid", 22, "no_such_host", "does not resolve"),
        ("127.0.0.1", 9, "unreachable", "SSH server is not"),
    ):
        node = make_node(state="enrolling", address=address, port=port)
        assert scanning.scan(ask_for_scan(node=node).pk).outcome == outcome
        assert words in client.get(reverse("enrol_node", args=[node.pk])).content.decode()


def test_a_scan_that_has_waited_is_nudged_again(make_node, monkeypatch):
    from datetime import timedelta

    from django.utils import timezone

    sent = []
    monkeypatch.setattr(
        scanning, "nudge", lambda task, pk, *, queue: sent.append((task, pk, queue))
    )
    scan = ask_for_scan(node=make_node())
    assert scanning.renudge(older_than_s=15) == 0
    KeyScan.objects.update(created_at=timezone.now() - timedelta(seconds=20))
    assert scanning.renudge(older_than_s=15) == 1
    assert sent == [("fleet.inventory.tasks.scan_host_key", scan.pk, "bulk")]


def test_the_page_shows_the_fingerprint_and_how_to_compare_it(client, node, ops):
    key = offer_host_key(node=node, public_key=host_key(b"a"))
    client.force_login(ops)
    page = client.get(reverse("enrol_node", args=[node.pk])).content.decode()
    assert key.fingerprint in page
    assert "ssh-keygen -lf" in page
    answer = client.post(
        reverse("pin_key", args=[node.pk, key.pk]), {"fingerprint": key.fingerprint}, follow=True
    )
    node.refresh_from_db()
    assert node.state == "active"
    assert "The host key is pinned." in answer.content.decode()


def test_the_page_shows_a_changed_key_beside_the_pinned_one(client, node, ops):
    old = offer_host_key(node=node, public_key=host_key(b"a"))
    enrol(key=old, fingerprint=old.fingerprint, actor=ops)
    new = offer_host_key(node=node, public_key=host_key(b"b"))
    client.force_login(ops)
    page = client.get(reverse("enrol_node", args=[node.pk])).content.decode()
    assert old.fingerprint in page
    assert new.fingerprint in page
    assert "The host key has changed." in page
    client.post(reverse("refuse_key", args=[node.pk, new.pk]))
    new.refresh_from_db()
    assert new.state == "retired"


def test_asking_for_a_scan_only_writes_a_row_and_the_page_follows_it(client, node, ops):
    client.force_login(ops)
    page = client.post(reverse("scan_node", args=[node.pk]), follow=True).content.decode()
    assert KeyScan.objects.get().state == "queued"
    assert 'hx-trigger="every 2s"' in page
    part = client.get(reverse("enrol_node", args=[node.pk]), headers={"HX-Request": "true"})
    assert part.content.decode().startswith("<section")


def test_a_manager_may_look_and_not_act(client, node, make_user):
    key = offer_host_key(node=node, public_key=host_key(b"a"))
    client.force_login(make_user("manager"))
    assert client.get(reverse("enrol_node", args=[node.pk])).status_code == 200
    sent = {"fingerprint": key.fingerprint}
    assert client.post(reverse("pin_key", args=[node.pk, key.pk]), sent).status_code == 403
    assert client.post(reverse("scan_node", args=[node.pk])).status_code == 403
