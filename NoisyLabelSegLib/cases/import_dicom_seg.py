"""DICOM SEG files and the series they were drawn on become a study: one SEG is one annotator's work on one case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from pathlib import Path

from NoisyLabelSegLib.cases.dicom_seg import References, is_dicom_seg, read_dicom_seg, references
from NoisyLabelSegLib.cases.dicom_seg_frames import common_grid
from NoisyLabelSegLib.cases.dicom_series import (
    SERIES_TAGS,
    Series,
    find_dicom,
    group_series,
    is_segmentation,
    list_series,
    read_header,
)
from NoisyLabelSegLib.cases.estimates import FileKind
from NoisyLabelSegLib.cases.found_cases import TRUTH
from NoisyLabelSegLib.cases.geometry import Geometry, Image
from NoisyLabelSegLib.cases.import_plan import (
    ImportPlan,
    PlannedCase,
    PlannedSource,
    case_names,
    distinct,
    file_names,
    stem,
    usable_name,
)
from NoisyLabelSegLib.cases.label_findings import merged_spellings
from NoisyLabelSegLib.cases.overlapping_segments import CLASSES, REMARK, Read, split_by_segment
from NoisyLabelSegLib.cases.segments import Segmentation
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Report, silent


def import_dicom_seg(
    source: str | Path,
    out: str | Path,
    *,
    images: str | Path | None = None,
    threshold: float = 0.5,
    force: bool = False,
    regrid: bool = False,
    report: Report = silent,
) -> Study:
    """Makes a study of a SEG or of all SEGs in a folder; see `plan_dicom_seg`."""
    plan = plan_dicom_seg(source, images=images, threshold=threshold)
    return plan.write(out, force=force, regrid=regrid, report=report)


def plan_dicom_seg(source: str | Path, *, images: str | Path | None = None, threshold: float = 0.5) -> ImportPlan:
    """One case per series that was segmented, one annotator per SEG of it, one class per segment name.

    `source` is a SEG, or a folder searched with all below it for SEGs and the series they refer to; `images` is a
    further folder to find the series in. Where segments of any SEG overlap, every segment becomes a binary case
    `<id>_<segment>` of its own. FRACTIONAL segments are cut at `threshold`.
    """
    source = Path(source)
    paths, found = _search(source, None if images is None else Path(images))
    read = lru_cache(maxsize=4)(partial(read_dicom_seg, threshold=threshold))
    groups = [SeriesGroup(series, files, source, read) for series, files in by_series(paths, found, references)]
    return plan_groups(groups, source, _remarks(paths, threshold=threshold))


def plan_groups(groups: Sequence[SeriesGroup], source: Path, remarks: Sequence[str]) -> ImportPlan:
    """One case per group; where segments overlap, one binary case for each name of a segment."""
    ids = case_names([group.place for group in groups], source)
    names, overlap = _survey(groups)
    classes, numbers, alike = merged_spellings(names)
    if overlap:
        cases = [case for id, group in zip(ids, groups, strict=True) for case in group.binary_cases(id)]
    else:
        cases = [group.labeled_case(id, numbers) for id, group in zip(ids, groups, strict=True)]
    return ImportPlan(
        name=usable_name(stem(source) if source.is_file() else source.resolve().name, "dicom-seg"),
        classes=("background", *(CLASSES[1:] if overlap else classes)),
        annotators=tuple(dict.fromkeys(name for case in cases for name in case.annotations)),
        cases=tuple(cases),
        remarks=[*remarks, *([REMARK] if overlap else []), *alike],
    )


class SeriesGroup:
    """The segmentations of one series, with the series where it was found; all are read onto one grid."""

    def __init__(
        self,
        series: Series | None,
        paths: list[Path],
        root: Path,
        read: Callable[..., Segmentation],
        annotators: Sequence[str] | None = None,
    ) -> None:
        self.series = series
        self.place = series.files[0].parent if series is not None else paths[0].with_name(stem(paths[0]))
        grid = self._grid(paths, read)
        annotators = _annotators(paths, root) if annotators is None else annotators
        self.readers: dict[str, Read] = {
            name: partial(read, path, images=grid) for name, path in zip(annotators, paths, strict=True)
        }
        named_truth = [name for name in self.readers if name.lower() in TRUTH]
        self.truth = self.readers.pop(named_truth[0]) if len(named_truth) == 1 < len(self.readers) else None

    def labeled_case(self, id: str, numbers: dict[str, int]) -> PlannedCase:
        """One case with all segments as classes, numbered by their names."""
        labels = {annotator: partial(_all_labels, reader, numbers) for annotator, reader in self.readers.items()}
        truth = None if self.truth is None else partial(_all_labels, self.truth, numbers)
        return PlannedCase(id, self._images, labels, truth, note=self._note)

    def binary_cases(self, id: str) -> list[PlannedCase]:
        """One case per segment name, each with the annotators who have that segment."""
        return split_by_segment(PlannedCase(id, self._images, note=self._note), self.readers, self.truth)

    @property
    def _images(self) -> tuple[PlannedSource, ...]:
        return () if self.series is None else (self.series.read,)

    @property
    def _note(self) -> str:
        return "no image: the series it was drawn on was not found" if self.series is None else ""

    def _grid(self, paths: Sequence[Path], read: Callable[..., Segmentation]) -> Geometry | None:
        """That of the series; without it one that holds the frames of all SEGs, which leave out empty frames."""
        if self.series is not None:
            return self.series.ordered()[1]
        return common_grid([read(path, images=None).geometry for path in paths]) if len(paths) > 1 else None


def _annotators(paths: Sequence[Path], root: Path) -> list[str]:
    """The names of the files, without what `export` puts in front of the name of an annotator."""
    exported = f"{FileKind.ANNOTATOR.value}_"
    return distinct(name.removeprefix(exported) or name for name in file_names(paths, root))


def _survey(groups: Sequence[SeriesGroup]) -> tuple[list[str], bool]:
    """The names of all segments in the order they are met, and whether segments of any SEG overlap."""
    names: dict[str, None] = {}
    overlap = False
    for group in groups:
        for read in (*group.readers.values(), *([] if group.truth is None else [group.truth])):
            segmentation = read()
            names |= dict.fromkeys(segment.name for segment in segmentation.segments)
            overlap = overlap or segmentation.overlap
    return list(names), overlap


def _all_labels(read: Read, numbers: dict[str, int]) -> Image:
    return read().as_labels(numbers)


def _search(source: Path, images: Path | None) -> tuple[list[Path], list[Series]]:
    """The SEGs of the source, and the series in it and in the further folder."""
    further = [] if images is None else list_series(images)
    if source.is_file():
        if not is_dicom_seg(source):
            raise UserError("is not a DICOM SEG", file=source, remedy="give a segmentation (modality SEG)")
        return [source], further
    if not source.is_dir():
        raise UserError("does not exist", file=source, remedy="give a DICOM SEG or a folder that holds one")
    files = find_dicom(source, SERIES_TAGS)
    paths = [path for path, header in files if is_segmentation(header)]
    if not paths:
        raise UserError("holds no DICOM SEG", file=source, remedy="give a segmentation or the folder that holds it")
    return paths, [*group_series(files, source), *further]


def by_series(
    paths: Sequence[Path], found: Sequence[Series], references: Callable[[Path], References]
) -> list[tuple[Series | None, list[Path]]]:
    """Segmentations that refer to the same series together; only the series they name is ever used."""
    groups: dict[object, tuple[Series | None, list[Path]]] = {}
    for path in paths:
        named = references(path)
        if found and not named:
            raise UserError(
                "does not say which images it was drawn on",
                file=path,
                remedy="import it alone, without images beside it",
            )
        series = next((one for one in found if named.name(one)), None)
        key: object = series.uid if series is not None else named.series or path
        groups.setdefault(key, (series, []))[1].append(path)
    return list(groups.values())


def _remarks(paths: Sequence[Path], *, threshold: float) -> list[str]:
    remarks = [
        "Case ids and annotator names come from the names of folders and files, not from the patient's name or number."
    ]
    fractional = [
        path for path in paths if read_header(path, ["SegmentationType"]).get("SegmentationType") == "FRACTIONAL"
    ]
    if fractional:
        files = ", ".join(path.name for path in fractional)
        remarks.append(
            f"A voxel belongs to a fractional segment where its fraction is at least {threshold:g}: {files}."
        )
    return remarks
