"""The modules `qt`, `ctk` and others under the names that Slicer gives them."""

from __future__ import annotations

import sys
import types
from typing import Any

from PySide6 import QtCore, QtGui, QtUiTools, QtWidgets

from slicerhost import ctk_widgets, mrml_widgets
from slicerhost.dialogs import FileDialog
from slicerhost.ui_files import UiLoader

PYSIDE_ONLY = {"Signal", "SignalInstance", "Slot", "Property", "ClassInfo", "QEnum", "QFlag"}


def qt_module() -> types.ModuleType:
    """All of Qt in one flat module, without what only PySide has: `qt.Signal` does not exist in PythonQt."""
    module = types.ModuleType("qt", "Qt as PythonQt shows it")
    for part in (QtCore, QtGui, QtWidgets, QtUiTools):
        for name in dir(part):
            if name.startswith("Q") and name not in PYSIDE_ONLY:
                setattr(module, name, getattr(part, name))
    module.__dict__.update(QUiLoader=UiLoader, QFileDialog=FileDialog)
    return module


def ctk_module() -> types.ModuleType:
    return _module_of_classes("ctk", ctk_widgets, "ctk")


def add_mrml_widgets(slicer: Any) -> None:
    """Slicer's own widgets are names of the `slicer` module."""
    for name, value in _classes(mrml_widgets, "qMRML").items():
        setattr(slicer, name, value)


def install(name: str, module: types.ModuleType) -> None:
    sys.modules[name] = module


def _module_of_classes(name: str, source: types.ModuleType, prefix: str) -> types.ModuleType:
    module = types.ModuleType(name, source.__doc__)
    module.__dict__.update(_classes(source, prefix))
    return module


def _classes(source: types.ModuleType, prefix: str) -> dict[str, Any]:
    return {name: value for name, value in vars(source).items() if name.startswith(prefix)}
