"""Celery's side of the incidents: facts are pulled every few seconds, and when nudged."""

from celery import shared_task
from django.utils import timezone

from tickets.incidents import pull as facts
from tickets.incidents import services


@shared_task(ignore_result=True)
def pull(node_id: int = 0) -> None:
    """What is new and what has ended. The node of a nudge is not needed: rows say what is new."""
    now = timezone.now()
    facts.pull(now)
    services.wake_late(now)
