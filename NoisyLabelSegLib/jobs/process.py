"""A child process that never blocks its caller: its lines, a clean stop, and the end of everything it started."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import IO


def start_tree(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Starts the command at the head of a process group of its own, with pipes on its three streams."""
    return subprocess.Popen(
        list(command),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=dict(environment),
        start_new_session=True,  # has no effect on Windows, where trees need no group
        creationflags=_no_window(),
    )


def end_tree(process: subprocess.Popen[bytes]) -> None:
    """Ends the process, if it still runs, and everything of its group, without waiting."""
    if sys.platform == "win32":
        _end_windows_tree(process.pid)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left; macOS refuses a group of zombies
        os.killpg(process.pid, signal.SIGKILL)  # the head of a group gives the group its number


def _end_windows_tree(number: int) -> None:
    command = ["taskkill", "/T", "/F", "/PID", str(number)]
    nothing = subprocess.DEVNULL
    subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, creationflags=_no_window())


def _no_window() -> int:
    if sys.platform == "win32":
        return subprocess.CREATE_NO_WINDOW
    return 0


LONGEST_LINE = 1 << 20
"""Longer lines are cut, so that output without line ends cannot fill the memory."""
MOST_WAITING_LINES = 2000
"""When more lines wait than this the child has to wait too, so that a flood of output cannot fill the memory."""
MOST_LINES_AT_ONCE = 500
LAST_WORDS_SECONDS = 2.0
"""How long the output of an ended tree may stay open before it is given up."""


class Process:
    """A running command. Call tend() again and again; nothing here blocks.

    Two threads read the two outputs; everything else happens in the caller's thread.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        grace_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock, self._grace = clock, grace_seconds
        self._lines: queue.Queue[tuple[str, bool]] = queue.Queue(MOST_WAITING_LINES)
        self._deaf = threading.Event()
        self._deadline: float | None = None
        self._heard = clock()
        self.forced = False
        """Whether the tree had to be ended because it did not stop by itself in time."""
        self._child = start_tree(command, environment)
        self._readers = [
            threading.Thread(target=self._read, args=(stream, is_output), name="job reader", daemon=True)
            for stream, is_output in ((self._child.stdout, True), (self._child.stderr, False))
        ]
        for reader in self._readers:
            reader.start()

    @property
    def exit_code(self) -> int | None:
        """The code of the process that was started (a launcher's, where one was); negative for a signal."""
        return self._child.poll()

    @property
    def silent_seconds(self) -> float:
        """How long nothing has been heard."""
        return self._clock() - self._heard

    def lines(self) -> Iterator[tuple[str, bool]]:
        """The lines that wait, at most a few hundred, each with whether it came from stdout."""
        for _ in range(MOST_LINES_AT_ONCE):
            try:
                yield self._lines.get_nowait()
            except queue.Empty:
                return

    def stop(self) -> None:
        """Asks the process to stop; what still runs after the grace time is ended by tend()."""
        if self._deadline is None:
            self._deadline = self._clock() + self._grace
            self._say_cancel()

    def tend(self) -> bool:
        """Does what is due; True once the whole tree has ended and all its lines have been taken."""
        ended = self.exit_code is not None
        if ended and not self._is_over():
            self.stop()  # the launcher is gone and its child still talks: it deserves the same question
        if self._deadline is not None and self._clock() >= self._deadline:
            if ended and self.forced:
                self._deaf.set()  # somebody outside the tree holds the pipe open
                return True
            self._end()
        return ended and self._is_over() and self._lines.empty()

    def close(self) -> None:
        """Lets go of the process; silent children that one which ended well has left behind are ended."""
        self._deaf.set()
        end_tree(self._child)
        self._close_input()

    def _end(self) -> None:
        self.forced = self.forced or not self._is_over()
        end_tree(self._child)
        self._deadline = self._clock() + LAST_WORDS_SECONDS

    def _is_over(self) -> bool:
        return not any(reader.is_alive() for reader in self._readers)

    def _say_cancel(self) -> None:
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            self._stdin.write(b"cancel\n")
        self._close_input()

    @property
    def _stdin(self) -> IO[bytes]:
        assert self._child.stdin is not None
        return self._child.stdin

    def _close_input(self) -> None:
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _read(self, stream: IO[bytes], is_output: bool) -> None:
        rest = b""
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 16):
                self._heard = self._clock()
                *lines, rest = (rest + chunk).split(b"\n")
                if len(rest) > LONGEST_LINE:
                    lines, rest = [*lines, rest], b""
                for line in lines:
                    self._keep(line, is_output)
            if rest:
                self._keep(rest, is_output)

    def _keep(self, line: bytes, is_output: bool) -> None:
        text = line.decode("utf-8", errors="replace").rstrip("\r")
        while not self._deaf.is_set():
            try:
                self._lines.put((text, is_output), timeout=0.2)
                return
            except queue.Full:
                continue
