"""A signal in plain Python, because Qt signals cannot be defined in Slicer's Python."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Signal(Generic[Value]):
    """Tells everyone connected, in the order they connected, on the thread that emits.

    A receiver that fails is logged and does not keep the others from hearing.
    """

    def __init__(self) -> None:
        self._receivers: dict[object, Callable[[Value], object]] = {}

    def connect(self, receiver: Callable[[Value], object]) -> Callable[[], None]:
        """Connects and returns the function that disconnects."""
        key = object()
        self._receivers[key] = receiver

        def disconnect() -> None:
            self._receivers.pop(key, None)

        return disconnect

    def emit(self, value: Value) -> None:
        for receiver in tuple(self._receivers.values()):
            try:
                receiver(value)
            except Exception:
                logging.getLogger(__name__).exception("A receiver of a signal failed")
