"""A study as DICOM SEG objects that refer to the DICOM series of its cases."""

from __future__ import annotations

from pathlib import Path

from NoisyLabelSegLib.cases.case import Case
from NoisyLabelSegLib.cases.dicom_seg_writer import write_dicom_seg
from NoisyLabelSegLib.cases.dicom_series import Series, list_series
from NoisyLabelSegLib.cases.estimates import FileKind, file_name
from NoisyLabelSegLib.cases.export_plan import ExportedCase
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.cases.study_rules import DistinctNames
from NoisyLabelSegLib.errors import UserError


class DicomSegExport:
    """Writes `<case>/truth.dcm` and one `<case>/annotator_<name>.dcm` per reader, who is its content creator.

    series: the folder of the DICOM series; each case takes the one on its grid. Codes come from `codes` of the study or
    from the class names.
    """

    def __init__(self, study: Study, folder: Path, *, series: str | Path) -> None:
        self._study, self._folder = study, folder
        self._codes = study.extra.get("codes", {})
        self._found = [entry.ordered() for entry in list_series(series)]
        self._place = Path(series)

    def add(self, exported: ExportedCase) -> None:
        case, folder = exported.case, self._folder / exported.case.id
        source = self._series(case)
        names = DistinctNames()
        for reader in case.annotators:
            path = folder / names.add(Path(file_name(FileKind.ANNOTATOR, reader)).stem)
            labels = case.labels(reader)
            assert labels is not None
            write_dicom_seg(
                path.with_name(f"{path.name}.dcm"),
                Image(labels, case.geometry),
                self._study.classes,
                source,
                drawn_by_hand=True,
                description=f"Segmentation by {reader}",
                codes=self._codes,
                creator=reader,
            )
        if exported.truth is not None:
            image = Image(exported.truth, case.geometry)
            description = f"Estimated truth ({exported.provenance.get('method', 'fused')})"
            write_dicom_seg(
                folder / "truth.dcm", image, self._study.classes, source, description=description, codes=self._codes
            )

    def finish(self) -> None:
        """Every file is complete by itself."""

    def _series(self, case: Case) -> Series:
        fitting = [series for series, geometry in self._found if not geometry.differences(case.geometry)]
        if len(fitting) != 1:
            found = "no series" if not fitting else f"{len(fitting)} series"
            raise UserError(
                f"holds {found} on the grid of case {case.id}",
                file=self._place,
                remedy="give the folder of the DICOM images that the case was made from",
            )
        return fitting[0]
