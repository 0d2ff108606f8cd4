"""The other end of `control.Client`: one JSON line in, one JSON line out, on a private socket."""

import asyncio
import json
from pathlib import Path
from typing import Any

from fleet.simulator import sockets
from fleet.simulator.faults.kinds import NotAFault
from fleet.simulator.faults.strike import NotThere
from fleet.simulator.fleet import Fleet, NotAHost

LINE_LIMIT = 65536


def answer(fleet: Fleet, request: dict[str, Any]) -> dict[str, Any]:
    """Do what is asked; every refusal is a word the client turns into a sentence."""
    try:
        return {"ok": True, "result": _do(fleet, request)}
    except NotAHost as error:
        return {"ok": False, "error": "unknown_node", "asked": error.name, "near": error.near}
    except NotAFault as error:
        return {"ok": False, "error": "unknown_fault", "asked": error.name, "near": error.near}
    except NotThere as error:
        word = f"unknown_{error.what}"
        return {"ok": False, "error": word, "asked": error.asked, "near": error.choices}
    except (KeyError, TypeError, ValueError) as error:
        return {"ok": False, "error": "bad_request", "asked": repr(error), "near": []}


def _do(fleet: Fleet, request: dict[str, Any]) -> Any:
    act = request["do"]
    if act == "list":
        return fleet.rows()
    node = str(request["node"])
    if act == "state":
        return fleet.describe(node)
    fault = str(request.get("fault") or "")
    if act == "clear":
        return fleet.clear(node, fault)
    if act == "inject":
        gpu, path = request.get("gpu"), request.get("path")
        return fleet.inject(
            node,
            fault,
            gpu="" if gpu is None else str(gpu),
            path="" if path is None else str(path),
        )
    raise ValueError(act)


class ControlServer:
    """Listens for orders. Several may come over one connection."""

    def __init__(self, fleet: Fleet, path: Path) -> None:
        self._fleet = fleet
        self._path = path
        self._server: asyncio.AbstractServer | None = None

    async def start(self) -> None:
        self._server = await asyncio.start_unix_server(
            self._serve, sock=sockets.listen(self._path), limit=LINE_LIMIT
        )

    def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(self._reply(line)).encode() + b"\n")
                await writer.drain()
        except (OSError, ValueError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    def _reply(self, line: bytes) -> dict[str, Any]:
        try:
            request = json.loads(line)
        except ValueError:
            request = None
        if not isinstance(request, dict):
            return {"ok": False, "error": "bad_request", "asked": "", "near": []}
        return answer(self._fleet, request)
