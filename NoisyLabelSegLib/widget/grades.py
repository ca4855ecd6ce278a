"""Grades of errors, which somebody gave in a report: read with the decisions, and shown as a table of the scene."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.decisions.record import Decision, Decisions
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.tables import fillTable
from NoisyLabelSegLib.widget.adjudication_logic import AdjudicationLogic
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.opening import Opening
from NoisyLabelSegLib.widget.steps import say
from NoisyLabelSegLib.widget.work import Work


def merging(logic: AdjudicationLogic, case: CaseLogic, opening: Opening, path: Path, message: Any) -> Work:
    """Merges the decisions of a file with those of the session, and shows its grades of errors of the open case."""
    folder, study = case.folder, opening.openedStudy()
    cases = [folder.case] if study is None else [each.id for each in study.cases]
    found = Decisions.read(path).with_case_ids(cases)
    grades = [grade for grade in found.grades if grade.case == folder.case]
    if found.of(folder.case) or not grades:
        yield from logic.merging(path)
    if grades:
        name = f"{folder.case} grades"
        fillTable(folder.put("vtkMRMLTableNode", Role.GRADES, name), [_row(grade) for grade in grades])
        counts = Counter(grade.grade for grade in grades)
        text = _("Graded errors: {agree} agree, {disagree} disagree, {unclear} unclear. They are in the table {name}.")
        numbers = {word: counts[word] for word in ("agree", "disagree", "unclear")}
        say(message, text.format(**numbers, name=name))


def _row(grade: Decision) -> dict[str, Any]:
    place = " ".join(f"{value:.1f}" for value in grade.region.center_ras)
    return {
        _("annotator"): grade.error_of,
        _("error"): grade.error,
        _("RAS in mm"): place,
        _("grade"): grade.grade,
        _("comment"): grade.comment,
        _("by"): grade.by,
        _("date"): grade.date,
    }
