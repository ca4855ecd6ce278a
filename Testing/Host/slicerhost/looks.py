"""How the host looks: Qt's Fusion style, light or dark, with check boxes that are seen on a dark ground."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle, QWidget

DARK = {
    QPalette.ColorRole.Window: "#2b2b2b",
    QPalette.ColorRole.WindowText: "#dddddd",
    QPalette.ColorRole.Base: "#1f1f1f",
    QPalette.ColorRole.AlternateBase: "#262626",
    QPalette.ColorRole.Text: "#dddddd",
    QPalette.ColorRole.Button: "#3a3a3a",
    QPalette.ColorRole.ButtonText: "#dddddd",
    QPalette.ColorRole.ToolTipBase: "#2b2b2b",
    QPalette.ColorRole.ToolTipText: "#dddddd",
    QPalette.ColorRole.Highlight: "#2a72b5",
    QPalette.ColorRole.HighlightedText: "#ffffff",
}
DARK_DISABLED = "#808080"
_BOXES = (QStyle.PrimitiveElement.PE_IndicatorCheckBox, QStyle.PrimitiveElement.PE_IndicatorItemViewItemCheck)


class EdgedBoxes(QProxyStyle):
    """Fusion, whose check boxes have an edge of the color of the text."""

    def __init__(self) -> None:
        super().__init__("Fusion")

    def drawPrimitive(
        self, element: QStyle.PrimitiveElement, option: Any, painter: QPainter, widget: QWidget | None = None
    ) -> None:
        super().drawPrimitive(element, option, painter, widget)
        if element in _BOXES:
            enabled = bool(option.state & QStyle.StateFlag.State_Enabled)
            painter.save()
            painter.setPen(QColor("#b4b4b4" if enabled else "#6a6a6a"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
            painter.restore()


def look(application: QApplication, *, dark: bool) -> None:
    if not dark:
        application.setStyle("Fusion")
        return
    application.setStyle(EdgedBoxes())
    application.styleHints().setColorScheme(Qt.ColorScheme.Dark)  # Fusion then draws lighter edges
    application.setPalette(dark_palette())


def dark_palette() -> QPalette:
    palette = QPalette()
    for role, color in DARK.items():
        palette.setColor(role, QColor(color))
    for role in (QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText, QPalette.ColorRole.WindowText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(DARK_DISABLED))
    return palette
