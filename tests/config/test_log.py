"""Nothing secret reaches a log line."""

import json
import logging as stdlib
import sys
from logging.config import dictConfig

import pytest

from config.log import BLOT, Brief, blot, logging

SECRETS = [
    ("password=hunter22 next", "hunter22"),
    ('{"token": "abc123", "a": 1}', "abc123"),
    ("Authorization: Bearer abc.def.ghi", "abc.def.ghi"),
    ("Cookie: sessionid=s3cr3t", "s3cr3t"),
    ("redis://:pa55@127.0.0.1:6379/0", "pa55"),
    ("postgresql://me:pa55@db/halfhour", "pa55"),
    ("SECRET_KEY=zzzz", "zzzz"),
    (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\n-----END OPENSSH PRIVATE KEY-----",
        "b3BlbnNz",
    ),
    ("-----BEGIN PRIVATE KEY-----\ncut off b3BlbnNz", "b3BlbnNz"),
]


@pytest.mark.parametrize(("text", "secret"), SECRETS)
def test_secrets_are_blotted_out(text: str, secret: str) -> None:
    assert secret not in blot(text)
    assert BLOT in blot(text)


def test_ordinary_words_are_left_alone() -> None:
    text = "node-0007: visit took 1.2 s; http://127.0.0.1:8000/nodes/7/"
    assert blot(text) == text


def test_a_machine_reads_one_json_object_a_line(capfd: pytest.CaptureFixture[str]) -> None:
    old = stdlib.root.handlers[:], stdlib.root.level
    try:
        dictConfig(logging("json", "INFO"))
        stdlib.getLogger("fleet").warning(
            "login with password=%s", "hunter22", extra={"token": "abc", "node": 7}
        )
        sys.stderr.flush()
        line = json.loads(capfd.readouterr().err.strip().splitlines()[-1])
    finally:
        stdlib.root.handlers[:], stdlib.root.level = old
    assert line["event"] == f"login with password={BLOT}"
    assert line["token"] == BLOT
    assert line["node"] == 7
    assert line["level"] == "warning"
    assert line["logger"] == "fleet"


def test_beats_two_stacks_become_one_line() -> None:
    record = stdlib.LogRecord(
        "celery.beat", 40, "", 1, "Message Error: %s\n%s", ("no broker", ["a stack"]), None
    )
    record.exc_info = (ValueError, ValueError("x"), None)
    assert Brief().filter(record)
    assert record.getMessage() == "a message could not be sent: no broker"
    assert record.exc_info is None
