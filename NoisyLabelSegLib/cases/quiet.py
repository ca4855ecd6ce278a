"""Keeps what C libraries print about a bad file off people's screens; they get our sentence instead."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.RLock()  # the stream belongs to the whole process


@contextmanager
def quiet_libraries() -> Iterator[None]:
    """Sends the process's own standard error nowhere for the length of one call into ITK.

    Python's `sys.stderr` is not enough: MetaIO and niftilib write to the file descriptor.
    """
    with _LOCK:
        try:
            screen = os.dup(2)
        except OSError:  # a program without a console, such as Slicer on Windows
            yield
            return
        if sys.stderr is not None:
            sys.stderr.flush()
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(screen, 2)
            os.close(screen)
