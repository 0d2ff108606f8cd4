"""Recorded hosts: answers of a real run, repeated for a thousand hosts as if each were its own."""

import asyncio
import re
import time
from pathlib import Path

import pytest

from fleet.simulator import doors, recorded, world
from fleet.simulator.doors import Mode
from fleet.transport import ssh
from fleet.transport.result import Address

from .conftest import KEY_ID, PRIVATE, make_folder


class Grade(recorded.Fleet):
    """A recorded fleet inside the test's own loop, asked from threads."""

    def address(self, number: int) -> Address:
        from fleet.transport import keys

        keys.ring.put(KEY_ID, PRIVATE)
        spec = self.world.hosts[number]
        return Address(spec.address, self.world.port, "halfhour-probe", KEY_ID, spec.host_public)

    async def ask(self, number: int, *argv: str, stdin: bytes | None = None) -> tuple[int, bytes]:
        def run() -> tuple[int, bytes]:
            link = ssh.connect(self.address(number), timeout=15)
            try:
                done = link.run(list(argv), timeout=30, stdin=stdin)
                return done.status or 0, done.output
            finally:
                link.close()

        return await asyncio.to_thread(run)


@pytest.fixture
async def grade(tmp_path: Path):
    make_folder(tmp_path, nodes=6)
    fleet = Grade(tmp_path)
    await fleet.start()
    yield fleet
    fleet.stop()


async def test_a_host_answers_under_its_own_name_with_its_own_cards(grade):
    first = await grade.ask(0, "nvidia-smi", "-L")
    second = await grade.ask(3, "nvidia-smi", "-L")
    assert first[0] == second[0] == 0
    cards = [re.findall(rb"GPU-\S+\)", out) for _status, out in (first, second)]
    assert len(set(cards[0]) | set(cards[1])) == 16
    assert (await grade.ask(4, "hostname"))[1] == grade.world.hosts[4].name.encode() + b"\n"


async def test_a_command_runs_once_and_is_repeated_for_the_others(grade):
    for number in (0, 1, 2, 1):
        assert (await grade.ask(number, "sh", "-c", "echo x >>$HOME/runs; hostname"))[0] == 0
    runs = grade.twin.host.disk.home / "runs"
    assert runs.read_text() == "x\n"


async def test_a_failure_is_not_kept_because_it_may_be_cured(grade):
    assert (await grade.ask(0, "cat", "kit"))[0] == 1
    assert (await grade.ask(1, "sh", "-c", "cat >kit", stdin=b"data"))[0] == 0
    assert await grade.ask(0, "cat", "kit") == (0, b"data")


async def test_the_shipped_probe_gives_each_host_a_valid_report_of_its_own(grade):
    from diagnostics.nodekit import kit, parse

    async def visit(number: int, memory: dict[str, object]):
        status, out = await grade.ask(number, *kit.argv(memory))
        if status == kit.KIT_MISSING:
            argv = ("sh", "-c", kit.INSTALL, "halfhour-install")
            assert (await grade.ask(number, *argv, stdin=kit.archive()))[0] == 0
            status, out = await grade.ask(number, *kit.argv(memory))
        return parse.observe(out, status=status, taken_at=time.time())

    seen = [await visit(number, {}) for number in range(3)]
    again = await visit(1, {"boot_id": seen[1].boot_id, "cursor": "s=1;i=1f"})
    assert len({each.boot_id for each in seen}) == 3
    for each in [*seen, again]:
        assert each.reached == "ok"
        assert abs(each.host_time - time.time()) < 5
        assert {name for name, part in each.sections.items() if part.state != "ok"} == set()
    assert again.boot_id == seen[1].boot_id


async def test_a_thousand_hosts_stand_within_seconds(tmp_path):
    known = make_folder(tmp_path, nodes=1000)
    assert len({host.address for host in known.hosts}) == 1000
    assert {len(host.name) for host in known.hosts} == {10}
    fleet = Grade(tmp_path)
    begun = time.process_time()
    await fleet.start()
    spent = time.process_time() - begun
    assert all(host.door.mode == Mode.OPEN for host in fleet.hosts)
    assert (await fleet.ask(999, "hostname"))[1].startswith(b"ex-r")
    fleet.stop()
    assert spent < 4


def test_the_modules_used_without_asyncssh_do_not_import_it():
    import subprocess
    import sys

    code = (
        "import os,sys;os.environ['DJANGO_SETTINGS_MODULE']='tests.settings';"
        "import django;django.setup();"
        "import fleet.simulator.control,fleet.simulator.demo,fleet.simulator.faults;"
        "import fleet.management.commands.simulate;"
        "sys.exit('asyncssh' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert doors
    assert world
