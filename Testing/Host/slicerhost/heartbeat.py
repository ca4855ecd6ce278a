"""Listens to the event loop: how long it was busy with something else, again and again."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer

BEAT_MILLISECONDS = 5


class Heartbeat:
    """Between start() and stop() a timer beats; `gaps` are the seconds by which each beat came late."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self._timer = QTimer()
        self._timer.setInterval(BEAT_MILLISECONDS)
        self._timer.timeout.connect(self._beat)
        self._last = 0.0

    def start(self) -> None:
        self._last = time.perf_counter()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps.append(max(now - self._last - BEAT_MILLISECONDS / 1000, 0.0))
        self._last = now
