"""The estimate folder: what `fuse`, `predict` and `review` write for each case, and how it is named and read.

`FOLDER/<case id>/` holds, on the grid of the case: `truth.nrrd` and `truth_probability.nrrd`; for each annotator
`annotator_<name>.nrrd` (predicted labels), `confusion_<name>.nrrd` (confusion field), `errors_<name>.nrrd` and
`errors_<name>_<class>.nrrd` (error maps), `expected_<name>.nrrd` (expected errors). Characters that are unsafe in file
names are replaced by `_`; where two names are then equal, `-2`, `-3` is appended, and `files.json` in the same folder
lists which file is whose. `samples.nrrd` holds labels drawn from the annotator models.
`FOLDER/annotators.json` holds confusion matrices that apply to all voxels.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.case import Case
from NoisyLabelSegLib.cases.files import write_labels
from NoisyLabelSegLib.cases.geometry import Geometry
from NoisyLabelSegLib.cases.slab_writer import slabs_of, write_slabs
from NoisyLabelSegLib.cases.study_rules import short_file_name_part
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.output import write_text

ANNOTATORS_CSV, ANNOTATORS_JSON, FILES_JSON = "annotators.csv", "annotators.json", "files.json"
FILES_FORMAT = "noisylabelseg-files/1"


Labels = NDArray[np.uint8]
Field = NDArray[np.float32]


@dataclass(frozen=True)
class Estimate:
    """The estimated truth of one image and what was estimated about the annotators.

    truth: (*shape) uint8, axes z, y, x.
    probabilities: (L, *shape) float32, or None where they are not known.
    annotators: name to the labels that the annotator is expected to draw, (*shape) uint8.
    confusion: name to confusion matrices, (L, L, *shape) or (L, L) float32; entry i, j is p(label i | true class j).
    remarks: sentences about how the labels of the case were used, if they were.
    """

    truth: Labels
    probabilities: Field | None = None
    annotators: Mapping[str, Labels] = field(default_factory=dict)
    confusion: Mapping[str, Field] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


class FileKind(str, Enum):
    """The files of an estimate folder; the value is how the file's name begins."""

    TRUTH = "truth"
    PROBABILITIES = "truth_probability"
    ANNOTATOR = "annotator"
    CONFUSION = "confusion"
    ERRORS = "errors"
    EXPECTED = "expected"
    SAMPLES = "samples"


class FileOf(NamedTuple):
    """Which file is meant: of an annotator except for the truth, and of one class for error maps per class."""

    kind: FileKind
    annotator: str = ""
    label: str = ""

    @property
    def name(self) -> str:
        """The file's name where no other file has the same one."""
        words = [str(self.kind.value), *(short_file_name_part(word) for word in (self.annotator, self.label) if word)]
        return "_".join(words) + ".nrrd"

    @property
    def is_escaped(self) -> bool:
        return any(short_file_name_part(word) != word for word in (self.annotator, self.label))


COMBINATION_JSON = "combination.json"
"""Beside the folders of the cases, where `predict` used labels, too: whose, and how much they counted."""
OBJECT_JSON = "object.json"
"""In the folder of a case, where a point or a box was given: the share of readers expected to outline the object."""
TRUTH, PROBABILITIES = FileOf(FileKind.TRUTH).name, FileOf(FileKind.PROBABILITIES).name


def file_name(kind: FileKind, annotator: str = "") -> str:
    """The name of a file in an estimate folder, such as `annotator_<name>.nrrd`."""
    return FileOf(kind, annotator).name


def require_apart(cases: Iterable[Case], out: str | Path, files: Sequence[Path] = ()) -> None:
    """Refuses an output folder whose folder of a case holds files that the case is made of: none is to be replaced.

    files: those of cases that were made of loose files and hold what was read.
    """
    if not Path(out).is_dir():
        return
    out = Path(out).resolve()
    for case in cases:
        for source in (*case.sources(), *files):
            if isinstance(source, Path) and source.resolve().is_relative_to(out / case.id):
                raise UserError(f"holds files of the study, such as {source}", file=out, remedy="choose another output")


class EstimateWriter:
    """Writes the files of one case, one at a time, so that large confusion fields need not be in memory together."""

    def __init__(self, folder: Path, geometry: Geometry, *, compressed: bool = True) -> None:
        self._folder, self._geometry, self._compressed = folder, geometry, compressed
        self._files: dict[str, FileOf] = {}

    def write_truth(self, labels: NDArray[Any]) -> None:
        """The estimated truth, (*shape)."""
        self._write_labels(FileOf(FileKind.TRUTH), labels)

    def write_probabilities(self, probabilities: NDArray[Any]) -> None:
        """The class probabilities of the truth, (L, *shape)."""
        self._write_field(FileOf(FileKind.PROBABILITIES), probabilities)

    def write_probability_slabs(self, slab: Callable[[slice], NDArray[Any]], classes: int) -> None:
        """The same without ever holding all of them: `slab` makes those (L, n, ...) of some rows of the first axis."""
        self._write_slabs(FileOf(FileKind.PROBABILITIES), slab, classes)

    def write_annotator(self, annotator: str, labels: NDArray[Any]) -> None:
        """The labels that an annotator is expected to draw, (*shape)."""
        self._write_labels(FileOf(FileKind.ANNOTATOR, annotator), labels)

    def write_confusion(self, annotator: str, confusion: NDArray[Any]) -> None:
        """The confusion field of an annotator, (L, L, *shape)."""
        components = confusion.shape[0] * confusion.shape[1]

        def slab(rows: slice) -> NDArray[Any]:
            part = confusion[:, :, rows]
            return part.reshape(components, *part.shape[2:])

        self._write_slabs(FileOf(FileKind.CONFUSION, annotator), slab, components)

    def write_errors(self, annotator: str, codes: NDArray[Any], label: str = "") -> None:
        """An error map, (*shape), of all classes or of the class named `label`."""
        self._write_labels(FileOf(FileKind.ERRORS, annotator, label), codes)

    def write_expected(self, annotator: str, expected: NDArray[Any]) -> None:
        """The probabilities of a false positive, a false negative and a wrong class, (3, *shape)."""
        self._write_field(FileOf(FileKind.EXPECTED, annotator), expected)

    def write_samples(self, samples: NDArray[Any]) -> None:
        """Labels drawn from the annotator models, (N, *shape)."""
        self.write_sample_slabs(lambda rows: samples[:, rows], len(samples))

    def write_sample_slabs(self, slab: Callable[[slice], NDArray[Any]], count: int) -> None:
        """The same without ever holding all of them: `slab` makes those (N, n, ...) of some rows of the first axis."""
        self._write_slabs(FileOf(FileKind.SAMPLES), slab, count, np.uint8)

    def _write_labels(self, file: FileOf, labels: NDArray[Any]) -> None:
        write_labels(self._path(file), labels, self._geometry, compressed=self._compressed)

    def _write_field(self, file: FileOf, values: NDArray[Any]) -> None:
        self._write_slabs(file, lambda rows: values[:, rows], len(values))

    def _write_slabs(
        self, file: FileOf, slab: Callable[[slice], NDArray[Any]], components: int, number: type[Any] = np.float32
    ) -> None:
        slabs = (slab(rows) for rows in slabs_of(self._geometry.shape, components))
        path = self._path(file)
        write_slabs(path, slabs, components, self._geometry, number=number, compressed=self._compressed)

    def _path(self, file: FileOf) -> Path:
        taken = {name.lower() for name, other in self._files.items() if other != file}
        plain, number = Path(file.name), 1
        name = plain.name
        while name.lower() in taken:  # many file systems do not tell upper from lower case
            number += 1
            name = f"{plain.stem}-{number}{plain.suffix}"
        self._files[name] = file
        if any(other.is_escaped or other.name != name for name, other in self._files.items()):
            self._write_list()
        return self._folder / name

    def _write_list(self) -> None:
        entries = []
        for name, file in self._files.items():
            owner = {"annotator": file.annotator, "class": file.label}
            entries.append(
                {"file": name, "kind": file.kind.value, **{key: word for key, word in owner.items() if word}}
            )
        text = json.dumps({"format": FILES_FORMAT, "files": entries}, indent=1, ensure_ascii=False)
        write_text(self._folder / FILES_JSON, text + "\n")


class EstimateFiles:
    """Finds the files of one case by what they hold."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def find(self, kind: FileKind, annotator: str = "", label: str = "") -> Path | None:
        """The file, None where there is none."""
        file = FileOf(kind, annotator, label)
        name = self._listed.get(file, file.name)
        owner = self._owners.get(name.lower(), file)
        path = self.folder / name
        return path if owner == file and path.exists() else None

    def annotators(self, kind: FileKind) -> dict[str, Path]:
        """Everybody who has a file of this kind (not `errors`, whose names may end in a class), in the files' order."""
        start, found = f"{kind.value}_", {}
        for path in sorted(self.folder.glob(f"{start}*.nrrd")):
            owner = self._owners.get(path.name.lower(), FileOf(kind, path.stem.removeprefix(start)))
            if owner.kind is kind:
                found[owner.annotator] = path
        return found

    @cached_property
    def _listed(self) -> dict[FileOf, str]:
        path, found = self.folder / FILES_JSON, dict[FileOf, str]()
        content = read_json(path, damaged="write the folder anew") if path.exists() else {}
        for entry in content.get("files", []) if isinstance(content, dict) else []:
            if not isinstance(entry, dict) or entry.get("kind") not in [kind.value for kind in FileKind]:
                continue  # of a later version
            name = str(entry.get("file"))
            if Path(name).name != name:
                raise UserError(f"names the file {name[:80]!r}, which is not in this folder", file=path)
            owner = FileOf(FileKind(entry["kind"]), str(entry.get("annotator", "")), str(entry.get("class", "")))
            found[owner] = name
        return found

    @cached_property
    def _owners(self) -> dict[str, FileOf]:
        return {name.lower(): file for file, name in self._listed.items()}
