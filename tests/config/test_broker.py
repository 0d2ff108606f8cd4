"""Workers and beat look for a lost broker again and again, at a steady pace."""

import socket
from typing import Any

import pytest

from config.broker import LONGEST_PAUSE_S
from config.celery import app


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Patience(Exception):
    """Enough tries seen."""


def test_the_pause_between_two_tries_stays_short_however_long_the_broker_is_away(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    def note(_error: Any, pause: float) -> None:
        pauses.append(pause)
        if len(pauses) == 20:
            raise Patience

    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _seconds: None)
    with (
        app.connection_for_read(f"redis://127.0.0.1:{closed_port()}/0") as broker,
        pytest.raises(Patience),
    ):
        broker.ensure_connection(note, None)
    assert 0 < max(pauses) <= LONGEST_PAUSE_S <= 5
