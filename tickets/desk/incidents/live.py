"""The live region of an incident's page."""

from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string

from fleet import access
from fleet.live.region import Region, Rows
from fleet.people.models import User
from tickets.desk.incidents import contexts, queries
from tickets.incidents.queries import incidents


def sees_incident(user: User | AnonymousUser, key: str) -> bool:
    """Staff of its world."""
    return access.may_see(incidents, user, key)


def world(user: User, key: str) -> str:
    """All staff of one world see the same."""
    return access.viewer(user).audience


def incident_parts(user: User, key: str) -> Rows:
    """`key` is the incident's number."""
    seen = contexts.page(user, queries.incident_or_404(user, int(key)))
    return Rows(
        {
            f"part-{part}": render_to_string(f"desk/incidents/_{part}.html", {"seen": seen})
            for part in contexts.PARTS
        }
    )


INCIDENT = Region("incident", sees_incident, world, incident_parts)
