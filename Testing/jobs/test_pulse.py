"""A worker's sign of life: only while it computes."""

from __future__ import annotations

import threading

from NoisyLabelSegLib.jobs.session import Pulse


def test_a_process_that_computes_has_a_pulse() -> None:
    beats = threading.Semaphore(0)
    work = iter(range(10**9))
    with Pulse(beats.release, every_seconds=0.01, work_clock=lambda: float(next(work))):
        assert all(beats.acquire(timeout=900) for _ in range(3))


def test_a_process_that_only_waits_has_none() -> None:
    beats, looks = [], threading.Semaphore(0)

    def clock() -> float:
        looks.release()
        return 5.0

    with Pulse(lambda: beats.append(1), every_seconds=0.01, work_clock=clock):
        assert all(looks.acquire(timeout=900) for _ in range(5))
    assert beats == []
