"""What every part of the panel has: tooltips, figures that stand below each other, a place in a narrow panel."""

from __future__ import annotations

import slicer
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QCheckBox, QComboBox, QLineEdit, QTableWidget, QWidget

CONTROLS = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit)
COMPOSED = ("ctkPathLineEdit", "ctkSliderWidget", "qMRMLNodeComboBox")
"""What people click on or type into, and controls that are made of several."""
OF_QT = ("ScrollLeftButton", "ScrollRightButton")
"""Qt's own buttons of a tab bar that is too narrow."""


def controls(panel):
    """The controls of the panel, without the parts of those that are made of several."""
    for widget in panel.findChildren(QWidget):
        parent = type(widget.parentWidget())
        isPart = issubclass(parent, (QComboBox, QAbstractSpinBox)) or parent.__name__ in COMPOSED
        if (isinstance(widget, CONTROLS) or type(widget).__name__ in COMPOSED) and widget.objectName() and not isPart:
            yield widget


def test_every_control_has_a_tooltip(opened, module):
    assert opened.truth.truth is not None
    found = [widget for widget in controls(module.parent) if not widget.objectName().startswith("qt_")]
    assert len(found) > 60
    assert [
        name for name in (widget.objectName() for widget in found if not widget.toolTip()) if name not in OF_QT
    ] == []


def test_titles_of_the_figures_have_tooltips(opened):
    ui = opened.annotatorsSection._ui
    for place in range(ui.figureSelector.count()):
        ui.figureSelector.setProperty("currentIndex", place)
        ui.figureSelector.activated.emit(place)
        table = ui.statisticsTable
        assert all(table.horizontalHeaderItem(column).toolTip() for column in range(table.model().columnCount()))


def test_figures_stand_at_the_right_of_their_columns(opened):
    ui = opened.annotatorsSection._ui
    ui.statisticsTable.selectRow(2)
    tables = {ui.statisticsTable: range(1, 5), ui.mistakesTable: range(1, 4), opened.classesSection._ui.classTable: [1]}
    for table, columns in tables.items():
        assert isinstance(table, QTableWidget)
        for row in range(table.model().rowCount()):
            for column in columns:
                alignment = Qt.AlignmentFlag(table.item(row, column).textAlignment())
                assert alignment & Qt.AlignmentFlag.AlignRight, (table.objectName(), column)
        assert table.model().rowCount()


def test_an_exported_labelmap_does_not_come_back_as_an_annotator(opened):
    ui = opened.exportSection._ui
    for box in ui.exportSection.findChildren(QCheckBox):
        box.setChecked(box.objectName() == "exportLabelmap")
    ui.exportButton.click()
    assert slicer.util.getNodes("scan truth labelmap*")
    before = opened.case.annotators
    opened.caseSection._ui.addFromSceneButton.click()
    assert opened.case.annotators == before
    assert "No further labelmap" in opened.caseSection._ui.caseMessage.property("text")


def test_no_section_is_wider_than_the_panel(host, module, opened):
    assert opened.truth.truth is not None
    module.parent.resize(300, 3000)  # as wide as Slicer's panel at first
    module.parent.show()
    for section in [each for each in module.parent.findChildren(QWidget) if each.objectName().endswith("Section")]:
        section.setProperty("collapsed", False)
    host.qt_application.processEvents()
    assert module.parent.minimumSizeHint().width() <= 300
