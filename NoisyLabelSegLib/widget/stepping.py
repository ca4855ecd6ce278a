"""The next and the previous case, around the ends; annotators from Slicer's DICOM database."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.dicom_segs import addingSegs
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.opening import Opening
from NoisyLabelSegLib.widget.work import told


def stepCase(case: CaseLogic, opening: Opening, by: int) -> tuple[str, str]:
    """Opens the next (`by` 1) or previous (-1) case of the scene and the study; returns its name and its study's."""
    cases = opening.cases()
    if len(cases) < 2:
        raise UserError(_("There is no other case"), remedy=_("open a study with several cases"))
    folder = case.folder if case.isOpen else None
    current = None if folder is None else (folder.case, folder.study)
    place = cases.index(current) + by if current in cases else 0
    opening.openCase(*cases[place % len(cases)])
    return cases[place % len(cases)]


def addingFromDatabase(scene: Any, case: CaseLogic) -> Generator[str, None, None]:
    """Adds all SEG objects of the DICOM database that refer to the volume, as annotators."""
    database = getattr(slicer, "dicomDatabase", None)
    volume = case.folder.image or case.volume
    added = []
    if database is not None:
        added = yield from told(_("Reading {step}..."), addingSegs(scene, database, volume))
    if not added:
        raise UserError(
            _("No further DICOM SEG in the DICOM database refers to {volume}").format(volume=volume.GetName()),
            remedy=_("import the SEG objects into Slicer's DICOM module, beside the scan"),
        )
    case.addFromScene()
