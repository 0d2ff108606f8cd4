"""How a customer dials a published port."""

from dataclasses import dataclass

from fleet.leases.models import AccessKind, AccessPath


@dataclass(frozen=True, slots=True)
class Dial:
    """`command` is to be pasted into a terminal or a client; `url` is set for web pages."""

    kind: str
    command: str
    url: str = ""


def dial(path: AccessPath) -> Dial:
    """SSH as a command, web kinds as an address, the rest as host and port."""
    kind = path.get_kind_display()
    if path.kind == AccessKind.SSH:
        return Dial(kind, f"ssh -p {path.public_port} root@{path.public_host}")
    if path.kind in {AccessKind.JUPYTER, AccessKind.HTTP}:
        url = f"http://{path.public_host}:{path.public_port}/"
        return Dial(kind, url, url)
    return Dial(kind, f"{path.public_host}:{path.public_port}")
