"""Listens to the event loop: how long it was busy with something else, again and again."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer

BEAT_MILLISECONDS = 5


class Heartbeat:
    """Between start() and stop() a timer beats; `gaps` are the seconds by which each beat came late.

    `busy` are the seconds that the main thread itself computed since the beat before: the part of a gap that is not due
    to other programs on the computer.
    """

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.busy: list[float] = []
        self._timer = QTimer()
        self._timer.setInterval(BEAT_MILLISECONDS)
        self._timer.timeout.connect(self._beat)
        self._last = self._last_busy = 0.0

    def start(self) -> None:
        self._last, self._last_busy = time.perf_counter(), time.thread_time()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _beat(self) -> None:
        now, busy = time.perf_counter(), time.thread_time()
        self.gaps.append(max(now - self._last - BEAT_MILLISECONDS / 1000, 0.0))
        self.busy.append(busy - self._last_busy)
        self._last, self._last_busy = now, busy
