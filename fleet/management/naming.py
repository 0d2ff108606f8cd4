"""Finds the node somebody typed the name of, or says which names come near."""

from difflib import get_close_matches

from django.core.management.base import CommandError
from django.utils.translation import gettext as _

from fleet import typed
from fleet.inventory.models import Node

NO_SUCH_NODE = 2
LONGEST = 255  # no name is longer, and no database compares one of a book's length


def node_named(name: str) -> Node:
    """The node of this name (case does not matter).

    Raises CommandError with near matches, for exit code 2.
    """
    rows = Node.objects.select_related("provider", "credential")
    row = None
    if "\0" not in name and len(name) <= LONGEST:
        row = rows.filter(name=name).first() or rows.filter(name__iexact=name).first()
    if row is None:
        raise CommandError(_sentence(name), returncode=NO_SUCH_NODE)
    return row


def _sentence(name: str) -> str:
    names = list(Node.objects.order_by("name").values_list("name", flat=True))
    near = get_close_matches(
        name[:LONGEST].lower(), [each.lower() for each in names], n=3, cutoff=0.5
    )
    known = [each for each in names if each.lower() in near]
    words = {"name": typed.visible(name[:80]), "near": ", ".join(known)}
    if known:
        return _("There is no node “%(name)s”. Did you mean %(near)s?") % words
    if names:
        return _("There is no node “%(name)s”.") % words
    return _("There is no node “%(name)s”: the inventory is empty.") % words
