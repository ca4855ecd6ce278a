"""Notices when nobody wants a worker's work any more, and interrupts it."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time

LOOK_EVERY_SECONDS = 0.5


class Watch:
    """Watches stdin and the parent; the first reason to stop raises KeyboardInterrupt in the main thread, once.

    Stdin ends with a caller that dies. A launcher in between may die alone, so the parent is watched too (where there
    is no way to ask for it, on Windows, the caller closes stdin in its place).
    """

    def __init__(self) -> None:
        self.asked = False
        self._over = False
        self._lock = threading.Lock()

    def start(self) -> None:
        threading.Thread(target=self._watch_stdin, daemon=True).start()
        if sys.platform != "win32":
            threading.Thread(target=self._watch_parent, args=(os.getppid(),), daemon=True).start()

    def end(self) -> None:
        """From now on nothing is interrupted: the work is done, or already stopping."""
        with self._lock:
            self._over = True

    def _watch_stdin(self) -> None:
        rest = b""
        while chunk := _read_stdin():
            *lines, rest = (rest + chunk).split(b"\n")
            if any(line.strip() == b"cancel" for line in lines):
                break
        self._stop()

    def _watch_parent(self, parent: int) -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY_SECONDS)
        self._stop()

    def _stop(self) -> None:
        with self._lock:
            if self.asked or self._over:
                return
            self.asked = True
        if sys.platform == "win32":
            _thread.interrupt_main()
        else:  # a real signal also ends a wait
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)


def _read_stdin() -> bytes:
    """What has arrived; nothing at the end. Past Python's buffer, whose lock would outlive the main thread."""
    try:
        return os.read(0, 4096)
    except OSError:
        return b""
