"""The live region of a customer's own page."""

from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string

from fleet import access
from fleet.live.region import Region, Rows
from fleet.people.models import User
from tickets.portal import contexts, queries


def sees_customer(user: User | AnonymousUser, key: str) -> bool:
    """People of this customer; staff have the desk."""
    return not access.is_staff(user) and access.may_see(access.customers, user, key)


def own_people(user: User, key: str) -> str:
    """Everybody who acts for this customer sees the same rows."""
    return f"customer-{key}"


def mine_rows(user: User, key: str) -> Rows:
    """`key` is the customer's number; one row per instance."""
    leases = queries.leases(user, int(key))
    found = queries.findings(user, leases)
    leases.sort(key=lambda lease: queries.worst(found.get(lease.pk, [])))
    return Rows(
        {
            f"lease-{lease.pk}": render_to_string(
                "portal/_instance.html", {"row": contexts.instance(lease, found.get(lease.pk, []))}
            )
            for lease in leases
        }
    )


MINE = Region("mine", sees_customer, own_people, mine_rows)
