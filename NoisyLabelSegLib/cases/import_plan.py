"""What an importer found, to be shown before anything is written, and then written as a study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from NoisyLabelSegLib.cases.case import Annotation, Case
from NoisyLabelSegLib.cases.estimates import TRUTH
from NoisyLabelSegLib.cases.files import read_image, read_labels, write_image, write_labels
from NoisyLabelSegLib.cases.geometry import Geometry, Image, resample
from NoisyLabelSegLib.cases.label_values import is_mask_of_255
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.cases.study_rules import DistinctNames, file_name_part, name_problem, short_file_name_part
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Report, silent, steps

_ENDINGS = (".dcm", ".dicom", ".ima", ".seg", ".xml")


def usable_name(text: str, otherwise: str = "unnamed") -> str:
    """The text with everything that cannot stand in a file name replaced."""
    name = file_name_part(text).strip(" .")[:100].strip(" .")
    return otherwise if name_problem(name) else name


def stem(path: Path) -> str:
    """The file's name without an ending that says what kind of file it is; DICOM files are often named by UIDs."""
    return path.stem if path.suffix.lower() in _ENDINGS else path.name


def case_names(places: Sequence[Path], root: Path) -> list[str]:
    """One name per case: that of the source for a single case, else the folder below it that tells the cases apart."""
    whole = usable_name(stem(root) if root.is_file() else root.resolve().name, "case")
    if len(places) == 1:
        return [whole]
    parts = [_below(place, root) for place in places]
    short = [usable_name(part[0] if part else whole, "case") for part in parts]
    if len({name.lower() for name in short}) == len(short):
        return short
    return distinct(usable_name("_".join(part) or whole, "case") for part in parts)


def file_names(paths: Sequence[Path], root: Path) -> list[str]:
    """One name per file: its stem, or where stems are shared the folders that tell the files apart."""
    stems = [stem(path) for path in paths]
    if len({name.lower() for name in stems}) == len(stems):
        return distinct(usable_name(name) for name in stems)
    parts = [(*_below(path, root)[:-1], name) for path, name in zip(paths, stems, strict=True)]
    first, last = _shared(parts), _shared([part[::-1] for part in parts])
    return distinct(usable_name("_".join(part[first : len(part) - last]) or part[-1]) for part in parts)


def distinct(names: Iterable[str]) -> list[str]:
    """The names, later repetitions (in any case) numbered _2, _3, ..."""
    taken: set[str] = set()
    result = []
    for name in names:
        number, candidate = 1, name
        while candidate.lower() in taken:
            number += 1
            candidate = f"{name}_{number}"
        taken.add(candidate.lower())
        result.append(candidate)
    return result


def _below(path: Path, root: Path) -> tuple[str, ...]:
    return path.relative_to(root).parts if path.is_relative_to(root) else (path.name,)


def _shared(parts: Sequence[Sequence[str]]) -> int:
    """How many parts all begin with."""
    same = [len(set(column)) == 1 for column in zip(*parts, strict=False)]
    return same.index(False) if False in same else len(same)


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
    repeats: Mapping[str, tuple[PlannedSource, ...]] = field(default_factory=dict)
    split: str | None = None
    patient: str | None = None
    dates: Mapping[str, str] = field(default_factory=dict)


@dataclass
class ImportPlan:
    """A study to be. `remarks` are sentences about the whole import; writing adds what it learns from the voxels.

    `recognized` are sentences on what was taken for images, readers, references and classes, and why; `findings` are
    sentences on labels that can be read but look wrong.
    """

    name: str
    classes: tuple[str, ...]
    annotators: tuple[str, ...]
    cases: tuple[PlannedCase, ...]
    remarks: list[str] = field(default_factory=list)
    recognized: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)

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
    files = _labels_files(case)
    return Case(
        id=case.id,
        images=tuple(_image_paths(case, folder)),
        annotations={name: Annotation(folder / files[name], case.dates.get(name)) for name in case.annotations},
        truth_source=None if case.truth is None else folder / TRUTH,
        split=case.split,
        patient=case.patient,
        repeats={
            name: tuple(Annotation(folder / f"repeat_{place}" / files[name]) for place in range(1, len(sources) + 1))
            for name, sources in case.repeats.items()
        },
    )


def _image_paths(case: PlannedCase, folder: Path) -> list[Path]:
    if len(case.images) == 1:
        return [folder / "image.nrrd"]
    return [folder / f"image_{number}.nrrd" for number in range(1, len(case.images) + 1)]


def _labels_files(case: PlannedCase) -> dict[str, str]:
    """Annotator to name of file. Repeats have folders of their own, where no annotator's name can be taken for one."""
    names = DistinctNames()
    return {name: names.add(f"labels_{short_file_name_part(name)}") + ".nrrd" for name in case.annotations}


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
        files = _labels_files(self.case)
        for annotator, source in self.case.annotations.items():
            self._write_labels(source, self.folder / files[annotator])
        for annotator, sources in self.case.repeats.items():
            for place, source in enumerate(sources, start=1):
                self._write_labels(source, self.folder / f"repeat_{place}" / files[annotator])
        if self.case.truth is not None:
            self._write_labels(self.case.truth, self.folder / TRUTH)

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
        if not self.grid.differences(image.geometry):
            return image
        if not (labels and self.regrid) or image.geometry.dimension != self.grid.dimension:
            remedy = "add --resample to move labels onto the image's grid" if labels else "resample it first"
            name, file = f"case {self.case.id}", _file(source)
            self.grid.require_same(image.geometry, name, file=file, remedy=remedy)
        self.changed[_RESAMPLED] += 1
        return resample(image, self.grid)


def _resolve(source: PlannedSource, read: Callable[[Path], Image]) -> Image:
    if isinstance(source, Image):
        return source
    return read(source) if isinstance(source, Path) else source()


def _file(source: PlannedSource) -> Path | None:
    return source if isinstance(source, Path) else None
