"""Finds the node somebody typed the name of, or says which names come near."""

from difflib import get_close_matches

from django.core.management.base import CommandError

from fleet.inventory.models import Node


def node_named(name: str) -> Node:
    """The node of this name (case does not matter).

    Raises CommandError with near matches, for exit code 2.
    """
    row = Node.objects.filter(name=name).first() or Node.objects.filter(name__iexact=name).first()
    if row is not None:
        return row
    names = list(Node.objects.order_by("name").values_list("name", flat=True))
    near = get_close_matches(name.lower(), [each.lower() for each in names], n=5, cutoff=0.5)
    known = [each for each in names if each.lower() in near]
    hint = "The inventory is empty."
    if names:
        hint = f"Did you mean {', '.join(known)}?" if known else f"There are {len(names)} others."
    raise CommandError(f"There is no node {name!r}. {hint}", returncode=2)
