"""LIDC-IDRI as it is downloaded (a CT series and its XML in one folder) becomes a study."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from NoisyLabelSegLib.cases.dicom_series import Series, list_series
from NoisyLabelSegLib.cases.geometry import Geometry, Image
from NoisyLabelSegLib.cases.import_plan import ImportPlan, PlannedCase, case_names, usable_name
from NoisyLabelSegLib.cases.lidc import LidcFile, read_lidc
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, silent


def import_lidc(source: str | Path, out: str | Path, *, force: bool = False, report: Report = silent) -> Study:
    """Makes a study of everything in a folder; see `plan_lidc`."""
    return plan_lidc(source).write(out, force=force, report=report)


def plan_lidc(source: str | Path) -> ImportPlan:
    """One case per annotation file whose scan is in the folder or below it; reading session N is `readerN`.

    `source` may also be one XML file; its scan is then looked for beside it.
    """
    source = Path(source)
    folder = source.parent if source.is_file() else source
    files, remarks = _annotation_files(source)
    scans, unmatched = _match(files, list_series(folder), folder)
    names = case_names([scan.file.path.parent for scan in scans], source)
    readers = max(len(scan.file.sessions) for scan in scans)
    remarks += unmatched
    remarks.append("Case ids come from the names of folders, not from the patient's name or number.")
    if len(scans) > 1:
        remarks.append("LIDC orders the readers of each scan anew: reader1 is not the same person in every case.")
    return ImportPlan(
        name=usable_name(folder.resolve().name, "lidc"),
        classes=("background", "nodule"),
        annotators=tuple(f"reader{number}" for number in range(1, readers + 1)),
        cases=tuple(scan.planned(name) for scan, name in zip(scans, names, strict=True)),
        remarks=remarks,
    )


@dataclass(frozen=True)
class _Scan:
    """An annotation file, the series it belongs to (slices in order) and that series' grid."""

    file: LidcFile
    series: Series
    geometry: Geometry

    @property
    def slices(self) -> dict[str, int]:
        return {uid: index for index, uid in enumerate(self.series.instance_uids)}

    def planned(self, id: str) -> PlannedCase:
        sessions = range(len(self.file.sessions))
        return PlannedCase(
            id=id,
            images=(self.series.read,),
            annotations={f"reader{session + 1}": partial(self._labels, session) for session in sessions},
            note=self._note(),
        )

    def _labels(self, session: int) -> Image:
        return Image(self.file.mask(session, self.slices, self.geometry.shape), self.geometry)

    def _note(self) -> str:
        sessions = range(len(self.file.sessions))
        outlined = [len(self.file.outlined(session)) for session in sessions]
        marks = sum(len(self.file.sessions[session]) for session in sessions) - sum(outlined)
        absent = sum(self.file.absent(session, self.slices) for session in sessions)
        notes = [f"nodules outlined: {', '.join(str(count) for count in outlined)}"]
        if marks:
            notes.append(f"marks under 3 mm, left out: {marks}")
        if absent:
            notes.append(f"outlines on slices not in the folder, left out: {absent}")
        return "; ".join(notes)


def _annotation_files(source: Path) -> tuple[list[LidcFile], list[str]]:
    """The annotation files, and remarks about other XML files between them."""
    if source.is_file():
        return [read_lidc(source)], []
    if not source.is_dir():
        raise UserError("does not exist", file=source, remedy="give the folder of a scan with its XML file")
    files, errors = [], []
    for path in sorted(path for path in source.rglob("*") if path.suffix.lower() == ".xml" and path.is_file()):
        try:
            files.append(read_lidc(path))
        except UserError as error:
            errors.append(error)
    if not files and errors:
        raise errors[0]
    if not files:
        raise UserError("holds no annotation file (.xml)", file=source, remedy="add the XML that comes with the scan")
    return files, [error.sentence for error in errors]


def _match(files: list[LidcFile], found: list[Series], folder: Path) -> tuple[list[_Scan], list[str]]:
    """The scans whose images are there, and a remark about each whose images are not."""
    if not found:
        raise UserError("holds no DICOM images", file=folder, remedy="add the CT slices that were annotated")
    scans, absent = [], []
    for file in files:
        series = _series_of(file, found)
        if series is None:
            absent.append(file)
        else:
            scans.append(_Scan(file, *series.ordered()))
    if not scans:
        raise UserError(
            f"annotates a series that is not in {folder}", file=absent[0].path, remedy="add the CT slices it names"
        )
    return scans, [f"{file.path}: left out, its images are not in the folder." for file in absent]


def _series_of(file: LidcFile, found: list[Series]) -> Series | None:
    """The series the file names, or the one that holds the slices it outlines."""
    for series in found:
        if series.uid == file.series_uid:
            return series
    return next((series for series in found if file.instance_uids & set(series.instance_uids)), None)
