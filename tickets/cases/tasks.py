"""Celery's side of the tickets: the sweep that finds what happened by itself."""

from celery import shared_task
from django.utils import timezone

from tickets.cases import settle


@shared_task(ignore_result=True)
def sweep() -> None:
    """Every 5 s, on the clock's own queue. Late or twice is harmless."""
    settle.sweep(timezone.now())
