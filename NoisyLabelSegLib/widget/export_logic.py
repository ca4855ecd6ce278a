"""Writes the truth, the figures and the report of the open case, in the formats that are asked for."""

from __future__ import annotations

from collections.abc import Collection
from enum import Enum
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import Image, Study, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.review.sentences import Translate, in_english
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.volumes import LABELMAP, fillVolume
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.truth_logic import TruthLogic


class Format(Enum):
    """What can be exported."""

    NRRD = "nrrd"
    NIFTI = "nifti"
    SEGMENTATION = "segmentation"
    DICOM = "dicom"
    LABELMAP = "labelmap"
    REVIEW = "review"


IN_FILES = frozenset(Format) - {Format.LABELMAP}


class ExportLogic:
    def __init__(self, case: CaseLogic, truth: TruthLogic, translate: Translate = in_english) -> None:
        self._case, self._truth, self._translate = case, truth, translate

    def problem(self, formats: Collection[Format], folder: str) -> str:
        """Why nothing can be exported now, as a sentence; empty when it can."""
        problem: str = ""
        if self._truth.truth is None:
            problem = _("Estimate the truth first.")
        elif not formats:
            problem = _("Tick what to export.")
        elif not folder and IN_FILES & set(formats):
            problem = _("Choose a folder.")
        return problem

    def export(self, formats: Collection[Format], folder: Path, *, dicomSeries: Path | None = None) -> list[str]:
        """Exports and returns the names of what was made, files or nodes; files of the same name are replaced."""
        self._truth.takeEdits()
        name, truth, geometry = self._case.folder.case, self._truth.truth, self._case.geometry
        made = []
        for ending, wanted in ((".nrrd", Format.NRRD), (".nii.gz", Format.NIFTI)):
            if wanted in formats:
                write_labels(folder / f"{name}_truth{ending}", truth, geometry)
                made.append(f"{name}_truth{ending}")
        if Format.SEGMENTATION in formats:
            made.append(self._writeSegmentation(folder / f"{name}_truth.seg.nrrd"))
        if Format.DICOM in formats:
            made.append(self._writeDicom(folder / f"{name}_truth.dcm", dicomSeries))
        if Format.LABELMAP in formats:
            made.append(self._addLabelmap(f"{name} truth labelmap"))
        if Format.REVIEW in formats:
            made.append(self._writeReview(folder / f"{name}_review"))
        return made

    def _addLabelmap(self, name: str) -> str:
        scene = self._case.folder.scene
        node = scene.GetFirstNodeByName(name) or scene.AddNewNodeByClass(LABELMAP, name)
        fillVolume(node, self._truth.truth, self._case.geometry)
        return name

    def _writeSegmentation(self, path: Path) -> str:
        node: Any = self._case.folder.find(Role.TRUTH)
        storage = node.CreateDefaultStorageNode()
        storage.UnRegister(None)
        storage.SetFileName(str(path))
        if not storage.WriteData(node):
            raise UserError("cannot be written", file=path, remedy="check the folder's permissions and free space")
        return path.name

    def _writeDicom(self, path: Path, series: Path | None) -> str:
        from NoisyLabelSegLib.cases.dicom_seg_writer import write_dicom_seg

        if series is None:
            raise UserError("A DICOM SEG refers to its images", remedy="choose the folder of the DICOM series")
        write_dicom_seg(path, Image(self._truth.truth, self._case.geometry), self._case.classes, series)
        return path.name

    def _writeReview(self, folder: Path) -> str:
        """Error maps, tables, the list of mistakes and the reports, as the verb `review` writes them."""
        from NoisyLabelSegLib.review.files import write_review
        from NoisyLabelSegLib.review.truths import OWN_TRUTH

        case = self._case.case(truth=self._truth.truth)
        study = Study(case.id, self._case.classes, case.annotators, (case,))
        write_review(
            study, OWN_TRUTH, folder, truth_name=self._truth.described(), force=True, translate=self._translate
        )
        return folder.name
