"""Background work: the Celery app, its queues, its beat, and the stamps that show who is alive."""

import os
import time
from typing import Any

from celery import Celery, signals
from kombu import Exchange, Queue

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from django.conf import settings

from fleet.live import wire

TICK_S = 5
BEAT = "beat"

app = Celery("halfhour", amqp="config.broker:Broker")
app.config_from_object("django.conf:settings", namespace="CELERY")
EXCHANGE = Exchange("halfhour")
app.conf.task_queues = [
    Queue(name, EXCHANGE, routing_key=name)
    for name in (
        *(f"examine.{examiner}" for examiner in range(settings.EXAMINERS)),
        *("clock", "repair", "bulk"),
    )
]
app.autodiscover_tasks(
    ["diagnostics.examine", "fleet.inventory", "tickets.cases", "tickets.incidents", "config"]
)

app.conf.beat_schedule = {
    **{
        f"tick examiner {examiner}": {
            "task": "diagnostics.examine.tasks.tick",
            "schedule": TICK_S,
            "args": (examiner,),
            "options": {"queue": f"examine.{examiner}", "expires": TICK_S},
        }
        for examiner in range(settings.EXAMINERS)
    },
    "nudge forgotten rows": {
        "task": "config.tasks.renudge",
        "schedule": TICK_S,
        "options": {"queue": "clock", "expires": TICK_S},
    },
    "sweep tickets": {
        "task": "tickets.cases.tasks.sweep",
        "schedule": TICK_S,
        "options": {"queue": "clock", "expires": TICK_S},
    },
    "pull facts": {
        "task": "tickets.incidents.tasks.pull",
        "schedule": TICK_S,
        "options": {"queue": "clock", "expires": TICK_S},
    },
    "prune": {
        "task": "diagnostics.examine.tasks.prune",
        "schedule": 600,
        "options": {"queue": "bulk", "expires": 600},
    },
}


class Stamp:
    """Says "I work" on the wire, at most every two seconds."""

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, name: str) -> None:
        now = time.monotonic()
        if now >= self._next:
            self._next = now + 2
            wire.stamp(name)


stamp = Stamp()


@signals.task_prerun.connect
def worker_works(task: Any, **_: Any) -> None:
    """A worker that takes work is alive; it is known by the name in front of its host's."""
    stamp(str(task.request.hostname or "").partition("@")[0])


@signals.after_task_publish.connect
def beat_works(**_: Any) -> None:
    """Beat that sends work is alive (workers and the web publish too, but are not called beat)."""
    if os.environ.get("HALFHOUR_PROCESS") == BEAT:
        stamp(BEAT)
