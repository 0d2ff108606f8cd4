"""Looks at the host key a node shows, without logging in, and stores it as an offer."""

from datetime import timedelta

from django.utils import timezone

from fleet.inventory.models import JumpHost, KeyScan
from fleet.inventory.services.hostkeys import SCAN, SCAN_QUEUE, finish_scan
from fleet.inventory.states import ScanState
from fleet.nudge import nudge
from fleet.transport import keys, ssh
from fleet.transport.result import Address, TimedOut, TransportError

WITHIN_S = 10.0
OUTCOMES = {
    "resolve": "no_such_host",
    "jump": "bastion_failed",
    "banner": "no_ssh",
    "kex": "no_ssh",
}


def scan(scan_id: int) -> KeyScan | None:
    """Do one queued look, at most 10 s; None when there is nothing to do. Twice is harmless."""
    waiting = KeyScan.objects.select_related("node__jump__credential", "asked_by")
    row = waiting.filter(pk=scan_id, state=ScanState.QUEUED).first()
    if row is None:
        return None
    node = row.node
    try:
        jump = _bastion(node.jump) if node.jump else None
        shown = ssh.scan_host_key(node.address, node.port, timeout=WITHIN_S, jump=jump)
    except TimedOut:
        return finish_scan(scan=row, failure="timed_out")
    except TransportError as error:
        return finish_scan(scan=row, failure=OUTCOMES.get(error.stage, "unreachable"))
    except keys.KeyUnreadable:
        return finish_scan(scan=row, failure="bastion_failed")
    return finish_scan(scan=row, public_key=shown)


def renudge(*, older_than_s: float) -> int:
    """Nudge again for looks queued longer than this; returns how many."""
    late = timezone.now() - timedelta(seconds=older_than_s)
    rows = KeyScan.objects.filter(state=ScanState.QUEUED, created_at__lt=late)
    found = list(rows.order_by("pk").values_list("pk", flat=True)[:20])
    for pk in found:
        nudge(SCAN, pk, queue=SCAN_QUEUE)
    return len(found)


def _bastion(jump: JumpHost) -> Address:
    keys.ring.put(jump.credential_id, keys.decrypt(jump.credential.secret))
    return Address(
        host=jump.address,
        port=jump.port,
        username=jump.credential.username,
        key_id=jump.credential_id,
        host_key=jump.host_key,
    )
