"""The keys we log in with: made here, kept encrypted; only the public part is ever shown."""

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from fleet.changes.errors import Refused
from fleet.changes.services import record
from fleet.inventory.models import Credential
from fleet.people.models import User
from fleet.transport.keys import KeyUnreadable, encrypt, generate

DEFAULT = "halfhour"


def make_credential(
    *, name: str, username: str = "halfhour-probe", actor: User | None = None
) -> Credential:
    """Make a new ed25519 key under this name. Raises Refused when the name is taken."""
    private, public = generate()
    try:
        secret = encrypt(private)
    except KeyUnreadable as error:
        raise Refused(
            _("Login keys are kept encrypted: set HALFHOUR_KEYS first (docs/settings.md).")
        ) from error
    try:
        with transaction.atomic():
            made = Credential.objects.create(
                name=name, username=username, secret=secret, public_key=public
            )
            record(kind="credential_made", actor=actor, data={"credential": made.pk})
    except IntegrityError as error:
        raise Refused({"name": _("There is already a login key of this name.")}) from error
    return made


def default_credential(*, actor: User | None = None) -> Credential:
    """The login key of nodes that name no other; made the first time it is needed."""
    found = Credential.objects.filter(name=DEFAULT).first()
    if found is not None:
        return found
    try:
        return make_credential(name=DEFAULT, actor=actor)
    except Refused:
        made = Credential.objects.filter(name=DEFAULT).first()  # by another process, just now
        if made is None:
            raise
        return made
