"""The line a node's shell runs: words unharmed, and ended on the node itself."""

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet.transport.command import BadCommand, argv_of, command_line
from tests.fleet.transport.hosts import gone

WORD = st.text(st.characters(blacklist_characters="\0", blacklist_categories=["Cs"]), max_size=20)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A PATH without `timeout`."""
    for tool in ("sh", "sleep", "cat", "printf", "env"):
        (tmp_path / tool).symlink_to(shutil.which(tool) or f"/bin/{tool}")
    return tmp_path


def shell(
    line: str, *, path: Path | None = None, given: bytes = b""
) -> "subprocess.CompletedProcess[bytes]":
    environment = {"PATH": str(path) if path else os.environ["PATH"]}
    return subprocess.run(
        ["/bin/sh", "-c", line],
        check=False,
        env=environment,
        input=given,
        capture_output=True,
        timeout=20,
    )


@given(st.lists(WORD, min_size=1, max_size=4), st.booleans())
def test_any_words_come_out_of_the_line_as_they_went_in(words: list[str], stdin: bool) -> None:
    assert argv_of(command_line(words, seconds=5, stdin=stdin)) == words


def test_a_line_we_did_not_make_is_split_into_words() -> None:
    assert argv_of("nvidia-smi -L 'a b'") == ["nvidia-smi", "-L", "a b"]


@pytest.mark.parametrize("argv", [[], "ls -l", ["a\0b"]])
def test_what_no_shell_can_carry_is_refused(argv: list[str]) -> None:
    with pytest.raises(BadCommand):
        command_line(argv, seconds=5, stdin=False)


HOSTILE = ["$(id)", "`id`", "; id", "a'b\"c", "*", "~", "-n", "\\", "new\nline", "ünïcode 中文", ""]


@pytest.mark.parametrize("without_timeout", [False, True])
def test_the_shell_sees_words_not_syntax(without_timeout: bool, bare: Path) -> None:
    line = command_line(["printf", "%s|", *HOSTILE], seconds=5, stdin=False)
    ended = shell(line, path=bare if without_timeout else None)
    assert ended.stdout.decode() == "".join(f"{word}|" for word in HOSTILE)


@pytest.mark.parametrize("without_timeout", [False, True])
def test_the_command_ends_on_the_node_when_its_time_is_up(
    without_timeout: bool, bare: Path
) -> None:
    line = command_line(["sleep", "61.25"], seconds=0.5, stdin=False)
    began = time.monotonic()
    ended = shell(line, path=bare if without_timeout else None)
    assert time.monotonic() - began < 3
    assert ended.returncode in {124, 128 + 15}
    assert gone("sleep 61.25")


@pytest.mark.parametrize("without_timeout", [False, True])
def test_a_command_that_ignores_the_polite_end_is_killed(without_timeout: bool, bare: Path) -> None:
    stubborn = ["sh", "-c", "trap '' TERM; for i in 1 2 3 4 5 6; do sleep 1.5; done"]
    began = time.monotonic()
    ended = shell(
        command_line(stubborn, seconds=1, stdin=False), path=bare if without_timeout else None
    )
    assert time.monotonic() - began < 5
    assert ended.returncode == 128 + 9


@pytest.mark.parametrize("without_timeout", [False, True])
def test_status_output_and_stdin_pass_through(without_timeout: bool, bare: Path) -> None:
    line = command_line(["sh", "-c", "cat; echo err >&2; exit 7"], seconds=5, stdin=True)
    ended = shell(line, path=bare if without_timeout else None, given=b"in\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, b"in\nerr\n", b"")


@pytest.mark.parametrize("without_timeout", [False, True])
def test_a_missing_program_is_status_127(without_timeout: bool, bare: Path) -> None:
    line = command_line(["no-such-program"], seconds=5, stdin=False)
    assert shell(line, path=bare if without_timeout else None).returncode == 127


def test_a_signal_is_told_by_the_status_alone() -> None:
    ended = shell(command_line(["sh", "-c", "kill -9 $$"], seconds=5, stdin=False))
    assert (ended.returncode, ended.stdout, ended.stderr) == (137, b"", b"")
