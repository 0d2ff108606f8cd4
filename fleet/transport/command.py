"""Turns an argv into the one command line a node runs, bounded on the node's side too. Pure."""

import math
import shlex
from collections.abc import Sequence

# Output in true order, no inherited stdin, and an end on the host itself: closing a channel leaves
# its command running. Where `timeout` is missing, a background sleep does its work. The shell stays
# to wait, so that death by a signal is told as 128 + its number on every kind of server, and keeps
# its own remarks about it ("Killed") out of the output.
_GUARD = (
    "exec 2>/dev/null%s; "
    'if command -v timeout >/dev/null; then (exec timeout -k 1 "$@" 2>&1); exit $?; fi; '
    't=$1; shift; exec 3<&0; "$@" <&3 3<&- 2>&1 & c=$!; '
    "(sleep $t; kill $c; sleep 1; kill -9 $c) >/dev/null <&- 3<&- & k=$!; "
    "wait $c; s=$?; kill $k; exit $s"
)
WITH_STDIN = _GUARD % ""
WITHOUT_STDIN = _GUARD % " </dev/null"


class BadCommand(ValueError):
    """An argv that no shell can carry: empty, or with a NUL in it."""


def command_line(argv: Sequence[str], *, seconds: float, stdin: bool) -> str:
    """`argv` under `timeout -k 1`, every word quoted. Raises BadCommand."""
    if isinstance(argv, str) or not argv:
        raise BadCommand("argv must be a non-empty list of words")
    if any("\0" in word for word in argv):
        raise BadCommand("a word of argv holds a NUL")
    guard = WITH_STDIN if stdin else WITHOUT_STDIN
    limit = str(max(1, math.ceil(seconds)))
    return shlex.join(["sh", "-c", guard, "sh", limit, *argv])


def argv_of(line: str) -> list[str]:
    """The argv inside a command line, for servers that stand in for a node.

    A line that command_line did not make comes back split into its words.
    """
    words = shlex.split(line)
    if words[:2] == ["sh", "-c"] and words[2:3] in ([WITH_STDIN], [WITHOUT_STDIN]):
        return words[5:]
    return words
