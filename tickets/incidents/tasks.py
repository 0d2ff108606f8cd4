"""Celery's side of the incidents: facts are pulled every few seconds, and when nudged."""

from celery import shared_task
from django.utils import timezone

from tickets.incidents import pull as facts


@shared_task(ignore_result=True)
def pull(node_id: int = 0) -> None:
    """What is new and what has ended. The node of a nudge is not needed: rows say what is new."""
    facts.pull(timezone.now())
