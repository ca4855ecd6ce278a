"""Dialogs that tests answer beforehand, and that people answer themselves under `make panel`."""

from __future__ import annotations

from collections import deque
from typing import Any

from PySide6 import QtWidgets


class Answers:
    """What the user will do with the next dialogs, and what the application has shown so far."""

    def __init__(self) -> None:
        self.paths: deque[str] = deque()
        self.consents: deque[bool] = deque()
        self.shown: list[tuple[str, str]] = []
        self.interactive = False

    def clear(self) -> None:
        self.paths.clear()
        self.consents.clear()
        self.shown.clear()

    def consent(self, kind: str, text: str) -> bool:
        self.shown.append((kind, text))
        if self.interactive:
            button = QtWidgets.QMessageBox.question(None, "NoisyLabelSeg", text)
            return bool(button == QtWidgets.QMessageBox.StandardButton.Yes)
        return self.consents.popleft()

    def show(self, kind: str, text: str) -> None:
        self.shown.append((kind, text))
        if self.interactive:
            QtWidgets.QMessageBox.information(None, "NoisyLabelSeg", text)


answers = Answers()


class FileDialog(QtWidgets.QFileDialog):
    """PythonQt returns a path (empty if cancelled) where PySide returns a pair."""

    @staticmethod
    def getOpenFileName(*arguments: Any) -> str:  # type: ignore[override]
        return _path(QtWidgets.QFileDialog.getOpenFileName, arguments)

    @staticmethod
    def getSaveFileName(*arguments: Any) -> str:  # type: ignore[override]
        return _path(QtWidgets.QFileDialog.getSaveFileName, arguments)

    @staticmethod
    def getExistingDirectory(*arguments: Any) -> str:
        return _path(QtWidgets.QFileDialog.getExistingDirectory, arguments)


def _path(ask: Any, arguments: tuple[Any, ...]) -> str:
    if not answers.interactive:
        return answers.paths.popleft()
    found = ask(*arguments)
    return str(found if isinstance(found, str) else found[0])
