"""A circuit breaker: after one failure, nobody else waits for a broker that is away. Pure."""

import threading
import time
from collections.abc import Callable


class Breaker:
    """Closed while calls work; after a failure open for `seconds`, then one caller tries again."""

    def __init__(self, seconds: float = 2.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds = seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._retry_at: float | None = None

    def allows(self) -> bool:
        """Whether this caller may try. While open, only the first caller after the pause may."""
        with self._lock:
            if self._retry_at is None:
                return True
            now = self._clock()
            if now < self._retry_at:
                return False
            self._retry_at = now + self._seconds
            return True

    def worked(self) -> None:
        """Close: the call came back."""
        with self._lock:
            self._retry_at = None

    def failed(self) -> None:
        """Open for `seconds` from now."""
        with self._lock:
            self._retry_at = self._clock() + self._seconds
