"""Who calls a job again and again: a QTimer in Slicer, a thread in a script, a test by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol


class Poller(Protocol):
    """Calls `tick` about ten times a second from start() to stop(), always on the same thread.

    Each job has a poller of its own and does everything in that call, so its signals arrive where the poller runs.
    stop() may be called from within `tick`. In Slicer a QTimer whose `timeout` calls `tick` is all it takes.
    """

    def start(self, tick: Callable[[], None]) -> None: ...
    def stop(self) -> None: ...


class ThreadPoller:
    """Ticks on a thread of its own."""

    def __init__(self, interval_seconds: float = 0.05) -> None:
        self._interval = interval_seconds
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self, tick: Callable[[], None]) -> None:
        self._thread = threading.Thread(target=self._run, args=(tick,), name="job poller", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Returns when no tick is running any more, unless it is called from one."""
        self._stopped.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()

    def _run(self, tick: Callable[[], None]) -> None:
        while not self._stopped.wait(self._interval):
            tick()


class ManualPoller:
    """Ticks when told to: for a caller with a loop of its own."""

    def __init__(self) -> None:
        self._tick: Callable[[], None] | None = None

    def start(self, tick: Callable[[], None]) -> None:
        self._tick = tick

    def stop(self) -> None:
        self._tick = None

    def tick(self) -> None:
        if self._tick is not None:
            self._tick()
