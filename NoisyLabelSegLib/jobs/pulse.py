"""The worker's sign of life, so that a long step can be told from a hang."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

EVERY_SECONDS = 20.0
LEAST_WORK = 0.01
"""The share of the time that must have gone into computing; the threads that only watch need far less."""


class Pulse:
    """Calls `beat` every few seconds from a thread of its own, but only while the process really computes.

    A process that waits for a lock that never opens, or for a disk that never answers, has no pulse.
    """

    def __init__(
        self,
        beat: Callable[[], None],
        *,
        every_seconds: float = EVERY_SECONDS,
        work_clock: Callable[[], float] = time.process_time,
    ) -> None:
        self._beat, self._every, self._work_clock = beat, every_seconds, work_clock
        self._over = threading.Event()

    def __enter__(self) -> Pulse:
        threading.Thread(target=self._run, name="pulse", daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._over.set()

    def _run(self) -> None:
        before = self._work_clock()
        while not self._over.wait(self._every):
            now = self._work_clock()
            if now - before >= LEAST_WORK * self._every:
                self._beat()
            before = now
