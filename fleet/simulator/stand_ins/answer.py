"""What a stand-in gives back: text, exit code, and how long it takes."""

from collections.abc import Callable
from dataclasses import dataclass

from fleet.simulator.host import SimHost


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of one call. `hang` never ends; `delay` is the time before it ends, in seconds."""

    out: str = ""
    status: int = 0
    err: str = ""
    delay: float = 0.0
    hang: bool = False


Tool = Callable[[SimHost, list[str]], Answer]


def option(words: list[str], *names: str) -> str | None:
    """The value of the last `--name VALUE`, `--name=VALUE` or `-nVALUE` among the words."""
    found = None
    for place, word in enumerate(words):
        for name in names:
            if word == name and place + 1 < len(words):
                found = words[place + 1]
            elif name.startswith("--") and word.startswith(f"{name}="):
                found = word[len(name) + 1 :]
            elif len(name) == 2 and word.startswith(name) and word != name and word[1] != "-":
                found = word[2:].removeprefix("=")
    return found
