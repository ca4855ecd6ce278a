"""One writer per output: a lock of the operating system, which ends with the process that holds it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from NoisyLabelSegLib.errors import UserError


@contextmanager
def claimed(path: Path) -> Iterator[None]:
    """Holds the lock `.NAME.lock` beside `path`; refused while another process, or thread, holds it.

    A lock file of a process that was killed is not locked any more, so it is taken over. Where the file system knows no
    locks, nothing is locked.
    """
    lock = path.parent / f".{path.name}.lock"
    handle = _take(lock)
    if handle is None:
        raise UserError(
            f"is being written by another run{_owner(lock)}",
            file=path,
            remedy="wait until it has ended or choose another output",
        )
    try:
        yield
    finally:
        _release(handle, lock)


def remove_stale_lock(path: Path) -> None:
    """Removes the lock file beside `path` that a killed process left, if there is one."""
    lock = path.parent / f".{path.name}.lock"
    if lock.exists() and (handle := _take(lock)) is not None:
        _release(handle, lock)


def _take(lock: Path) -> int | None:
    """The open lock file, or None where it is held by somebody else."""
    while True:
        handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        if not _lock(handle):
            os.close(handle)
            return None
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(handle), os.stat(lock)):  # else its last owner has just removed it
                with contextlib.suppress(OSError):  # a full disk, on which the lock holds without its owner's number
                    os.ftruncate(handle, 0)
                    os.write(handle, str(os.getpid()).encode())
                return handle
        os.close(handle)


def _release(handle: int, lock: Path) -> None:
    if sys.platform == "win32":  # which removes no open file
        os.close(handle)
        with contextlib.suppress(OSError):
            lock.unlink()
    else:
        with contextlib.suppress(OSError):
            lock.unlink()
        os.close(handle)


def _owner(lock: Path) -> str:
    try:
        return f" (process {int(lock.read_text(encoding='ascii'))})"
    except (OSError, ValueError):
        return ""


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without locks
            return True
        return True
