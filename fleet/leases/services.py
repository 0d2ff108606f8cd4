"""Keeps leases in step with the order system."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal, Unpack

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet import typed
from fleet.access import leases
from fleet.changes.errors import Refused, StaleState
from fleet.changes.services import announce, move_state, record
from fleet.leases.facts import LeaseFacts
from fleet.leases.models import Lease, LeaseGroup
from fleet.leases.paths import replace_paths
from fleet.leases.queries import leases_not_listed
from fleet.leases.resolving import Resolved, resolve
from fleet.leases.states import LEASE_MOVES, LeaseState
from fleet.people.models import User

Outcome = Literal["created", "updated", "unchanged", "stale"]
PLAIN = ("kind", "container", "image", "limits", "price", "price_unit", "starts_at", "ends_at")
AHEAD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Upserted:
    """How an upsert ended. `stale`: we had newer word already, so nothing was written."""

    lease: Lease
    outcome: Outcome
    changes: dict[str, list[Any]] = field(default_factory=dict)


def upsert_lease(
    *,
    order_id: str,
    confirmed_at: datetime | None = None,
    actor: User | None = None,
    **facts: Unpack[LeaseFacts],
) -> Upserted:
    """Make our lease say what the order system says; the same word twice changes nothing.

    `confirmed_at` is when the order system said so (now, if left out); word older than what we
    have is `stale` and ignored. Raises Refused with one sentence per field, NotAllowed for a
    state the lease cannot move to, StaleState when two writers met.
    """
    order_id = order_id.strip()
    if not 0 < len(order_id) <= 64:
        raise Refused({"order_id": _("An order number has 1 to 64 characters.")})
    if not typed.is_line(order_id):
        raise Refused({"order_id": _("A character in it is invisible: type it again.")})
    said = _said(confirmed_at)
    try:
        with transaction.atomic():
            lease = Lease.objects.select_for_update().filter(order_id=order_id).first()
            if lease is None:
                return _create(order_id, said, actor, facts)
            if actor is not None and not leases(actor).filter(pk=lease.pk).exists():
                raise Refused({"order_id": _("This order number is taken.")})
            if lease.confirmed_at is not None and said < lease.confirmed_at:
                return Upserted(lease, "stale")
            return _update(lease, said, actor, facts)
    except IntegrityError as error:
        raise StaleState(
            _("Another message about this lease arrived at once. Send it again.")
        ) from error


def _said(confirmed_at: datetime | None) -> datetime:
    """When the order system spoke; a clock a little ahead of ours means now."""
    now = timezone.now()
    if confirmed_at is None:
        return now
    if timezone.is_naive(confirmed_at):
        raise Refused({"confirmed_at": _("The time needs its zone, such as +08:00.")})
    if confirmed_at > now + AHEAD:
        raise Refused({"confirmed_at": _("This time is in the future.")})
    return min(confirmed_at, now)


def _create(order_id: str, said: datetime, actor: User | None, facts: LeaseFacts) -> Upserted:
    found = resolve(None, facts, actor)
    lease = Lease(
        order_id=order_id,
        customer=found.customer,
        node=found.node,
        group=_group(found, facts),
        state=found.state,
        confirmed_at=said,
        **{name: facts[name] for name in PLAIN if name in facts},  # type: ignore[literal-required]
    )
    _write(lease)
    lease.gpus.set(found.gpus or [])
    replace_paths(lease, found.paths or [])
    record(kind="lease_created", actor=actor, lease=lease, data={"state": lease.state})
    _tell(lease)
    return Upserted(lease, "created")


def _update(lease: Lease, said: datetime, actor: User | None, facts: LeaseFacts) -> Upserted:
    found = resolve(lease, facts, actor)
    before_node = lease.node_id
    changes = _set_plain(lease, found, facts)
    if found.gpus is not None:
        changes |= _set_gpus(lease, found)
    if found.paths is not None:
        changes |= replace_paths(lease, found.paths)
    lease.confirmed_at = said
    _write(lease, update=True)
    if changes:
        record(kind="lease_changed", actor=actor, lease=lease, data=_plain(changes))
    if found.state != lease.state:
        before = move_state(lease, found.state, LEASE_MOVES)
        changes["state"] = [before, lease.state]
        moved = {"from": before, "to": lease.state}
        record(kind="lease_moved", actor=actor, lease=lease, data=moved)
    if changes:
        _tell(lease, f"node:{before_node}")
        return Upserted(lease, "updated", changes)
    announce(f"lease:{lease.pk}")
    return Upserted(lease, "unchanged")


def _set_plain(lease: Lease, found: Resolved, facts: LeaseFacts) -> dict[str, list[Any]]:
    wanted: dict[str, Any] = {name: facts[name] for name in PLAIN if name in facts}  # type: ignore[literal-required]
    wanted |= {"customer_id": found.customer.pk, "node_id": found.node.pk}
    if "group" in facts or found.customer.pk != lease.customer_id:
        group = _group(found, facts)
        wanted["group_id"] = group.pk if group else None
    changed = {
        name: [getattr(lease, name), value]
        for name, value in wanted.items()
        if getattr(lease, name) != value
    }
    for name, (_before, after) in changed.items():
        setattr(lease, name, after)
    return changed


def _set_gpus(lease: Lease, found: Resolved) -> dict[str, list[Any]]:
    before = sorted(lease.gpus.values_list("pk", flat=True))
    after = sorted(gpu.pk for gpu in found.gpus or [])
    if before == after:
        return {}
    lease.gpus.set(found.gpus or [])
    return {"gpus": [before, after]}


def _group(found: Resolved, facts: LeaseFacts) -> LeaseGroup | None:
    name = facts.get("group", "").strip()
    if not name:
        return None
    return LeaseGroup.objects.get_or_create(customer=found.customer, name=name[:120])[0]


def _write(lease: Lease, *, update: bool = False) -> None:
    try:
        lease.full_clean(validate_unique=False, exclude=["state"])
    except ValidationError as error:
        raise Refused(
            {name: " ".join(all_) for name, all_ in error.message_dict.items()}
        ) from error
    if update:  # the state moves only through its table
        names = ["customer", "node", "group", "confirmed_at", *PLAIN]
        lease.save(update_fields=names)
    else:
        lease.save()


def _plain(changes: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Before and after in types that JSON knows."""
    known = (int, float, str, bool, list, dict, type(None))
    return {
        name: [value if isinstance(value, known) else str(value) for value in pair]
        for name, pair in changes.items()
    }


def _tell(lease: Lease, *more: str) -> None:
    mine = f"mine:{lease.customer_id}"
    announce("board", "fleet", f"node:{lease.node_id}", f"lease:{lease.pk}", mine, *more)


def end_lease(*, lease: Lease, actor: User | None = None, reason: str = "") -> Lease:
    """End a lease; its cards and ports become free. `reason` is a short key."""
    with transaction.atomic():
        before = move_state(lease, LeaseState.ENDED, LEASE_MOVES)
        moved = {"from": before, "to": lease.state, "reason": reason}
        record(kind="lease_moved", actor=actor, lease=lease, data=moved)
        _tell(lease)
    return lease


def reconcile(
    *, listed: Collection[str], end: bool = False, actor: User | None = None
) -> list[Lease]:
    """The planned and running leases missing from the order system's full list.

    With `end` they are ended; otherwise they only stop being confirmed, and turn unknown after
    15 minutes, because a list may be cut short.
    """
    missing = list(leases_not_listed(listed).select_related("node", "customer"))
    if end:
        for lease in missing:
            end_lease(lease=lease, actor=actor, reason="not_listed")
    return missing
