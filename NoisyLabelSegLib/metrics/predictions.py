"""A folder of predictions, case by case: labels, probabilities and confusion matrices, read when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study
from NoisyLabelSegLib.cases.itk import geometry_of
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.counts import chunks

Matrices = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class Components:
    """A field (C, *shape) that lies in the file's own order, so nothing is copied; it keeps its image alive."""

    array: NDArray[Any]
    image: Any = None


@dataclass(frozen=True)
class Prediction:
    """What `folder` says about a case of the study; `matrices` are confusion matrices that hold for the whole case."""

    folder: Path
    case: Case
    classes: int
    matrices: Matrices = field(default_factory=dict)

    def truth(self) -> NDArray[np.uint8]:
        """The estimated truth, (*shape) uint8; from the probabilities where only they were written."""
        labels = self._drawn.truth()
        if labels is not None:
            return labels
        probability = self.probability()
        if probability is None:
            raise UserError("holds neither truth.nrrd nor truth_probability.nrrd", file=self.folder)
        return np.asarray(probability.array.argmax(axis=0), dtype=np.uint8)

    def probability(self) -> Components | None:
        """(L, *shape) float32, or None where only labels were written."""
        path = self.folder / "truth_probability.nrrd"
        return self._components(path, self.classes) if path.exists() else None

    def confusion(self, annotator: str) -> Components | None:
        """A field (L, L, *shape), or one matrix (L, L) for the case, or None."""
        path = self.folder / f"confusion_{annotator}.nrrd"
        if path.exists():
            flat = self._components(path, self.classes**2)
            shape = (self.classes, self.classes, *self.case.geometry.shape)
            return Components(flat.array.reshape(shape), flat.image)
        matrix = self.matrices.get(annotator)
        return None if matrix is None else Components(matrix)

    def labels(self, annotator: str) -> NDArray[np.uint8] | None:
        """The predicted labels of an annotator, (*shape) uint8, where they were written."""
        return self._drawn.labels(annotator)

    @property
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
        )

    def _components(self, path: Path, count: int) -> Components:
        import SimpleITK as sitk

        try:
            image = sitk.ReadImage(str(path), sitk.sitkVectorFloat32)
        except RuntimeError as error:
            remedy = "write the predictions again"
            raise UserError("is damaged or not an image", file=path, remedy=remedy, detail=str(error)) from error
        _require(path, geometry_of(image), self.case, image.GetNumberOfComponentsPerPixel(), count)
        return Components(np.moveaxis(sitk.GetArrayViewFromImage(image), -1, 0), image)


def find_predictions(folder: str | Path, study: Study) -> list[Prediction]:
    """The predictions for the study's cases, in its order; cases without a folder of their own are left out."""
    from NoisyLabelSegLib.metrics.annotator_file import read_matrices

    folder = Path(folder)
    if not folder.is_dir():
        raise UserError("is not a folder of predictions", file=folder, remedy="give what predict or fuse wrote")
    classes = len(study.classes)
    shared = read_matrices(folder / "annotators.json", classes)
    found = []
    for case in study.cases:
        own = folder / case.id
        if own.is_dir():
            matrices = {**shared, **read_matrices(own / "annotators.json", classes, case.id)}
            found.append(Prediction(own, case, classes, matrices))
    if not found:
        raise UserError(
            f"has no folder for any case of the study {study.name}",
            file=folder,
            remedy=f"it should hold folders such as {study.cases[0].id}/ with truth.nrrd",
        )
    return found


def predicted_labels(confusion: NDArray[Any], probabilities: NDArray[Any]) -> NDArray[np.uint8]:
    """What an annotator would say, (*shape) uint8: the likeliest class under A p.

    `confusion` (L, L) or (L, L, *shape); `probabilities` (L, *shape).
    """
    classes, shape = len(probabilities), probabilities.shape[1:]
    flat_p, field = probabilities.reshape(classes, -1), confusion.reshape(classes, classes, -1)
    said = np.empty(flat_p.shape[1], dtype=np.uint8)
    for part in chunks(said.size):
        a = field[:, :, part] if field.shape[2] > 1 else field
        said[part] = (a * flat_p[:, part]).sum(axis=1).argmax(axis=0)
    return said.reshape(shape)


def _require(path: Path, geometry: Geometry, case: Case, components: int, wanted: int) -> None:
    differences = case.geometry.differences(geometry)
    if differences:
        raise UserError(f"is not on the grid of case {case.id}: {' and '.join(differences)}", file=path)
    if components != wanted:
        raise UserError(
            f"has {components} components per voxel, but {wanted} are needed for the study's classes", file=path
        )
