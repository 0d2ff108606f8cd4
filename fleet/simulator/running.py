"""What `manage.py simulate serve` runs: the hosts, and the order system that confirms leases."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

from django.db import DatabaseError, close_old_connections, connections
from django.utils.translation import gettext as _

from fleet.simulator import demo, world
from fleet.simulator.recorded import serve_recorded
from fleet.simulator.serve import AlreadyServing, PortTaken, serve
from fleet.simulator.world import World

log = logging.getLogger(__name__)


class Refused(RuntimeError):
    """The simulator cannot run; the text says why and what to do."""


def _confirm(known: World) -> None:
    close_old_connections()
    try:
        demo.confirm_leases(known)
    except DatabaseError as error:
        log.warning("leases could not be confirmed: %s", error)
    finally:
        connections.close_all()


async def order_system(folder: Path) -> None:
    """Confirm every lease now and then, as the company's order system would."""
    while True:
        await asyncio.sleep(demo.CONFIRM_EVERY_S)
        await asyncio.to_thread(_confirm, world.load(folder))


async def run(folder: Path, *, recorded: bool, say: Callable[[str], None]) -> None:
    """Serve until told to stop. Raises Refused."""

    def ready(hosts: int, port: int) -> None:
        say(_("%(count)d simulated hosts answer on port %(port)d") % {"count": hosts, "port": port})

    orders = asyncio.ensure_future(order_system(folder))
    try:
        await (serve_recorded if recorded else serve)(folder, ready)
    except (FileNotFoundError, world.Unreadable):
        raise Refused(_("There is no drill fleet yet: run “manage.py simulate seed”.")) from None
    except AlreadyServing:
        raise Refused(_("The simulator of this installation is already running.")) from None
    except PortTaken as error:
        raise Refused(
            _(
                "Another program listens on %(address)s:%(port)d. End it, or give the simulated "
                "hosts other ports with “manage.py simulate seed --move”."
            )
            % {"address": error.address, "port": error.port}
        ) from error
    finally:
        orders.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await orders
