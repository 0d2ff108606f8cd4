"""What a command on a node gave back, and the ways a node can fail to answer. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Result:
    """One command's end. A non-zero `status` is a result, not an error.

    `output` is stdout and stderr together, in order, capped; `status` is 128 + n for a command
    ended by signal n, and None when the server closed the channel without sending one.
    `seconds` is wall time.
    """

    argv: tuple[str, ...]
    status: int | None
    output: bytes
    seconds: float


class TransportError(Exception):
    """The node could not be asked. `partial` is what had arrived until then.

    `stage` says how far it went: `resolve`, `tcp`, `jump` (the bastion in front failed, whatever
    the reason), `banner`, `kex`, `auth`, `channel` (no command was started) or `command`.
    """

    def __init__(self, message: str = "", *, partial: bytes = b"", stage: str = "") -> None:
        super().__init__(message)
        self.partial = partial
        self.stage = stage


class Unreachable(TransportError):
    """No TCP connection, no SSH banner (in time), or the connection broke."""


class AuthRefused(TransportError):
    """The node answered and refused our key."""


class HostKeyChanged(TransportError):
    """The node showed another key than the pinned one. `offered` is `algorithm base64`."""

    def __init__(self, message: str = "", *, offered: str = "") -> None:
        super().__init__(message, stage="kex")
        self.offered = offered


class TimedOut(TransportError):
    """The deadline passed after the node had shown its SSH banner."""


class OutputTooLarge(TransportError):
    """The command wrote more than the cap."""


@dataclass(frozen=True, slots=True)
class Address:
    """How to reach one SSH server: everything a connection needs and nothing of the database.

    `host_key` is the pinned key as `algorithm base64`; `key_id` names the private key in the
    process's key ring (`fleet.transport.keys`); `jump` is the bastion in front, if any.
    """

    host: str
    port: int
    username: str
    key_id: int
    host_key: str
    jump: "Address | None" = None


class Transport(Protocol):
    """Runs commands on one node."""

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = 1 << 20,
    ) -> Result:
        """Run `argv` (quoted for the remote shell, never a shell string) for at most `timeout` s.

        Raises TransportError's subclasses. `stdin` is sent whole and then closed; `cap` is the
        most output accepted, in bytes.
        """
        ...

    def close(self) -> None:
        """Give the connection up."""
        ...
