"""What a customer can do now, where the catalogue speaks of help this release does not give yet."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

WAIT = _(
    "Our staff see this fault on their board. Running programs go on: please do not restart your"
    " instance."
)
NOW: dict[str, str | Promise] = {
    "container_sshd_down": WAIT,
    "port_unreachable": WAIT,
    "ssh_connection_refused": WAIT,
    "ssh_connection_closed": _(
        "Wait a minute and try once more; many quick attempts make it worse. Our staff see this"
        " fault on their board."
    ),
    "ssh_connection_timeout": _(
        "Try another network once (mobile hotspot). Our staff see this fault on their board:"
        " please do not restart your instance."
    ),
    "container_stopped": _(
        "If you did not stop it yourself, please wait: our staff see this fault on their board."
    ),
    "node_unreachable": _(
        "Our staff see this fault on their board. Your programs may still be running: please do"
        " not give up the lease."
    ),
    "unplanned_reboot": _(
        "Please look whether your programs run again, and go on from the last checkpoint."
    ),
}


def advice(code: str, catalogue: str) -> str:
    """The catalogue's advice, unless it names a button or a time that no page shows yet."""
    return str(NOW.get(code, catalogue))
