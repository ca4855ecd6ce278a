"""Calls a function once, a moment after the last start()."""

from __future__ import annotations

from collections.abc import Callable

import qt


class Once:
    """A timer that stops itself; it does not rely on `singleShot`, which Qt's Python bindings take for two things."""

    def __init__(self, function: Callable[[], None], milliseconds: int = 0) -> None:
        self._function = function
        self._timer = qt.QTimer()
        self._timer.interval = milliseconds
        self._timer.timeout.connect(self._onTimeout)

    @property
    def isWaiting(self) -> bool:
        return bool(self._timer.active)

    def start(self) -> None:
        """Begins to wait, or begins anew."""
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _onTimeout(self) -> None:
        self._timer.stop()
        self._function()
