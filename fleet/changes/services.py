"""Writes the change record and moves states. Everything that happens to the fleet passes here."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from fleet.changes.errors import NotAllowed, StaleState
from fleet.changes.models import Event
from fleet.live.region import bump
from fleet.people.models import User


class Row(Protocol):
    """A saved row: this subject lies below the others and knows no more of them."""

    pk: int


class OnNode(Protocol):
    """A card or a lease: it sits on a node."""

    pk: int
    node_id: int


def record(
    *,
    kind: str,
    actor: User | None = None,
    node: Row | None = None,
    gpu: OnNode | None = None,
    lease: OnNode | None = None,
    data: Mapping[str, Any] | None = None,
    at: datetime | None = None,
) -> Event:
    """Append one fact. `data` holds ids, kinds and numbers, never a person's name or prose.

    A lease or a card brings its node along. `at` is when it happened, now if not given.
    """
    return Event.objects.create(
        kind=kind,
        at=at or timezone.now(),
        actor_id=actor.pk if actor else None,
        node_id=node.pk if node else _node_of(lease or gpu),
        gpu_id=gpu.pk if gpu else None,
        lease_id=lease.pk if lease else None,
        data=dict(data or {}),
    )


def _node_of(thing: OnNode | None) -> int | None:
    return thing.node_id if thing else None


def move_state(row: models.Model, to: str, moves: Mapping[str, frozenset[str]]) -> str:
    """Move `row.state` by one conditional UPDATE; returns the state before.

    Raises NotAllowed for a move the table lacks, StaleState when the row moved meanwhile. Only
    the services of each subject call this, inside their transaction, and write the event.
    """
    before: str = row.state  # type: ignore[attr-defined]
    if to not in moves[before]:
        words = {"before": label(row, before), "after": label(row, to)}
        raise NotAllowed(_("This is “%(before)s” and cannot become “%(after)s”.") % words)
    rows = type(row)._default_manager.filter(pk=row.pk, state=before)
    if not rows.update(state=to):
        raise StaleState(_("Somebody changed this a moment ago. Load the page again."))
    row.state = to  # type: ignore[attr-defined]
    return before


def announce(*regions: str) -> None:
    """Tell pages, once the transaction has committed, that these regions changed.

    After the commit, so that a long transaction of many acts holds no region's row: settling
    examinations waits for nobody.
    """
    transaction.on_commit(partial(bump, *regions), robust=True)


def label(row: models.Model, state: str) -> str:
    """The word people read for a state of this row."""
    field = row._meta.get_field("state")
    choices = dict(getattr(field, "flatchoices", ()))
    return str(choices.get(state, state))
