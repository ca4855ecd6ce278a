"""A folder of predictions, case by case: labels, probabilities and confusion matrices, read when they are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Study, read_geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.annotator_file import read_matrices
from NoisyLabelSegLib.metrics.confusion import matrix_blocks
from NoisyLabelSegLib.metrics.streaming import component_blocks, component_count

Labels = NDArray[np.uint8]
Blocks = Iterator[tuple[slice, NDArray[Any]]]
Matrices = Mapping[str, NDArray[np.float32]]
_OFF_GRID = "it may have been predicted for another study"


@dataclass(frozen=True)
class Prediction:
    """What `folder` says about a case of the study; `matrices` are confusion matrices that hold for the whole case."""

    folder: Path
    case: Case
    classes: int
    matrices: Matrices = field(default_factory=dict)

    def truth(self) -> Labels:
        """The estimated truth, (*shape) uint8; from the probabilities where only they were written."""
        labels = self._drawn.truth()
        if labels is not None:
            return labels
        probability = self.probability()
        if probability is None:
            raise UserError("holds neither truth.nrrd nor truth_probability.nrrd", file=self.folder)
        return np.asarray(probability.argmax(axis=0), dtype=np.uint8)

    def probability(self) -> NDArray[np.float32] | None:
        """(L, *shape) float32, or None where only labels were written."""
        path = self.folder / "truth_probability.nrrd"
        if not path.exists():
            return None
        shape = self.case.geometry.shape
        result = np.empty((self.classes, math.prod(shape)), dtype=np.float32)
        for part, block in self._blocks(path, self.classes):
            result[:, part] = block
        return result.reshape(self.classes, *shape)

    def confusion(self, annotator: str) -> Blocks | None:
        """The annotator's matrices by parts of the volume, (L, L, n), or (L, L, 1) where one holds for the case."""
        path = self.folder / f"confusion_{annotator}.nrrd"
        if path.exists():
            fields = self._blocks(path, self.classes**2)
            return ((part, block.reshape(self.classes, self.classes, -1)) for part, block in fields)
        matrix = self.matrices.get(annotator)
        return None if matrix is None else matrix_blocks(matrix, math.prod(self.case.geometry.shape))

    def labels(self, annotator: str) -> Labels | None:
        """The predicted labels of an annotator, (*shape) uint8, where they were written."""
        return self._drawn.labels(annotator)

    @cached_property
    def _drawn(self) -> Case:
        """The predicted labels as a case of their own: its checks of grid and classes are the ones that are wanted."""
        files = {name: self.folder / f"annotator_{name}.nrrd" for name in self.case.annotations}
        truth = self.folder / "truth.nrrd"
        return Case(
            id=self.case.id,
            images=tuple(self.case.sources())[:1],
            annotations={name: Annotation(file) for name, file in files.items() if file.exists()},
            truth_source=truth if truth.exists() else None,
            classes=self.classes,
            off_grid=_OFF_GRID,
        )

    def _blocks(self, path: Path, components: int) -> Blocks:
        differences = self.case.geometry.differences(read_geometry(path))
        if differences:
            problem = f"is not on the grid of case {self.case.id}: {' and '.join(differences)}"
            raise UserError(problem, file=path, remedy=_OFF_GRID)
        found = component_count(path)
        if found != components:
            raise UserError(
                f"has {found} components per voxel, but the study's {self.classes} classes need {components}",
                file=path,
            )
        return _only_numbers(component_blocks(path, components, math.prod(self.case.geometry.shape)), path)


def find_predictions(folder: str | Path, study: Study) -> list[Prediction]:
    """The predictions for the study's cases, in its order; cases without a folder of their own are left out."""
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError("is not a folder of predictions", file=folder, remedy="give what predict or fuse wrote")
    classes = len(study.classes)
    shared = read_matrices(folder / "annotators.json", classes)
    found = []
    for case in study.cases:
        own = folder / case.id
        if own.is_dir():
            matrices = {**shared, **read_matrices(own / "annotators.json", classes)}
            found.append(Prediction(own, case, classes, matrices))
    if not found:
        raise UserError(
            f"has no folder for any case of the study {study.name}",
            file=folder,
            remedy=f"it should hold folders such as {study.cases[0].id}/ with truth.nrrd",
        )
    return found


def _only_numbers(blocks: Blocks, path: Path) -> Blocks:
    for part, block in blocks:
        if not np.isfinite(block.sum()):
            raise UserError("holds values that are not numbers (NaN or infinity)", file=path, remedy="predict again")
        yield part, block
