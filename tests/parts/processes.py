"""Child processes that cannot outlive the tests, free ports, and waiting with a deadline."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, TypeVar

T = TypeVar("T")


def spawn(
    argv: Sequence[str | Path],
    *,
    user: str = "",
    log: IO[Any] | int = subprocess.DEVNULL,
    **options: Any,
) -> subprocess.Popen[bytes]:
    """Start `argv` in a process group of its own, as `user` if given (needs root).

    The kernel kills it when we die: setpriv asks for that after it has changed the user.
    """
    identity = [f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
    return subprocess.Popen(
        ["setpriv", *identity, "--pdeathsig", "KILL", "--", *(str(part) for part in argv)],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        **options,
    )


def stop(process: subprocess.Popen[bytes], *, seconds: float = 10) -> None:
    """Ask the process to end, and kill its group if it has not after `seconds`."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(5)


def free_port() -> int:
    """A TCP port of 127.0.0.1 nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until(ask: Callable[[], T], *, seconds: float, what: str, every: float = 0.05) -> T:
    """Call `ask` until it answers something true; AssertionError naming `what` after `seconds`."""
    end = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not within {seconds:g} s")
        time.sleep(every)


def answers(port: int, host: str = "127.0.0.1") -> bool:
    """Whether somebody listens there."""
    try:
        socket.create_connection((host, port), 0.5).close()
    except OSError:
        return False
    return True
