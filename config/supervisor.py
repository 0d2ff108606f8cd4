"""Runs the processes of one installation: starts them, starts again what dies, stops them all."""

import http.client
import os
import signal
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from config.children import Child, Program, Watchman

STEADY_S = 60.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
Say = Callable[[str], None]


@dataclass(slots=True)
class Place:
    """A program that should run: its child, and how patient we have become with it."""

    program: Program
    child: Child | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    pause_s: float = field(default=FIRST_PAUSE_S)


class Supervisor:
    """Owns the children. One thread; call `watch` to sit and look after them."""

    def __init__(self, folder: Path, say: Say) -> None:
        self._logs = folder / "log"
        self._pids = folder / "run"
        self._say = say
        self._places: list[Place] = []
        self._watchman = Watchman()
        self.stopping = False

    def obey_signals(self) -> None:
        """SIGINT, SIGTERM and SIGHUP ask for a clean stop; under nohup a hang-up is no order."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._stop_soon)

    def _stop_soon(self, *_: object) -> None:
        self.stopping = True

    def start(self, *programs: Program) -> None:
        for program in programs:
            place = Place(program)
            self._places.append(place)
            self._run(place)

    def _run(self, place: Place) -> None:
        self._logs.mkdir(parents=True, exist_ok=True)
        log = self._logs / f"{place.program.name}.log"
        place.child = Child(place.program, log, os.environ, self._watchman)
        place.started_at = time.monotonic()
        pid = self._pids / f"{place.program.name}.pid"
        pid.write_text(f"{place.child.process.pid}\n", encoding="ascii")

    def look(self) -> None:
        """One round: note who died, start again whose pause is over."""
        now = time.monotonic()
        for place in self._places:
            if place.child is None:
                if now >= place.restart_at:
                    self._run(place)
            elif (status := place.child.ended()) is not None:
                self._mourn(place, status, now)

    def _mourn(self, place: Place, status: int, now: float) -> None:
        assert place.child is not None
        if now - place.started_at > STEADY_S:
            place.pause_s = FIRST_PAUSE_S
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        self._say(f"{place.program.name} {how}; starting it again in {place.pause_s:g} s")
        if words := place.child.last_words():
            self._say(words)
        place.child = None
        place.restart_at = now + place.pause_s
        place.pause_s = min(place.pause_s * 2, LONGEST_PAUSE_S)

    def watch(self) -> None:
        """Look after the children until asked to stop."""
        while not self.stopping:
            self.look()
            time.sleep(0.2)

    def wait_for(self, ready: Callable[[], bool], *, seconds: float) -> bool:
        """Look after the children until `ready`; False when stopped or too late."""
        end = time.monotonic() + seconds
        while not self.stopping and time.monotonic() < end:
            if ready():
                return True
            self.look()
            time.sleep(0.05)
        return False

    def stop(self) -> None:
        """End all children in the reverse order of their start, the first one (the broker) last."""
        living = [place.child for place in self._places if place.child is not None]
        self._end(reversed(living[1:]))
        self._end(living[:1])
        self._watchman.dismiss()
        for place in self._places:
            (self._pids / f"{place.program.name}.pid").unlink(missing_ok=True)

    def _end(self, children: Iterable[Child]) -> None:
        asked = list(children)
        for child in asked:
            child.ask_to_end()
        end = time.monotonic() + max((child.program.grace_s for child in asked), default=0)
        while time.monotonic() < end and any(child.process.poll() is None for child in asked):
            time.sleep(0.05)
        for child in asked:
            child.kill()


def page_answers(port: int) -> bool:
    """Whether the sign-in page comes, whole."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/accounts/login/")
        answer = connection.getresponse()
        answer.read()
        return answer.status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
