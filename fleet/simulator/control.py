"""Gives orders to the running simulator. Needs no SSH library; every call ends within seconds."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from fleet.simulator import sockets

DEFAULT_SOCKET = Path(settings.DATA_DIR) / "simulator" / "control.sock"
TIMEOUT_S = 3.0


class SimulatorError(Exception):
    """An order was not carried out; the text is a sentence for whoever gave it."""


class SimulatorDown(SimulatorError):
    """No simulator listens, or it does not answer in time."""


class Unknown(SimulatorError):
    """A name the simulator does not know. `near` are those that come close, or all there are."""

    def __init__(self, message: str, near: list[str]) -> None:
        super().__init__(message)
        self.near = near


class UnknownNode(Unknown):
    """No simulated node has that name."""


class UnknownFault(Unknown):
    """There is no such fault."""


class UnknownPlace(Unknown):
    """The node has no such card or published port."""


class Client:
    """One simulator, by its control socket."""

    def __init__(self, socket_path: Path | None = None, *, timeout: float = TIMEOUT_S) -> None:
        self._path = socket_path or DEFAULT_SOCKET
        self._timeout = timeout

    def list(self) -> "list[dict[str, Any]]":
        """Every node with its faults. Raises SimulatorDown."""
        found: list[dict[str, Any]] = self._ask({"do": "list"})
        return found

    def inject(
        self, node: str, fault: str, gpu: int | str | None = None, path: int | str | None = None
    ) -> dict[str, Any]:
        """Let a fault happen.

        `gpu` is a card's index or UUID (a leased card unless told), `path` a published port or an
        order (the node's first SSH port unless told). Raises SimulatorDown, UnknownNode,
        UnknownFault or UnknownPlace.
        """
        order = {"do": "inject", "node": node, "fault": fault, "gpu": gpu, "path": path}
        done: dict[str, Any] = self._ask(order)
        return done

    def clear(self, node: str, fault: str | None = None) -> dict[str, Any]:
        """Make a node well, of one fault or of all. Raises like `inject`."""
        done: dict[str, Any] = self._ask({"do": "clear", "node": node, "fault": fault})
        return done

    def state(self, node: str) -> dict[str, Any]:
        """Everything about one node. Raises SimulatorDown or UnknownNode."""
        found: dict[str, Any] = self._ask({"do": "state", "node": node})
        return found

    def _ask(self, request: dict[str, Any]) -> Any:
        try:
            reply = self._exchange(json.dumps(request).encode() + b"\n")
        except (OSError, ValueError) as error:
            raise SimulatorDown(
                _(
                    "The simulator is not running. Start it with “manage.py simulate serve”, or "
                    "start everything with “make run”."
                )
            ) from error
        if not reply.get("ok"):
            raise _refusal(reply)
        return reply["result"]

    def _exchange(self, line: bytes) -> dict[str, Any]:
        with sockets.connect(self._path, self._timeout) as link:
            link.sendall(line)
            got = bytearray()
            while not got.endswith(b"\n"):
                data = link.recv(65536)
                if not data:
                    raise ConnectionResetError("the simulator hung up")
                got += data
        reply = json.loads(got)
        if not isinstance(reply, dict):
            raise ValueError("not an object")
        return reply


def _refusal(reply: dict[str, Any]) -> SimulatorError:
    asked, near = str(reply.get("asked", "")), [str(name) for name in reply.get("near", [])]
    names = {"name": asked, "near": ", ".join(near)}
    match reply.get("error"):
        case "unknown_node" if near:
            return UnknownNode(
                _("There is no node “%(name)s”. Did you mean %(near)s?") % names, near
            )
        case "unknown_node":
            return UnknownNode(_("There is no node “%(name)s”.") % names, near)
        case "unknown_fault" if near:
            return UnknownFault(
                _("There is no fault “%(name)s”. Did you mean %(near)s?") % names, near
            )
        case "unknown_fault":
            return UnknownFault(_("There is no fault “%(name)s”.") % names, near)
        case "unknown_gpu":
            return UnknownPlace(
                _("The node has no GPU “%(name)s”. It has: %(near)s.") % names, near
            )
        case "unknown_path" if near:
            return UnknownPlace(
                _("The node has no published port “%(name)s”. It has: %(near)s.") % names, near
            )
        case "unknown_path":
            return UnknownPlace(
                _("The node has no published port, so this fault cannot happen there."), near
            )
    return SimulatorError(_("The simulator did not understand the order."))
