"""Every live region a page may subscribe to, by name."""

from fleet.live.region import Region
from tickets.desk.live import BOARD, FLEET, LEASE, NODE
from tickets.portal.live import MINE

REGIONS: dict[str, Region] = {region.name: region for region in (BOARD, FLEET, NODE, LEASE, MINE)}
