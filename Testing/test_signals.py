"""The signal that carries news from jobs to panels."""

from __future__ import annotations

import logging

import pytest

from NoisyLabelSegLib.signals import Signal


def test_receivers_hear_in_the_order_they_connected_until_they_disconnect() -> None:
    signal: Signal[int] = Signal()
    heard: list[tuple[str, int]] = []
    disconnect = signal.connect(lambda value: heard.append(("first", value)))
    signal.connect(lambda value: heard.append(("second", value)))
    signal.emit(1)
    disconnect()
    disconnect()
    signal.emit(2)
    assert heard == [("first", 1), ("second", 1), ("second", 2)]


def test_the_same_receiver_connected_twice_hears_twice_and_leaves_once() -> None:
    signal: Signal[int] = Signal()
    heard: list[int] = []
    leave = signal.connect(heard.append)
    signal.connect(heard.append)
    signal.emit(1)
    leave()
    signal.emit(2)
    assert heard == [1, 1, 2]


def test_a_receiver_may_disconnect_itself_while_it_hears() -> None:
    signal: Signal[int] = Signal()
    heard: list[int] = []
    leave = signal.connect(lambda value: (heard.append(value), leave()))
    signal.connect(heard.append)
    signal.emit(1)
    signal.emit(2)
    assert heard == [1, 1, 2]


def test_a_receiver_that_fails_is_logged_and_the_others_still_hear(caplog: pytest.LogCaptureFixture) -> None:
    signal: Signal[int] = Signal()
    heard: list[int] = []
    signal.connect(lambda value: 1 // (value - value))
    signal.connect(heard.append)
    with caplog.at_level(logging.ERROR):
        signal.emit(7)
    assert heard == [7]
    assert "ZeroDivisionError" in caplog.text
