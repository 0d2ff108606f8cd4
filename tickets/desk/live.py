"""The desk's live regions; each renders the very rows its page shows."""

from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict
from django.template.loader import render_to_string

from fleet import access
from fleet.live.region import Region, Rows
from fleet.people.models import User
from tickets.desk import queries
from tickets.desk.contexts import board, fleet, lease, node, strip
from tickets.incidents.queries import doubt

Anyone = User | AnonymousUser
STRIP = "strip"  # the key under which the fleet is one line


def staff_only(user: Anyone, key: str) -> bool:
    """The board and the fleet are the staff's."""
    return access.is_staff(user)


def world(user: User, key: str) -> str:
    """All staff of one world see the same rows."""
    return access.viewer(user).audience


def board_rows(user: User, key: str) -> Rows:
    """`key` is the page's number, empty for the first."""
    page = queries.board_page(user, key or "1")
    return Rows(
        {
            f"finding-{row.id}": render_to_string("desk/_finding.html", {"row": row})
            for row in board.rows(page)
        }
    )


def fleet_rows(user: User, key: str) -> Rows:
    """`key` is STRIP, or the page's filters (`Filters.spec`)."""
    if key == STRIP:
        seen = strip.view(queries.strip(user), doubt(user))
        return Rows({"strip": render_to_string("desk/_strip.html", {"strip": seen})})
    page = queries.fleet_page(user, queries.filters(QueryDict(key)))
    return Rows(
        {
            f"node-{row.id}": render_to_string("desk/_node_row.html", {"row": row})
            for row in fleet.rows(page.object_list)
        }
    )


def sees_node(user: Anyone, key: str) -> bool:
    """A node is the staff's."""
    return access.may_see(access.nodes, user, key)


def node_rows(user: User, key: str) -> Rows:
    """`key` is the node's number. Every part of the page is one row."""
    seen = node.page(user, access.node_or_404(user, int(key)))
    return Rows(
        {
            f"part-{part}": render_to_string(f"desk/node/_{part}.html", {"seen": seen})
            for part in node.PARTS
        }
    )


def sees_lease(user: Anyone, key: str) -> bool:
    """Staff, and the customer's own people."""
    return access.may_see(access.leases, user, key)


def lease_rows(user: User, key: str) -> Rows:
    """`key` is the lease's number."""
    seen = lease.page(user, access.lease_or_404(user, int(key)))
    return Rows(
        {
            f"part-{part}": render_to_string(f"desk/lease/_{part}.html", {"seen": seen})
            for part in lease.PARTS
        }
    )


BOARD = Region("board", staff_only, world, board_rows)
FLEET = Region("fleet", staff_only, world, fleet_rows)
NODE = Region("node", sees_node, world, node_rows)
LEASE = Region("lease", sees_lease, world, lease_rows)
