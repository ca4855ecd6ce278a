"""Why a worker died, in words."""

from __future__ import annotations

import signal
from pathlib import Path

MEMORY = "the machine ran out of memory; close other programs, or try fewer or smaller cases at once"
_CRASHES = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP")
_WINDOWS = {
    0xC0000005: "crashed (access violation)",
    0xC00000FD: "crashed (stack overflow)",
    0xC0000409: "crashed (stack buffer overrun)",
    0xC000013A: "was told to stop from outside (Ctrl-C)",
    0xC0000017: f"ended because {MEMORY}",
    0xC000012D: f"ended because {MEMORY}",
}


def death_in_words(exit_code: int, *, out_of_memory: bool = False) -> str:
    """What an exit code says that came without a result or an error event, as one sentence.

    Negative codes are signals; a launcher passes its child's signal on as 128 plus its number.
    """
    if exit_code == 0:
        return "The worker ended without a result; see the last lines of the log."
    if (exit_code & 0xFFFFFFFF) in _WINDOWS:
        return f"The worker {_WINDOWS[exit_code & 0xFFFFFFFF]}."
    name = _signal_name(exit_code)
    if name == "SIGKILL" and out_of_memory:
        return f"The worker was killed (SIGKILL) because {MEMORY}."
    if name == "SIGKILL":
        return "The worker was killed (SIGKILL) by the system or by another program; if memory was short, free some."
    if name in _CRASHES:
        return f"The worker crashed ({name}); the last lines of the log say where."
    if name:
        return f"The worker was told to stop from outside ({name})."
    return f"The worker ended with exit code {exit_code}; see the last lines of the log."


def memory_kills() -> int:
    """How often this system has ended a process for want of memory since it started; 0 where it does not say."""
    try:
        lines = Path("/proc/vmstat").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), 0)


def _signal_name(exit_code: int) -> str:
    number = -exit_code if exit_code < 0 else exit_code - 128
    try:
        return signal.Signals(number).name
    except ValueError:
        return ""
