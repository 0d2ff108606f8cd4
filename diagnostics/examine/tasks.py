"""Celery's side of the examinations: id in, one service call."""

from datetime import timedelta
from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down
from django.utils import timezone

from diagnostics.examine import services

KEPT = timedelta(days=30)


@shared_task(ignore_result=True)
def tick(examiner: int) -> None:
    """Every 5 s per examiner; expires after 5 s, so that ticks never queue up."""
    services.tick(examiner)


@shared_task(ignore_result=True)
def visit_now(request_id: int) -> None:
    """A nudge for one VisitRequest; the tick would find it anyway."""
    services.visit_requested(request_id)


@shared_task(ignore_result=True)
def prune() -> None:
    """Examinations are kept 30 days. One bounded delete per call; beat comes again."""
    services.prune(before=timezone.now() - KEPT)


@worker_shutting_down.connect
def _stop(**_: Any) -> None:
    services.stop()
