"""Slicer makes every tool tip rich text, so that long ones are wrapped; reading one gives what Slicer made of it."""

from __future__ import annotations

import functools
import html

from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QWidget


class _Enrich(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTipChange:
            text = watched.property("toolTip")
            if text and not text.startswith("<"):
                watched.setProperty("toolTip", f"<p>{html.escape(text, quote=False)}</p>")
        return False


def enrich(widget: QWidget) -> None:
    """From now on the tool tips of this widget are rich text."""
    widget.installEventFilter(_filter())


@functools.cache
def _filter() -> QObject:
    return _Enrich(QCoreApplication.instance())
