"""System checks: a wrong setting is named before anything starts."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.checks import run_checks
from django.db import connection

from config import checks, databases
from config.env import BadSetting

ROOT = Path(__file__).resolve().parents[2]
KEY = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="


def ids(found: Any) -> list[str]:
    return [message.id for message in found]


def test_keys_must_be_there_and_usable(settings: Any) -> None:
    settings.HALFHOUR_KEYS = []
    assert ids(checks.keys()) == ["fleet.E001"]
    settings.HALFHOUR_KEYS = [KEY, "short"]
    assert ids(checks.keys()) == ["fleet.E002"]
    settings.HALFHOUR_KEYS = [KEY]
    assert checks.keys() == []


def test_processes_need_a_real_broker(settings: Any) -> None:
    settings.REDIS_URL = "memory://"
    assert ids(checks.broker()) == ["fleet.E003"]


def test_hosts_must_be_named(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert ids(checks.hosts()) == ["fleet.E004"]


@pytest.mark.django_db
def test_more_than_fifty_nodes_are_warned_about_on_sqlite_and_only_there(
    make_node: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned = ["fleet.W001"] if connection.vendor == "sqlite" else []  # PostgreSQL holds more
    monkeypatch.setattr(checks, "SQLITE_NODES", 1)
    make_node()
    assert checks.size(databases=["default"]) == []
    make_node()
    assert ids(checks.size(databases=["default"])) == warned
    assert checks.size() == [], "only asked for with --database"


def test_the_checks_are_registered() -> None:
    assert run_checks(tags=["security"]) == []


def test_a_production_environment_passes_check_deploy() -> None:
    kept = {"PATH": os.environ["PATH"], "HALFHOUR_DATA": os.environ["HALFHOUR_DATA"]}
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={
            **kept,
            "SECRET_KEY": "k3" * 40 + "-not-guessable",
            "HALFHOUR_KEYS": KEY,
            "HALFHOUR_HTTPS": "on",
            "ALLOWED_HOSTS": "desk.example.org",
            "REDIS_URL": "rediss://valkey.example.org/0",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "no issues (0 silenced)" in done.stdout


def test_a_database_address_is_understood_or_refused() -> None:
    url = "postgresql://me:p%40ss@db.example:5433/half%20hour"
    found = databases.database(url, pool=True)
    assert (found["USER"], found["PASSWORD"], found["HOST"]) == ("me", "p@ss", "db.example")
    assert (found["PORT"], found["NAME"]) == ("5433", "half hour")
    assert found["CONN_MAX_AGE"] == 0
    assert "pool" in found["OPTIONS"]
    assert "pool" not in databases.database(url, pool=False)["OPTIONS"]
    with pytest.raises(BadSetting, match="mysql"):
        databases.database("mysql://x/y", pool=False)
