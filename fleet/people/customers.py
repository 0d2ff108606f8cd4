"""Customers: who rents."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import record
from fleet.people.models import Customer, User


def add_customer(*, name: str, actor: User | None = None) -> Customer:
    """Add a real customer. Raises Refused when the name is empty, too long or taken."""
    name = name.strip()
    if not 0 < len(name) <= 120:
        raise Refused({"customer": _("A customer needs a name of 1 to 120 characters.")})
    try:
        with transaction.atomic():
            made = Customer.objects.create(name=name)
            record(kind="customer_added", actor=actor, data={"customer": made.pk})
    except IntegrityError as error:
        raise Refused({"customer": _("There is already a customer of this name.")}) from error
    return made
