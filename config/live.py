"""Every live region a page may subscribe to, by name."""

from fleet.live.region import Region
from tickets.desk.cases.live import TICKET, TICKETS
from tickets.desk.incidents.live import INCIDENT
from tickets.desk.live import BOARD, FLEET, LEASE, NODE
from tickets.portal.cases.live import MY_TICKET, MY_TICKETS
from tickets.portal.live import MINE

REGIONS: dict[str, Region] = {
    region.name: region
    for region in (
        *(BOARD, FLEET, NODE, LEASE, INCIDENT, TICKETS, TICKET),
        *(MINE, MY_TICKETS, MY_TICKET),
    )
}
