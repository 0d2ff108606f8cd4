"""Visits from end to end: asked for, on the tick, or in this very process."""

import logging
import os
import socket
import time
from dataclasses import replace
from datetime import datetime, timedelta

from django.conf import settings
from django.db import DatabaseError, IntegrityError, OperationalError, transaction
from django.utils import timezone

from diagnostics.examine import blackout, claim
from diagnostics.examine.models import SHARDS, Examination, VisitRequest
from diagnostics.examine.plan import plans
from diagnostics.examine.pool import Keeper, Pool
from diagnostics.examine.record import VISIT_S, Outcome, VisitPlan
from diagnostics.examine.settle import settle
from diagnostics.examine.states import VisitState
from diagnostics.examine.visit import visit
from fleet.inventory.models import Node
from fleet.nudge import nudge
from fleet.people.models import User
from fleet.transport.connections import Connections

log = logging.getLogger(__name__)
GATHER_S = 1.0  # under load outcomes are written together, at most this long after they ended
TRIES = 3
VISIT_NOW = "diagnostics.examine.tasks.visit_now"
NAME = f"{socket.gethostname()[:24]}:{os.getpid()}"


class NotInService(Exception):
    """The node is not examined: it is being enrolled or has been retired."""


class StillHeld(Exception):
    """Another examiner held the node the whole time."""


def _make_pool() -> Pool:
    return Pool(Connections(limit=1200), workers=settings.EXAMINER_THREADS)


POOL = Keeper(_make_pool)


def ask(node: Node, *, by: User | None) -> VisitRequest:
    """Queue a visit; a second request while one is queued returns that one."""
    row = _request(node, by)
    nudge(VISIT_NOW, row.pk, queue=queue_of(node.pk))
    return row


def _request(node: Node, by: User | None) -> VisitRequest:
    queued = VisitRequest.objects.filter(node=node, state=VisitState.QUEUED)
    try:
        with transaction.atomic():
            return queued.first() or VisitRequest.objects.create(node=node, asked_by=by)
    except IntegrityError:  # somebody else asked in the same instant
        return queued.get()


def renudge(*, older_than_s: float) -> int:
    """Nudge again for visits queued longer than this; returns how many. Blackouts that are over
    end here too."""
    blackout.end_quiet(timezone.now())
    late = timezone.now() - timedelta(seconds=older_than_s)
    rows = VisitRequest.objects.filter(state=VisitState.QUEUED, created_at__lt=late)
    found = list(rows.values_list("pk", "node")[:200])
    for pk, node in found:
        nudge(VISIT_NOW, pk, queue=queue_of(node))
    return len(found)


def queue_of(node: int) -> str:
    """The queue of the examiner that looks after this node."""
    return f"examine.{node % SHARDS % claim.shards(0).count}"


def tick(examiner: int) -> int:
    """Claim what is due, put it to the threads, write what comes back. Returns nodes claimed."""
    pool, now = POOL.get(), timezone.now()
    claim.watch_new_nodes(now)
    room = pool.room()
    deadline = time.monotonic() + VISIT_S
    mine = claim.shards(examiner)
    taken = _plan(claim.claim_due(mine, now=now, limit=room), deadline) if room else []
    pool.submit(taken)
    collect(pool)
    return len(taken)


def visit_requested(pk: int) -> bool:
    """Visit for one queued request; quiet when it is done or the node is being visited."""
    row = VisitRequest.objects.filter(pk=pk, state=VisitState.QUEUED).first()
    pool = POOL.get()
    if row is None or not pool.room():
        return False
    deadline = time.monotonic() + VISIT_S
    taken = _plan(claim.claim_nodes([row.node_id], now=timezone.now()), deadline)
    pool.submit(taken)
    collect(pool)
    return bool(taken)


def _plan(token: str, deadline: float) -> list[VisitPlan]:
    """Plans for what this claim holds. The deadline was fixed before the claim was made, so a
    process that is stopped in between never visits on a claim that has run out."""
    return plans(claim.claimed(token), deadline=deadline)


def collect(pool: Pool) -> None:
    """Write outcomes until none is pending, unless another thread does it already."""
    while pool.pending and not pool.stopped:
        if not pool.collecting.acquire(blocking=False):
            return
        try:
            _drain(pool)
        finally:
            pool.collecting.release()
    if pool.stopped:
        _give_back(pool)


def _drain(pool: Pool) -> None:
    written = 0.0
    while pool.pending and not pool.stopped:
        gather = max(written + GATHER_S - time.monotonic(), 0.0)
        outcomes, ended = pool.take(timeout=0.5, gather=gather)
        if not ended:
            continue
        try:
            write([replace(outcome, examiner=NAME) for outcome in outcomes])
        finally:
            pool.settled(ended)
        written = time.monotonic()


def write(outcomes: list[Outcome]) -> int:
    """Settle; a busy database is tried again, and one bad outcome does not cost the others.

    What cannot be written is logged and left: its claim runs out and the node is visited again.
    """
    for left in reversed(range(TRIES)):
        try:
            return settle(outcomes)
        except OperationalError:
            log.warning("settling %s visits failed, %s tries left", len(outcomes), left)
            time.sleep(0.2)
        except Exception:
            if len(outcomes) > 1:
                return sum(write([outcome]) for outcome in outcomes)
            log.exception("the visit to node %s cannot be settled", outcomes[0].plan.node_id)
            return 0
    return 0


def _give_back(pool: Pool) -> None:
    """Stopping: write what is ready; nodes not visited are due at once for the others."""
    outcomes, ended = pool.take(timeout=0.5, gather=0.5)
    write([replace(outcome, examiner=NAME) for outcome in outcomes])
    pool.settled(ended)
    now = timezone.now()
    for plan in pool.unfinished():
        try:
            claim.release(plan.token, [plan.node_id], now=now)
        except DatabaseError:
            log.warning("node %s stays claimed for up to a minute", plan.node_id)


def examine_now(node: Node, *, by: User | None = None, wait_s: float = 90.0) -> Examination:
    """Visit in this process and return what was stored; waits while an examiner has the node.

    Raises NotInService, or StillHeld after `wait_s` seconds.
    """
    if node.state not in claim.VISITED:
        raise NotInService(node.name)
    claim.watch_new_nodes(timezone.now())
    row = _request(node, by)
    connections = Connections(limit=4)
    until = time.monotonic() + wait_s
    try:
        while time.monotonic() < until:
            deadline = time.monotonic() + VISIT_S
            for plan in _plan(claim.claim_nodes([node.pk], now=timezone.now()), deadline):
                outcome = visit(plan, connections)
                write([replace(outcome, examiner=NAME)] if outcome else [])
            row.refresh_from_db()
            if row.state == VisitState.DONE and row.examination is not None:
                return row.examination
            time.sleep(0.3)
    finally:
        connections.close_all()
    raise StillHeld(node.name)


def stop() -> None:
    """End the examiner's threads; called when the worker shuts down."""
    POOL.stop()


def prune(*, before: datetime, at_once: int = 2000, seconds: float = 30.0) -> int:
    """Delete examinations that ended before this instant, in small transactions, for at most
    this long; returns how many rows went."""
    until, gone = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        old = Examination.objects.filter(ended_at__lt=before).order_by("ended_at")
        pks = list(old.values_list("pk", flat=True)[:at_once])
        gone += Examination.objects.filter(pk__in=pks).delete()[0] if pks else 0
        if len(pks) < at_once:
            break
    return gone
