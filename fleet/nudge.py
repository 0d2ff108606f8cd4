"""Nudges: messages that say "look at your row now". The row is the queue, so a lost nudge makes
work late and never loses it: beat nudges every row that has waited too long again.
"""

import logging
from functools import partial

from celery import Task, current_app
from django.db import transaction
from prometheus_client import Counter

from fleet.live import wire

FAILURES = Counter(
    "halfhour_nudge_failures", "Nudges this process could not give to the broker.", ["queue"]
)
log = logging.getLogger(__name__)


def nudge(task: "Task[[int], None] | str", pk: int, *, queue: str) -> None:
    """Send `task(pk)` to `queue` once the transaction has committed. Never raises, and takes at
    most about 0.5 s while the broker is away (Celery's own publish would wait for seconds).

    A service names its task by its path: tasks import services, never the other way round.
    """
    transaction.on_commit(partial(_send, task, pk, queue), robust=True)


def _send(task: "Task[[int], None] | str", pk: int, queue: str) -> None:
    try:
        if wire.answers():
            if isinstance(task, str):
                current_app.send_task(task, (pk,), queue=queue, retry=False)
            else:
                task.apply_async((pk,), queue=queue, retry=False)
            return
    except Exception as error:  # kombu, redis and socket errors alike: the row stays queued
        log.warning("nudge %s(%s) to %s failed: %s", task, pk, queue, type(error).__name__)
    FAILURES.labels(queue).inc()
