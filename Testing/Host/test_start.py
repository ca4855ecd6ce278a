"""The host itself: people can stop what runs in it."""

from __future__ import annotations

import random
import signal

import pytest
from PySide6.QtCore import QTimer


@pytest.fixture
def alarm():
    """Interrupts the test some milliseconds from now, as Ctrl-C does."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    yield lambda seconds: signal.setitimer(signal.ITIMER_REAL, seconds)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "in a slot"])
def test_ctrl_c_while_the_host_waits_is_never_taken_for_something_else(host, alarm, busy):
    timer = QTimer()
    timer.timeout.connect(lambda: sum(range(10_000)))
    if busy:
        timer.start(0)
    random.seed(0)
    for _ in range(60):
        with pytest.raises(KeyboardInterrupt):
            wait_until(host, alarm, random.uniform(0.002, 0.006))


def wait_until(host, alarm, seconds):
    alarm(seconds)
    host.wait_for(lambda: False, seconds=10)
