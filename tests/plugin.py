"""Starts the private Valkey the tests talk to before Django reads its settings, and keeps every
tier honest: a missing part fails its tests, `--require-tiers` fails a run that skipped a tier.
"""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from tests.parts.tiers import PARTS, missing_part
from tests.parts.valkey import Valkey

FOLDER = pytest.StashKey[Path]()
VALKEY = pytest.StashKey[Valkey]()
RAN = pytest.StashKey[Counter[str]]()
SKIPPED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("halfhour")
    group.addoption("--database-only", action="store_true", help="only tests of the database")
    group.addoption("--long", action="store_true", help="run the long tests too")
    group.addoption(
        "--require-tiers", action="store_true", help="fail when a tier ran no test or skipped one"
    )


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Runs around pytest-django's own hook, which reads the settings."""
    folder = Path(tempfile.mkdtemp(prefix="halfhour-tests-"))
    early_config.stash[FOLDER] = folder
    early_config.stash[VALKEY] = Valkey(folder / "valkey").start()
    os.environ["HALFHOUR_DATA"] = str(folder / "data")
    os.environ["REDIS_URL"] = early_config.stash[VALKEY].url
    (folder / "data").mkdir()
    yield


def pytest_configure(config: pytest.Config) -> None:
    config.stash[RAN] = Counter()
    config.stash[SKIPPED] = []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Translations are generated files: bring them up to date as `manage.py up` does."""
    from config.assets import compile_messages

    compile_messages()


def pytest_unconfigure(config: pytest.Config) -> None:
    if VALKEY in config.stash:
        config.stash[VALKEY].stop()
        shutil.rmtree(config.stash[FOLDER], ignore_errors=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not (config.getoption("--long") or "long" in (config.option.markexpr or "")):
        _keep(config, items, lambda item: not item.get_closest_marker("long"))
    if config.getoption("--database-only"):
        _keep(config, items, _uses_database)
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """What takes its time beside the others begins first and is asked last."""
    return 0 if item.get_closest_marker("first") else 2 if item.get_closest_marker("last") else 1


def _uses_database(item: pytest.Item) -> bool:
    names = getattr(item, "fixturenames", ())
    return bool(item.get_closest_marker("django_db") or {"db", "transactional_db"} & set(names))


def _keep(
    config: pytest.Config, items: list[pytest.Item], wanted: Callable[[pytest.Item], bool]
) -> None:
    """Leave the wanted items in the run; pytest counts the others as deselected."""
    left = [item for item in items if not wanted(item)]
    if left:
        items[:] = [item for item in items if wanted(item)]
        config.hook.pytest_deselected(items=left)


def tiers_of(item: pytest.Item) -> list[str]:
    return [tier for tier in PARTS if item.get_closest_marker(tier)]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for tier in tiers_of(item):
        if sentence := missing_part(tier):
            pytest.fail(sentence, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    for tier in tiers_of(item):
        if report.skipped:
            item.config.stash[SKIPPED].append(item.nodeid)
        elif report.when == "call":
            item.config.stash[RAN][tier] += 1
    return report


def broken_promises(config: pytest.Config) -> list[str]:
    """Why this run may not count as whole; empty when every tier ran and skipped nothing."""
    if not config.getoption("--require-tiers"):
        return []
    idle = [f"tier {tier} ran no test" for tier in PARTS if not config.stash[RAN][tier]]
    return idle + [f"skipped, but its tier is required: {name}" for name in config.stash[SKIPPED]]


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if session.exitstatus == pytest.ExitCode.OK and broken_promises(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    config = terminalreporter.config
    terminalreporter.section("tiers")
    for tier in PARTS:
        terminalreporter.line(f"{tier:<9}{config.stash[RAN][tier]:>5} tests ran")
    for sentence in broken_promises(config):
        terminalreporter.line(f"FAILED: {sentence}", red=True)
