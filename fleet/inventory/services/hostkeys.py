"""Host keys: what a node shows is offered, only a person pins. Enrolment ends in a pin."""

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.access import is_ops
from fleet.changes.errors import Refused, StaleState
from fleet.changes.services import announce, move_state, record
from fleet.inventory.hostkey import BadHostKey, read_host_key
from fleet.inventory.models import HostKey, KeyScan, Node
from fleet.inventory.services.nodes import move_node
from fleet.inventory.states import (
    HOST_KEY_MOVES,
    SCAN_MOVES,
    HostKeyState,
    NodeState,
    ScanState,
)
from fleet.nudge import nudge
from fleet.people.models import User
from fleet.transport.keys import fingerprint as fingerprint_of

SCAN = "fleet.inventory.tasks.scan_host_key"
SCAN_QUEUE = "bulk"  # a node that hangs may keep it waiting; the clock must not wait
OPEN = (HostKeyState.OFFERED, HostKeyState.PINNED)


def offer_host_key(*, node: Node, public_key: str, actor: User | None = None) -> HostKey:
    """Record the key a node showed or a list named; never trusts it.

    The pinned key shown again, or an offer repeated, changes nothing. Another key replaces the
    offer before it, and is the event `host_key_changed` when a key was pinned. Raises Refused for
    text that is no key.
    """
    try:
        key = read_host_key(public_key)
    except BadHostKey as error:
        raise Refused({"host_key": _("This is not a public host key.")}) from error
    with transaction.atomic():
        Node.objects.select_for_update().get(pk=node.pk)
        known = {row.line: row for row in _open_keys(node)}
        if str(key) in known:
            return known[str(key)]
        pinned = next((row for row in known.values() if row.state == HostKeyState.PINNED), None)
        for row in known.values():
            if row.state == HostKeyState.OFFERED:
                move_state(row, HostKeyState.RETIRED, HOST_KEY_MOVES)
        offered = HostKey.objects.create(
            node=node,
            algorithm=key.algorithm,
            public_key=key.body,
            fingerprint=fingerprint_of(str(key)),
        )
        kind = "host_key_changed" if pinned else "host_key_offered"
        data = {"key": offered.pk, "pinned": pinned.pk if pinned else None}
        record(kind=kind, actor=actor, node=node, data=data)
        announce("board", "fleet", f"node:{node.pk}")
    return offered


def _open_keys(node: Node) -> list[HostKey]:
    return list(HostKey.objects.filter(node=node, state__in=OPEN).order_by("pk"))


def pin_host_key(*, key: HostKey, fingerprint: str, actor: User | None) -> HostKey:
    """Trust a key: an act of a person, who says which fingerprint they compared.

    The key pinned before is retired. `actor` None means a person at the command line. Raises
    Refused when the fingerprint is another or the actor is not ops, StaleState when the key has
    moved.
    """
    if actor is not None and not is_ops(actor):
        raise Refused(_("Only ops may pin a host key."))
    if fingerprint.strip() != key.fingerprint:
        raise Refused({"fingerprint": _("This is not the fingerprint of the key the node offers.")})
    with transaction.atomic():
        pinned = HostKey.objects.filter(node=key.node_id, state=HostKeyState.PINNED)
        before = pinned.select_for_update().first()
        if before is not None and before.pk != key.pk:
            move_state(before, HostKeyState.RETIRED, HOST_KEY_MOVES)
        move_state(key, HostKeyState.PINNED, HOST_KEY_MOVES)
        key.pinned_at, key.pinned_by = timezone.now(), actor
        key.save(update_fields=["pinned_at", "pinned_by"])
        data = {"key": key.pk, "retired": before.pk if before else None}
        record(kind="host_key_pinned", actor=actor, node=key.node, data=data)
        announce("board", "fleet", f"node:{key.node_id}")
    return key


def refuse_host_key(*, key: HostKey, actor: User | None) -> HostKey:
    """Say that an offered key is not to be trusted. Raises StaleState when it was pinned."""
    if key.state != HostKeyState.OFFERED:
        raise StaleState(_("This key is no longer offered. Load the page again."))
    with transaction.atomic():
        move_state(key, HostKeyState.RETIRED, HOST_KEY_MOVES)
        record(kind="host_key_refused", actor=actor, node=key.node, data={"key": key.pk})
        announce("fleet", f"node:{key.node_id}")
    return key


def enrol(*, key: HostKey, fingerprint: str, actor: User | None) -> Node:
    """Pin the key and, for a node that was waiting for it, take the node into service."""
    with transaction.atomic():
        pin_host_key(key=key, fingerprint=fingerprint, actor=actor)
        node = key.node
        if node.state == NodeState.ENROLLING:
            move_node(node=node, to=NodeState.ACTIVE, actor=actor, reason="enrolled")
    return node


def ask_for_scan(*, node: Node, actor: User | None = None) -> KeyScan:
    """Queue a look at the node's host key; a look already queued is returned."""
    try:
        with transaction.atomic():
            scan = KeyScan.objects.create(node=node, asked_by=actor)
            announce(f"node:{node.pk}")
            nudge(SCAN, scan.pk, queue=SCAN_QUEUE)
    except IntegrityError:
        return KeyScan.objects.get(node=node, state=ScanState.QUEUED)
    return scan


def finish_scan(*, scan: KeyScan, public_key: str = "", failure: str = "") -> KeyScan:
    """Store what a scan saw, or why it saw nothing. A scan already finished stays as it is."""
    with transaction.atomic():
        try:
            move_state(scan, ScanState.FAILED if failure else ScanState.DONE, SCAN_MOVES)
        except Refused:
            return scan
        scan.outcome = failure or _seen(scan.node, public_key, scan.asked_by)
        scan.ended_at = timezone.now()
        scan.save(update_fields=["outcome", "ended_at"])
        announce(f"node:{scan.node_id}")
    return scan


def _seen(node: Node, public_key: str, actor: User | None) -> str:
    key = offer_host_key(node=node, public_key=public_key, actor=actor)
    if key.state == HostKeyState.PINNED:
        return "known"
    pinned = HostKey.objects.filter(node=node, state=HostKeyState.PINNED)
    return "changed" if pinned.exists() else "offered"
