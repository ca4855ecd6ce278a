"""What the tests of the adjudication section look at, and what people do there."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton

from NoisyLabelSegLib.decisions import Decisions
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.segments import fillSegmentation
from NoisyLabelSegLib.widget.study_files import writeStudy, writingCase

DECISION = 2
"""The column of the table."""


def ui_of(panel):
    return panel.adjudicationSection._ui


def text(widget):
    return widget.property("text")


def rows(panel):
    table = ui_of(panel).disagreementTable
    count = table.model().rowCount()
    return [[table.item(row, column).text() for column in range(3)] for row in range(count)]


def reader_buttons(panel):
    return [button for button in ui_of(panel).readersArea.findChildren(QPushButton) if not button.isHidden()]


def scores(panel):
    panel.annotatorsSection.review()
    return {row.annotator: row.dice for row in panel.annotators.rows()}


def scores_now(panel):
    return {row.annotator: row.dice for row in panel.annotators.rows()}.get("exact")


def paint(panel, *box):
    """What somebody does in Segment Editor with the truth."""
    labels = panel.case.savedTruth()
    labels[box] = 1
    fillSegmentation(
        panel.case.folder.find(Role.TRUTH), labels, panel.case.geometry, panel.case.classes[1:], [(1.0, 1.0, 0.0)]
    )
    return labels


def decisions_of(panel):
    return Decisions.from_text(panel.case.folder.find(Role.DECISIONS).GetText())


def write_study(panel, folder):
    """The case of the panel as a study on the disk; returns the path of its study.json."""
    case = finished(writingCase(panel.case.case(), folder))
    return writeStudy([case], folder, name="readers", classes=panel.case.classes)


def saved(host, panel, path):
    host.answers.paths.append(str(path))
    ui_of(panel).saveDecisionsButton.click()
    return path
