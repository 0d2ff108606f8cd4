"""`manage.py simulate`: run the simulated fleet, make faults happen on it, and end them."""

import asyncio
import json
from importlib import import_module
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from fleet import typed
from fleet.leases.models import AccessPath
from fleet.management.naming import NO_SUCH_NODE
from fleet.management.numbers import whole
from fleet.simulator import demo, orders
from fleet.simulator.control import Client, SimulatorError, UnknownNode
from fleet.simulator.faults import FAULTS
from fleet.simulator.sites import MOST_NODES, NODES
from fleet.transport.keys import KeyUnreadable


class Command(BaseCommand):
    help = "Run the simulated fleet, make faults happen on it, and end them."

    def add_arguments(self, parser: CommandParser) -> None:
        acts = parser.add_subparsers(dest="act", required=True)

        def act(name: str, about: str, *, node: bool = False) -> Any:
            found = acts.add_parser(name, help=about)
            found.add_argument(
                "--json", dest="as_json", action="store_true", help="answer with JSON"
            )
            if node:
                found.add_argument("node")
            return found

        act("list", "all simulated nodes with their faults, and the faults there are")
        act("state", "everything about one node", node=True)
        inject = act("inject", "make a fault happen", node=True)
        inject.add_argument("fault", help="one of those that `list` names, or xid:NUMBER")
        inject.add_argument("--gpu", help="index or UUID; a leased card unless told")
        inject.add_argument("--path", help="access path id, public port or order")
        clear = act("clear", "end all faults of a node, or one", node=True)
        clear.add_argument("fault", nargs="?")
        seed = act("seed", "make the drill fleet, its leases and logins")
        seed.add_argument("--nodes", type=whole(1, MOST_NODES), default=NODES)
        seed.add_argument("--move", action="store_true", help="choose new ports for the hosts")
        serve = act("serve", "run the simulated hosts until stopped")
        serve.add_argument("--recorded", action="store_true", help="replay answers (scale runs)")

    def handle(self, *, act: str, as_json: bool, **options: Any) -> None:
        try:
            answer = getattr(self, f"_{act}")(**options)
        except UnknownNode as error:
            raise CommandError(str(error), returncode=NO_SUCH_NODE) from error
        except (SimulatorError, KeyUnreadable) as error:
            raise CommandError(str(error)) from error
        if answer is not None:
            self._print(act, answer, as_json=as_json)

    def _print(self, act: str, answer: Any, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
            return
        for line in getattr(self, f"_say_{act}", _plain)(answer):
            self.stdout.write(line)

    def _list(self, **_options: Any) -> Any:
        return {
            "nodes": Client().list(),
            "faults": [
                {"name": kind.name, "title": str(kind.title), "code": kind.code}
                for kind in FAULTS.values()
            ],
        }

    def _say_list(self, answer: Any) -> list[str]:
        lines = [_("Faults: %(names)s") % {"names": " ".join(FAULTS)}]
        for row in answer["nodes"]:
            faults = " ".join(_words(fault) for fault in row["faults"]) or "-"
            lines.append(f"{row['node']}  {row['address']:<14} {row['gpus']} GPU  {faults}")
        return lines

    def _state(self, *, node: str, **_options: Any) -> Any:
        return Client().state(node)

    def _inject(
        self, *, node: str, fault: str, gpu: str | None, path: str | None, **_options: Any
    ) -> Any:
        kind = FAULTS.get(fault)
        if kind and gpu is not None and not kind.needs_gpu:
            raise CommandError(_("This fault does not strike a card: leave --gpu out."))
        if kind and path is not None and not kind.needs_path:
            raise CommandError(_("This fault does not strike a port: leave --path out."))
        return Client().inject(node, fault, gpu=gpu, path=_port(node, path))

    def _say_inject(self, done: Any) -> list[str]:
        return [_("%(fault)s on %(node)s") % {"fault": _words(done), "node": done["node"]}]

    def _clear(self, *, node: str, fault: str | None, **_options: Any) -> Any:
        return orders.clear(node=node, fault=fault or "")

    def _say_clear(self, done: Any) -> list[str]:
        names = " ".join(_words(fault) for fault in done["cleared"]) or "-"
        return [_("%(node)s is well again: %(names)s") % {"node": done["node"], "names": names}]

    def _seed(self, *, nodes: int, move: bool, **_options: Any) -> Any:
        people = demo.seed(nodes=nodes, move=move)
        return [{"role": p.role, "email": p.email, "password": p.password} for p in people]

    def _say_seed(self, people: Any) -> list[str]:
        return [f"{each['role']} {each['email']} {each['password']}" for each in people]

    def _serve(self, *, recorded: bool, **_options: Any) -> None:
        try:
            running = import_module("fleet.simulator.running")  # needs asyncssh (extra "demo")
        except ModuleNotFoundError as error:
            raise CommandError(
                _("The simulator needs asyncssh: install the extra “demo”.")
            ) from error
        try:
            asyncio.run(running.run(demo.folder(), recorded=recorded, say=self._say_now))
        except running.Refused as error:
            raise CommandError(str(error)) from error

    def _say_now(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()


def _plain(answer: Any) -> list[str]:
    return [json.dumps(answer, ensure_ascii=False, indent=2)]


def _words(fault: dict[str, Any]) -> str:
    place = f" GPU {fault['gpu']}" if fault["gpu"] is not None else ""
    place += f" port {fault['port']}" if fault["port"] else ""
    return f"{fault['fault']}{place}"


def _port(node: str, path: str | None) -> str | None:
    """The public port of an access path named by its id; anything else is passed on."""
    pk = typed.number(path or "")
    if pk is None:
        return path
    found = AccessPath.objects.filter(pk=pk, lease__node__name=node).first()
    return str(found.public_port) if found else path
