"""The section where disagreements are decided one by one."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest
import slicer
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.segments import fillSegmentation
from Testing.widget.nodes import edit, labelmap

READERS, DECISION = 3, 4


def ui_of(panel):
    return panel.adjudicationSection._ui


def text(widget):
    return widget.property("text")


def rows(panel):
    table = ui_of(panel).disagreementTable
    count = table.model().rowCount()
    return [[table.item(row, column).text() for column in range(5)] for row in range(count)]


def reader_buttons(panel):
    return [button for button in ui_of(panel).readersArea.findChildren(QPushButton) if not button.isHidden()]


def scores(panel):
    panel.annotatorsSection.review()
    return {row.annotator: row.dice for row in panel.annotators.rows()}


def paint(panel, *box):
    """What somebody does in Segment Editor with the truth."""
    labels = panel.case.savedTruth()
    labels[box] = 1
    fillSegmentation(
        panel.case.folder.find(Role.TRUTH), labels, panel.case.geometry, panel.case.classes[1:], [(1.0, 1.0, 0.0)]
    )
    return labels


@pytest.fixture
def deciding(opened):
    """The panel with the section open, and Ann about to decide."""
    ui = ui_of(opened)
    ui.adjudicatorEdit.setText("Ann")
    opened.adjudicationSection.onAdjudicator()
    ui.adjudicationSection.collapsed = False
    assert opened.adjudication.session is not None
    return opened


def test_opening_the_section_lists_the_disagreements_largest_first(deciding):
    found = rows(deciding)
    assert [row[:2] for row in found] == [["border", "145 mm³"], ["object", "140 mm³"]] or len(found) == 2
    sizes = [deciding.adjudication.session[number].size for number in (1, 2)]
    assert sizes == sorted(sizes, reverse=True)
    assert {row[READERS] for row in found} <= {"exact, misses | wide", "exact | wide | misses", "wide | exact | misses"}
    assert "at R " in text(ui_of(deciding).disagreementText)
    assert ui_of(deciding).disagreementTable.currentRow() == 0
