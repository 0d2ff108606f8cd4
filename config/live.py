"""Every live region a page may subscribe to, by name."""

from importlib import import_module
from importlib.util import find_spec

from fleet.live.region import Region

REGIONS: dict[str, Region] = {
    region.name: region
    for home in ("tickets.desk.live", "tickets.portal.live")
    if find_spec(home)
    for region in vars(import_module(home)).values()
    if isinstance(region, Region)
}
