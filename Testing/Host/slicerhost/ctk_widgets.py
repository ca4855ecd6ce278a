"""The few ctk widgets that the panel uses, with the properties and signals it uses."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Property, QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QSlider,
    QStyle,
    QStyleOptionButton,
    QToolButton,
    QWidget,
)


class ctkCollapsibleButton(QWidget):
    """A section with a header that opens and closes it."""

    contentsCollapsed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._collapsed = "", False
        self._header = self.fontMetrics().height() + 10
        self.setContentsMargins(0, self._header + 2, 0, 4)

    def _get_text(self) -> str:
        return self._text

    def _set_text(self, text: str) -> None:
        self._text = text
        self.update()

    def _get_collapsed(self) -> bool:
        return self._collapsed

    def _set_collapsed(self, collapsed: bool) -> None:
        changed = collapsed != self._collapsed
        self._collapsed = collapsed
        self.setMaximumHeight(self._header if collapsed else 16777215)
        for child in self.findChildren(QWidget, options=Qt.FindDirectChildrenOnly):
            _keep_hidden(child, collapsed)
        self.update()
        if changed:
            self.contentsCollapsed.emit(collapsed)

    text = Property(str, _get_text, _set_text)
    collapsed = Property(bool, _get_collapsed, _set_collapsed)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.position().y() <= self._header:
            self._set_collapsed(not self._collapsed)

    def childEvent(self, event: Any) -> None:
        if event.type() == QEvent.Type.ChildPolished and isinstance(event.child(), QWidget):
            _keep_hidden(event.child(), self._collapsed)

    def paintEvent(self, _event: QPaintEvent) -> None:
        option = QStyleOptionButton()
        option.initFrom(self)
        option.rect = QRect(0, 0, self.width(), self._header)
        painter = QPainter(self)
        self.style().drawControl(QStyle.ControlElement.CE_PushButtonBevel, option, painter, self)
        painter.drawText(
            option.rect.adjusted(26, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._text
        )
        arrow = QStyle.PrimitiveElement.PE_IndicatorArrowRight
        if not self._collapsed:
            arrow = QStyle.PrimitiveElement.PE_IndicatorArrowDown
        option.rect = QRect(8, self._header // 2 - 5, 10, 10)
        self.style().drawPrimitive(arrow, option, painter, self)


def _keep_hidden(child: QWidget, collapsed: bool) -> None:
    """Hides a child while the section is closed, and remembers which ones the panel itself had hidden."""
    if collapsed and not child.isHidden():
        child.setProperty("hiddenBySection", True)
        child.hide()
    elif not collapsed and child.property("hiddenBySection"):
        child.setProperty("hiddenBySection", False)
        child.show()


class ctkPathLineEdit(QWidget):
    """A path that can be typed or browsed for. `filters` is a number here; in ctk a set of flags."""

    currentPathChanged = Signal(str)

    Files, Dirs = 0x002, 0x001

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._edit, self._button = QLineEdit(self), QToolButton(self)
        self._names: list[str] = []
        self._filters, self._key = self.Files, ""
        self._button.setText("...")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._edit)
        layout.addWidget(self._button)
        self._edit.textChanged.connect(self.currentPathChanged)
        self._button.clicked.connect(self._browse)

    def _browse(self) -> None:
        if self._filters & self.Files:
            path = QFileDialog.getOpenFileName(self, "", self._edit.text(), ";;".join(self._names))[0]
        else:
            path = QFileDialog.getExistingDirectory(self, "", self._edit.text())
        if path:
            self._edit.setText(path)

    currentPath = Property(str, lambda self: self._edit.text(), lambda self, path: self._edit.setText(path))
    nameFilters = Property("QStringList", lambda self: self._names, lambda self, names: setattr(self, "_names", names))
    filters = Property(int, lambda self: self._filters, lambda self, value: setattr(self, "_filters", int(value)))
    settingKey = Property(str, lambda self: self._key, lambda self, key: setattr(self, "_key", key))


class ctkSliderWidget(QWidget):
    """A slider and a number box that show the same number."""

    valueChanged = Signal(float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._slider, self._box = QSlider(Qt.Orientation.Horizontal, self), QDoubleSpinBox(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._slider)
        layout.addWidget(self._box)
        self._box.valueChanged.connect(self._follow)
        self._slider.valueChanged.connect(self._lead)

    def _follow(self, value: float) -> None:
        with _quiet(self._slider):
            self._slider.setValue(round(value / self._box.singleStep()))
        self.valueChanged.emit(value)

    def _lead(self, steps: int) -> None:
        self._box.setValue(steps * self._box.singleStep())

    def _limit(self) -> None:
        step = self._box.singleStep()
        with _quiet(self._slider):
            self._slider.setRange(round(self._box.minimum() / step), round(self._box.maximum() / step))

    def _setting(name: str) -> Any:
        def read(self: ctkSliderWidget) -> float:
            return float(getattr(self._box, name)())

        def write(self: ctkSliderWidget, value: float) -> None:
            getattr(self._box, f"set{name[0].upper()}{name[1:]}")(value)
            self._limit()

        return Property(float, read, write)

    value, minimum, maximum, singleStep = map(_setting, ("value", "minimum", "maximum", "singleStep"))
    decimals = Property(int, lambda self: self._box.decimals(), lambda self, number: self._box.setDecimals(number))
    suffix = Property(str, lambda self: self._box.suffix(), lambda self, text: self._box.setSuffix(text))


class _quiet:
    """Blocks an object's signals for a moment."""

    def __init__(self, source: QObject) -> None:
        self._source = source

    def __enter__(self) -> None:
        self._before = self._source.blockSignals(True)

    def __exit__(self, *_: object) -> None:
        self._source.blockSignals(self._before)
