"""The clock's own work: rows whose nudge was lost are nudged again."""

from celery import shared_task

from diagnostics.examine import services
from fleet.inventory import scanning

LATE_S = 15.0


@shared_task(ignore_result=True)
def renudge() -> None:
    """Every 5 s: nudge for every row queued longer than 15 s."""
    services.renudge(older_than_s=LATE_S)
    scanning.renudge(older_than_s=LATE_S)
