"""`manage.py up`: runs a whole installation on 127.0.0.1 until it is told to stop."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection, connections
from django.db.migrations.executor import MigrationExecutor

from config import assets, env, instance, processes
from config.supervisor import Supervisor, page_answers

START_S = 90.0


class Command(BaseCommand):
    help = "Run Halfhour: web, workers, beat, broker, and with --demo a simulated fleet."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--demo", action="store_true", help="a drill fleet and demo logins")
        parser.add_argument("--port", type=int, default=env.number("PORT", 8000))

    def handle(self, *, demo: bool, port: int, **_: Any) -> None:
        os.chdir(settings.BASE_DIR)
        settings.DATA_DIR.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with instance.lock(settings.DATA_DIR):
                instance.check_port(port)
                if instance.prepare(demo=demo):
                    os.execv(sys.executable, [sys.executable, *sys.argv])  # noqa: S606
                self.check(tags=[checks.Tags.security])
                self._run(demo=demo, port=port)
        except instance.Refused as refusal:
            raise CommandError(str(refusal)) from None

    def _run(self, *, demo: bool, port: int) -> None:
        supervisor = Supervisor(settings.DATA_DIR, self._say)
        supervisor.obey_signals()
        try:
            self._start(supervisor, demo=demo, port=port)
            supervisor.watch()
        finally:
            self._say("stopping …")
            supervisor.stop()
        self._say("stopped")

    def _start(self, supervisor: Supervisor, *, demo: bool, port: int) -> None:
        """The web first, then what can come while people already look at the first page."""
        if instance.embedded():
            supervisor.start(processes.valkey(settings.REDIS_URL, settings.DATA_DIR / "valkey"))
        migrate()
        assets.compile_messages()
        assets.collect_static()
        supervisor.start(processes.web(port))
        logins = seeded() if demo else []
        connections.close_all()
        if not supervisor.wait_for(lambda: page_answers(port), seconds=START_S):
            if supervisor.stopping:
                return
            raise instance.Refused(f"The web did not answer; see {settings.DATA_DIR}/log/web.log")
        self._say(f"open http://127.0.0.1:{port}/", *logins)
        if demo:
            supervisor.start(processes.simulator())
        supervisor.start(*processes.workers(settings.EXAMINERS))

    def _say(self, *lines: str) -> None:
        for line in lines:
            self.stdout.write(line)
        self.stdout.flush()


def migrate() -> None:
    """Apply the migrations that are missing; asking costs little when none is."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)


def seeded() -> Iterable[str]:
    """Make sure the drill fleet exists; its logins as `ROLE EMAIL PASSWORD`."""
    demo = import_module("fleet.simulator.demo")  # a real installation may lack what it needs
    return [f"{login.role} {login.email} {login.password}" for login in demo.seed()]
