"""Bumping regions: one statement, exact under concurrency, undone with its transaction."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from fleet.live.models import LiveVersion
from fleet.live.region import bump
from fleet.live.rendering import tidy

pytestmark = pytest.mark.django_db(transaction=True)


def version(region: str) -> int:
    return LiveVersion.objects.get(region=region).version


def test_a_bump_is_one_statement_for_many_regions() -> None:
    with CaptureQueriesContext(connection) as queries:
        bump("board", "fleet", *(f"node:{pk}" for pk in range(100)))
    assert len(queries) == 1
    bump("board", "board")
    assert version("board") == 2
    assert version("node:7") == 1


def test_a_bump_of_nothing_asks_nothing() -> None:
    with CaptureQueriesContext(connection) as queries:
        bump()
    assert len(queries) == 0


def test_a_bump_rolled_back_changes_nothing() -> None:
    with transaction.atomic():
        bump("board")
        transaction.set_rollback(True)
    assert not LiveVersion.objects.exists()


def test_no_bump_is_lost_when_many_bump_at_once() -> None:
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(tidy, bump, "board", "fleet", f"node:{n}") for n in range(40)]:
            done.result()
    assert version("board") == version("fleet") == 40
