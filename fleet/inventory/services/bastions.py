"""Bastions in front of nodes."""

from django.db import transaction
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import record
from fleet.inventory.hostkey import BadHostKey, read_host_key
from fleet.inventory.models import JumpHost
from fleet.inventory.services.credentials import default_credential
from fleet.people.models import User


def put_jump_host(
    *, name: str, address: str, host_key: str, port: int = 22, actor: User | None = None
) -> JumpHost:
    """Add a bastion or change it; naming its host key pins it. Raises Refused by field."""
    errors = {}
    if not 0 < len(name.strip()) <= 80:
        errors["name"] = _("A bastion needs a name of 1 to 80 characters.")
    if not 0 < len(address.strip()) <= 255:
        errors["address"] = _("A bastion needs an address of at most 255 characters.")
    if not 1 <= port <= 65535:
        errors["port"] = _("A port is a number from 1 to 65535.")
    try:
        key = str(read_host_key(host_key))
    except BadHostKey:
        errors["host_key"] = _("This is not a public host key.")
    if errors:
        raise Refused(errors)
    with transaction.atomic():
        wanted = {"address": address.strip(), "port": port, "host_key": key}
        jump, made = JumpHost.objects.update_or_create(
            name=name.strip(),
            defaults=wanted,
            create_defaults=wanted | {"credential": default_credential(actor=actor)},
        )
        kind = "jump_host_added" if made else "jump_host_changed"
        record(kind=kind, actor=actor, data={"jump_host": jump.pk})
    return jump
