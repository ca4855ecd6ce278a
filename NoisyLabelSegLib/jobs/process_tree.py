"""Starting a process so that it and everything it starts can be ended together.

Slicer's Python is a launcher: ending it leaves its child, the real interpreter, at work.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence


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
