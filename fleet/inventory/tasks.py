"""Background work of the inventory."""

from celery import shared_task

from fleet.inventory import scanning


@shared_task(ignore_result=True)
def scan_host_key(scan_id: int) -> None:
    """Look at the host key of one node."""
    scanning.scan(scan_id)
