"""The functions of slicer.util that need the application; the others are slicer-core's own and stay."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import slicer
from PySide6 import QtCore, QtWidgets

from slicerhost.dialogs import answers
from slicerhost.ui_files import UiLoader

if TYPE_CHECKING:
    from collections.abc import Iterator


def loadUI(path: str) -> Any:
    if not isinstance(path, str):
        raise TypeError(f"loadUI gets {type(path).__name__}, which PythonQt cannot convert; pass str(path)")
    file = QtCore.QFile(path)
    if not file.open(QtCore.QIODevice.OpenModeFlag.ReadOnly):
        raise RuntimeError(f"Could not load UI file: file not found {path}")
    return UiLoader().load(file)


def childWidgetVariables(widget: Any) -> Any:
    """One attribute per named child."""
    found = type("", (), {})()
    for child in widget.findChildren(QtCore.QObject):
        if child.objectName() and not child.objectName().startswith("qt_"):
            setattr(found, child.objectName(), child)
    return found


def errorDisplay(text: str, *_: Any, **named: Any) -> None:
    answers.show("error", _with_detail(text, named))


def warningDisplay(text: str, *_: Any, **named: Any) -> None:
    answers.show("warning", _with_detail(text, named))


def infoDisplay(text: str, *_: Any, **named: Any) -> None:
    answers.show("info", _with_detail(text, named))


def confirmOkCancelDisplay(text: str, *_: Any, **_named: Any) -> bool:
    return answers.consent("confirm", text)


def confirmYesNoDisplay(text: str, *_: Any, **_named: Any) -> bool:
    return answers.consent("confirm", text)


def showStatusMessage(text: str, _duration: int = 0) -> None:
    answers.shown.append(("status", text))


def delayDisplay(text: str, _milliseconds: int = 0) -> None:
    answers.shown.append(("delay", text))


@contextmanager
def tryWithErrorDisplay(message: str | None = None, **_: Any) -> Iterator[None]:
    """Shows an exception to the user and raises it again."""
    try:
        yield
    except Exception as error:
        errorDisplay(f"{message or ''} {error}".strip())
        raise


@contextmanager
def WaitCursor() -> Iterator[None]:
    QtWidgets.QApplication.setOverrideCursor(QtCore.Qt.CursorShape.WaitCursor)
    try:
        yield
    finally:
        QtWidgets.QApplication.restoreOverrideCursor()


def mainWindow() -> Any:
    """None without one, as with --no-main-window."""
    return slicer.app.window


def selectModule(name: str) -> None:
    """The host shows one module, so it is always the selected one; without a main window there is nothing to select."""
    if slicer.app.window is None:
        raise RuntimeError("there is no main window")
    if name not in slicer.app.widgets:
        raise RuntimeError(f"there is no module {name}")


def reloadScriptedModule(name: str) -> None:
    """Executes the module file again and makes its panel anew, after the old one has cleaned up."""
    slicer.app.widgets[name].cleanup()
    slicer.app.open_module()


def getModuleWidget(name: str) -> Any:
    return slicer.app.widgets[name]


def _with_detail(text: str, named: dict[str, Any]) -> str:
    return f"{text}\n{named['detailedText']}" if named.get("detailedText") else text


REPLACED = (
    loadUI,
    childWidgetVariables,
    errorDisplay,
    warningDisplay,
    infoDisplay,
    confirmOkCancelDisplay,
    confirmYesNoDisplay,
    showStatusMessage,
    delayDisplay,
    tryWithErrorDisplay,
    WaitCursor,
    mainWindow,
    selectModule,
    getModuleWidget,
    reloadScriptedModule,
)
