"""Time and memory as ratios taken in one run, so that a noisy machine disturbs both sides alike."""

from __future__ import annotations

import ctypes
import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

Clock = Callable[[], float]
M_MMAP_THRESHOLD = -3
"""Its number in malloc.h of glibc."""


@dataclass(frozen=True)
class Comparison:
    """Median (or another figure of) seconds of ours and the rival's, taken turn by turn."""

    ours_seconds: float
    rival_seconds: float

    @property
    def times_faster(self) -> float:
        return self.rival_seconds / self.ours_seconds


def compare(
    ours: Callable[[], Any],
    rival: Callable[[], Any],
    *,
    repeats: int = 5,
    warm_up: bool = True,
    clock: Clock = time.perf_counter,
    figure: Callable[[Iterable[float]], float] = statistics.median,
) -> Comparison:
    """Runs both in turn `repeats` times and takes the median, or another figure, of each.

    Of what runs in one thread, `time.process_time` is the time on an idle machine, however busy this one is.
    """
    if warm_up:
        ours()
    pairs = [(seconds(ours, clock), seconds(rival, clock)) for _ in range(repeats)]
    return Comparison(figure(a for a, _ in pairs), figure(b for _, b in pairs))


def seconds(function: Callable[[], Any], clock: Clock = time.perf_counter) -> float:
    """How long one call takes."""
    start = clock()
    function()
    return clock() - start


def peak_bytes(function: Callable[[], Any]) -> int:
    """How far the memory of a forked child rises above its start while the function runs (Linux)."""
    return rising_peaks(lambda: (function() for _ in range(1)))[-1]


def rising_peaks(work: Callable[[], Iterable[Any]]) -> list[int]:
    """The same for work that comes in steps: how far the memory has risen, at its highest, after each of them."""
    receiver, sender = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_measure_peaks, args=(work, sender))
    process.start()
    sender.close()
    try:
        peaks: list[int] = receiver.recv()
    except EOFError as error:
        raise RuntimeError("the measured function died") from error
    finally:
        process.join()
    return peaks


def _measure_peaks(work: Callable[[], Iterable[Any]], sender: Connection) -> None:
    _return_large_blocks()
    Path("/proc/self/clear_refs").write_text("5")  # resets the high-water mark
    start = _status_bytes("VmRSS")
    sender.send([max(_status_bytes("VmHWM") - start, 1) for _ in work()])


def _return_large_blocks() -> None:
    """Lets blocks above a megabyte go back to the system when they are freed.

    Otherwise the C library keeps as many as it thinks fit, and peaks are as much about its leftovers as about the work.
    """
    ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 2**20)


def _status_bytes(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field + ":"))
