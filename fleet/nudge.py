"""Nudges: messages that say "look at your row now". The row is the queue, so a lost nudge makes
work late and never loses it: beat nudges every row that has waited too long again.
"""

import logging
from functools import partial

from celery import current_app
from django.db import transaction
from prometheus_client import Counter

from fleet.live import wire

FAILURES = Counter(
    "halfhour_nudge_failures", "Nudges this process could not give to the broker.", ["queue"]
)
log = logging.getLogger(__name__)


def nudge(task: str, pk: int, *, queue: str) -> None:
    """Send the task of this name, with `pk`, to `queue` once the transaction has committed.

    Never raises, and takes at most about 0.5 s while the broker is away: Celery's own publish
    would wait for seconds, so the broker is asked first whether it answers at all.
    """
    transaction.on_commit(partial(_send, task, pk, queue), robust=True)


def _send(task: str, pk: int, queue: str) -> None:
    try:
        if wire.answers():
            current_app.send_task(task, (pk,), queue=queue, retry=False, ignore_result=True)
            return
    except Exception as error:  # kombu, redis and socket errors alike: the row stays queued
        log.warning("nudge %s(%s) to %s failed: %s", task, pk, queue, type(error).__name__)
    FAILURES.labels(queue).inc()
