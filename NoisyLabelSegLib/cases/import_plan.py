"""What an importer found, to be shown before anything is written, and then written as a study of NRRD files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from NoisyLabelSegLib.cases.case import Annotation, Case
from NoisyLabelSegLib.cases.geometry import Geometry, resample
from NoisyLabelSegLib.cases.image import Image
from NoisyLabelSegLib.cases.label_values import is_mask_of_255
from NoisyLabelSegLib.cases.reading import read_image, read_labels
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.cases.writing import write_image, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Report, silent, steps

PlannedSource = Path | Image | Callable[[], Image]
"""A file, an image in memory, or a function that reads one; files and functions are read when the study is written."""

_RENUMBERED = "Masks of 0 and 255 written as 0 and 1"
_RESAMPLED = "Labels resampled onto the grid of their image"


@dataclass(frozen=True)
class PlannedCase:
    """One case to be: where its images, each annotator's labels and the truth (if any) come from."""

    id: str
    images: tuple[PlannedSource, ...] = ()
    annotations: Mapping[str, PlannedSource] = field(default_factory=dict)
    truth: PlannedSource | None = None
    note: str = ""


@dataclass
class ImportPlan:
    """A study to be. `remarks` are sentences about the whole import; writing adds what it learns from the voxels."""

    name: str
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    cases: tuple[PlannedCase, ...]
    remarks: list[str] = field(default_factory=list)

    def rows(self) -> list[tuple[str, int, str, str]]:
        """Case id, number of images, names of its annotators, note: one row per case, for a table."""
        return [(case.id, len(case.images), ", ".join(case.annotations), case.note) for case in self.cases]

    def write(self, out: str | Path, *, force: bool = False, regrid: bool = False, report: Report = silent) -> Study:
        """Converts everything to compressed NRRD below `out` and writes `study.json`, all of it or nothing.

        Images keep their number type; labels become uint8. Labels on another grid than the image are refused, or with
        `regrid` resampled (nearest neighbor). Masks of 0 and 255 become 0 and 1 where the study has two classes.
        """
        out = Path(out)
        changed: Counter[str] = Counter()
        with output_folder(out, force=force) as folder:
            self._write_study_file(folder, out)
            for case in steps(self.cases, "import", report):
                _CaseWriter(case, folder / case.id, len(self.classes), regrid, changed).write()
        self.remarks += [f"{what}: {count}." for what, count in changed.items()]
        return Study.read(out)

    def _write_study_file(self, folder: Path, out: Path) -> None:
        """Comes first, so that a name that cannot be used is refused before the voxels are converted."""
        cases = tuple(_written_case(case, folder / case.id) for case in self.cases)
        try:
            Study(self.name, self.classes, self.annotators, cases).write(folder)
        except UserError as error:
            raise UserError(error.problem, file=out / "study.json", remedy="rename the files it came from") from error


def _written_case(case: PlannedCase, folder: Path) -> Case:
    """The case as it will lie in the folder."""
    return Case(
        id=case.id,
        images=tuple(_image_paths(case, folder)),
        annotations={name: Annotation(_labels_path(name, folder)) for name in case.annotations},
        truth_source=None if case.truth is None else folder / "truth.nrrd",
    )


def _image_paths(case: PlannedCase, folder: Path) -> list[Path]:
    if len(case.images) == 1:
        return [folder / "image.nrrd"]
    return [folder / f"image_{number}.nrrd" for number in range(1, len(case.images) + 1)]


def _labels_path(annotator: str, folder: Path) -> Path:
    return folder / f"labels_{annotator}.nrrd"


@dataclass
class _CaseWriter:
    """Writes the files of one case; the first image (or labels, where there is none) sets the grid."""

    case: PlannedCase
    folder: Path
    classes: int
    regrid: bool
    changed: Counter[str]
    grid: Geometry | None = None

    def write(self) -> None:
        for source, path in zip(self.case.images, _image_paths(self.case, self.folder), strict=True):
            write_image(path, self._on_grid(_resolve(source, read_image), source, labels=False))
        for annotator, source in self.case.annotations.items():
            self._write_labels(source, _labels_path(annotator, self.folder))
        if self.case.truth is not None:
            self._write_labels(self.case.truth, self.folder / "truth.nrrd")

    def _write_labels(self, source: PlannedSource, path: Path) -> None:
        labels = self._on_grid(_resolve(source, read_labels), source, labels=True)
        array = labels.array
        if self.classes == 2 and is_mask_of_255(array):
            array = array // 255
            self.changed[_RENUMBERED] += 1
        if array.max(initial=0) >= self.classes:
            raise UserError(
                f"has label {int(array.max())}, but the study has {self.classes} classes (0 to {self.classes - 1})",
                file=_file(source),
                remedy=f"correct the labels of case {self.case.id}",
            )
        write_labels(path, array, labels.geometry)

    def _on_grid(self, image: Image, source: PlannedSource, *, labels: bool) -> Image:
        if self.grid is None:
            self.grid = image.geometry
        differences = self.grid.differences(image.geometry)
        if not differences:
            return image
        if not (labels and self.regrid) or image.geometry.dimension != self.grid.dimension:
            raise UserError(
                f"is not on the grid of case {self.case.id}: {' and '.join(differences)}",
                file=_file(source),
                remedy="add --resample to move labels onto the image's grid" if labels else "resample it first",
            )
        self.changed[_RESAMPLED] += 1
        return resample(image, self.grid)


def _resolve(source: PlannedSource, read: Callable[[Path], Image]) -> Image:
    if isinstance(source, Image):
        return source
    return read(source) if isinstance(source, Path) else source()


def _file(source: PlannedSource) -> Path | None:
    return source if isinstance(source, Path) else None
