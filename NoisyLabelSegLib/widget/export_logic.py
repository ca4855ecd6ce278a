"""Writes the truth, the figures and the report of the open case, in the formats that are asked for."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Generator
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import Image, Study, write_labels
from NoisyLabelSegLib.cases.estimates import TRUTH
from NoisyLabelSegLib.decisions.provenance import Provenance
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.review.sentences import Translate, in_english
from NoisyLabelSegLib.review.truths import OWN_TRUTH
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.segments import noteInSegments
from NoisyLabelSegLib.scene.volumes import LABELMAP, fillVolume
from NoisyLabelSegLib.verbs import ReviewSettings
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.study_files import writeStudy, writingCase
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.work import told


class Format(Enum):
    """What can be exported."""

    NRRD = "nrrd"
    NIFTI = "nifti"
    SEGMENTATION = "segmentation"
    DICOM = "dicom"
    LABELMAP = "labelmap"
    REVIEW = "review"


TRUTH_FILES = frozenset({Format.NRRD, Format.NIFTI, Format.SEGMENTATION, Format.DICOM})
"""Beside these a JSON file says how the truth came about."""
IN_FILES = frozenset(Format) - {Format.LABELMAP}


class ExportLogic:
    def __init__(self, case: CaseLogic, truth: TruthLogic, translate: Translate = in_english) -> None:
        self._case, self._truth, self._translate = case, truth, translate
        self._files: tempfile.TemporaryDirectory[str] | None = None

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
        return finished(self.exporting(formats, folder, dicomSeries=dicomSeries))

    @property
    def isLarge(self) -> bool:
        return self._case.isLarge

    def exporting(
        self, formats: Collection[Format], folder: Path, *, dicomSeries: Path | None = None
    ) -> Generator[str, None, list[str]]:
        """export() in steps: one for each file."""
        yield _("Exporting...")
        self._truth.takeEdits()
        name, truth, grid = self._case.folder.case, self._truth.truth, self._case.fileGeometry
        made, provenance = [], self._truth.provenance()
        for ending, wanted in ((".nrrd", Format.NRRD), (".nii.gz", Format.NIFTI)):
            if wanted in formats:
                yield _("Exporting {name}...").format(name=f"{name}_truth{ending}")
                written = folder / f"{name}_truth{ending}"
                write_labels(written, truth.reshape(grid.shape), grid, note=provenance.sentence())
                made.append(f"{name}_truth{ending}")
        if Format.SEGMENTATION in formats:
            yield _("Exporting the segmentation...")
            made.append(self._writeSegmentation(folder / f"{name}_truth.seg.nrrd", provenance))
        if Format.DICOM in formats:
            yield _("Exporting the DICOM SEG...")
            made.append(self._writeDicom(folder / f"{name}_truth.dcm", dicomSeries, provenance))
        if Format.LABELMAP in formats:
            yield _("Exporting the labelmap...")
            made.append(self._addLabelmap(f"{name} truth labelmap", provenance))
        if TRUTH_FILES & set(formats):
            made.append(f"{name}_truth.json")
            text = json.dumps(provenance.content(case=name), indent=1, ensure_ascii=False)
            write_text(folder / f"{name}_truth.json", f"{text}\n")
        if Format.REVIEW in formats:
            yield _("Writing the report...")
            made.append(self._writeReview(folder / f"{name}_review"))
        return made

    def askingForReport(self, folder: Path) -> Generator[str, None, ReviewSettings]:
        """Writes the case for a worker that reviews it, in steps; forget() removes these files."""
        self.forget()
        self._files = tempfile.TemporaryDirectory(prefix="noisylabelseg-report-", ignore_cleanup_errors=True)
        place, name = Path(self._files.name), self._case.folder.case
        saying = _("Writing the case for the report...")
        case = yield from told(saying, writingCase(self._case.case(), place))
        yield saying
        write_labels(place / TRUTH, self._truth.truth, self._case.geometry, compressed=False)
        case = replace(case, truth_source=place / TRUTH)
        study = writeStudy([case], place, name=name, classes=self._case.classes)
        out = str(folder / f"{name}_review")
        return ReviewSettings(
            study=str(study), truth=OWN_TRUTH, out=out, force=True, truth_name=self._truth.described()
        )

    def forget(self) -> None:
        """Removes the files for a report; safe to call at any time."""
        if self._files is not None:
            self._files.cleanup()
            self._files = None

    def _addLabelmap(self, name: str, provenance: Provenance) -> str:
        node = self._case.folder.put(LABELMAP, Role.EXPORTED, name)
        fillVolume(node, self._truth.truth, self._case.geometry)
        node.SetDescription(provenance.sentence())
        return name

    def _writeSegmentation(self, path: Path, provenance: Provenance) -> str:
        node: Any = self._case.folder.find(Role.TRUTH)
        noteInSegments(node, provenance.sentence())
        storage = node.CreateDefaultStorageNode()
        storage.UnRegister(None)
        storage.SetFileName(str(path))
        if not storage.WriteData(node):
            raise UserError("cannot be written", file=path, remedy="check the folder's permissions and free space")
        return path.name

    def _writeDicom(self, path: Path, series: Path | None, provenance: Provenance) -> str:
        from NoisyLabelSegLib.cases.dicom_seg_writer import write_dicom_seg

        if series is None:
            raise UserError("A DICOM SEG refers to its images", remedy="choose the folder of the DICOM series")
        people = (provenance.signed_off_by, *provenance.decided_by, *provenance.edited_by)
        write_dicom_seg(
            path,
            Image(self._truth.truth, self._case.geometry),
            self._case.classes,
            series,
            drawn_by_hand=bool(self._truth.reader),
            corrected=provenance.is_adjudicated or provenance.edited,
            creator=next((name for name in people if name), self._truth.reader),
            comments=provenance.sentence(),
        )
        return path.name

    def _writeReview(self, folder: Path) -> str:
        """Error maps, tables, the list of mistakes and the reports, as the verb `review` writes them."""
        from NoisyLabelSegLib.review.files import write_review

        case = self._case.case(truth=self._truth.truth)
        study = Study(case.id, self._case.classes, case.annotators, (case,))
        write_review(
            study, OWN_TRUTH, folder, truth_name=self._truth.described(), force=True, translate=self._translate
        )
        return folder.name
