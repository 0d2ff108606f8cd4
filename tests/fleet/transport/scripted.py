"""A transport that answers from a script. A command it was not told of fails loudly."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fleet.transport.result import OutputTooLarge, Result, TransportError

Answer = Result | TransportError | tuple[int | None, bytes] | Callable[[bytes | None], bytes]


class Unscripted(AssertionError):
    """The test's script has no answer to this command."""


@dataclass
class Scripted:
    """`answers` by argv: a (status, output), an error to raise, or a function of stdin."""

    answers: dict[tuple[str, ...], Answer] = field(default_factory=dict)
    asked: list[tuple[str, ...]] = field(default_factory=list)
    closed: bool = False

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout: float,
        stdin: bytes | None = None,
        cap: int = 1 << 20,
    ) -> Result:
        words = tuple(argv)
        self.asked.append(words)
        if words not in self.answers:
            raise Unscripted(f"no answer is scripted for {list(words)}")
        answer = self.answers[words]
        if isinstance(answer, TransportError):
            raise answer
        if isinstance(answer, Result):
            return answer
        status, output = (0, answer(stdin)) if callable(answer) else answer
        if len(output) > cap:
            raise OutputTooLarge(f"more than {cap} bytes", partial=output[:cap], stage="command")
        return Result(words, status, output, time.monotonic() % 0.001)

    def close(self) -> None:
        self.closed = True
