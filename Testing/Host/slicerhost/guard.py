"""What PythonQt and Slicer refuse at run time, and PySide would let pass; every method call of the panel comes here."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from PySide6.QtCore import SignalInstance

_HOST_PACKAGES = ("PySide6", "Shiboken", "slicerhost")


def call(function: Callable[..., Any], /, *arguments: Any, **named: Any) -> Any:
    """Calls the function, unless Slicer would have refused the call."""
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError(f"{_name(function)} is called outside the main thread; Slicer would crash sooner or later")
    if _belongs_to_qt(function):
        _refuse_paths(function, (*arguments, *named.values()))
    if getattr(function, "__name__", "") == "connect" and isinstance(function.__self__, SignalInstance):
        _refuse_defaults(*arguments[:1])
    return function(*arguments, **named)


def _refuse_paths(function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    if any(isinstance(argument, PurePath) for argument in arguments):
        raise TypeError(f"{_name(function)} gets a pathlib.Path, which PythonQt cannot convert; pass str(path)")


def _refuse_defaults(receiver: Any) -> None:
    """A slot gets as many of a signal's arguments as it has parameters, and clicked(bool) always has one to give."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(receiver).parameters.values()
    except (TypeError, ValueError):  # functions written in C, and signals, say nothing about their arguments
        return
    for parameter in parameters:
        if parameter.kind in kinds and parameter.default is not inspect.Parameter.empty:
            raise TypeError(
                f"{_name(receiver)} would receive an argument of the signal as {parameter.name!r}; "
                "give the slot no default arguments"
            )


def _belongs_to_qt(function: Any) -> bool:
    owner = getattr(function, "__self__", None)
    kind = function if inspect.isclass(function) else owner if inspect.isclass(owner) else type(owner)
    return any(base.__module__.startswith(_HOST_PACKAGES) for base in kind.__mro__)


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", None) or repr(function)
