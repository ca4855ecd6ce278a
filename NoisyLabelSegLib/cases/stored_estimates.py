"""Estimates read from their folders, whole or by parts, and checked against the cases they are about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases.case import Annotation, Case
from NoisyLabelSegLib.cases.estimates import (
    ANNOTATORS_JSON,
    PROBABILITIES,
    TRUTH,
    Estimate,
    EstimateFiles,
    Field,
    FileKind,
    Labels,
)
from NoisyLabelSegLib.cases.files import read_geometry, read_image
from NoisyLabelSegLib.cases.nrrd import Blocks, component_blocks, component_count
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json

OTHER_STUDY = "it may have been predicted for another study"
_CHUNK = 1 << 14  # voxels that are read together; their components stay in the processor's cache


@dataclass(frozen=True)
class StoredEstimate:
    """The estimate of a case in `folder`, read on demand and refused where it does not fit the case.

    `classes` is L; `matrices` are confusion matrices (L, L) that apply to the whole case; `remedy` is the advice about
    files on another grid.
    """

    folder: Path
    case: Case
    classes: int
    matrices: Mapping[str, Field] = field(default_factory=dict)
    remedy: str = OTHER_STUDY

    @property
    def id(self) -> str:
        """That of the case."""
        return self.case.id

    @property
    def exists(self) -> bool:
        """Whether there is an estimated truth."""
        return any(self._files.find(kind) is not None for kind in (FileKind.TRUTH, FileKind.PROBABILITIES))

    def read(self) -> Estimate:
        """All of it in memory; `annotators` and `confusion` are those that were written."""
        names = dict.fromkeys([*self._files.annotators(FileKind.CONFUSION), *self.matrices])
        drawn = {name: self.labels(name) for name in self._files.annotators(FileKind.ANNOTATOR)}
        confusion = {name: self.confusion(name) for name in names}
        return Estimate(
            self.truth(),
            self.probabilities(),
            {name: labels for name, labels in drawn.items() if labels is not None},
            {name: matrices for name, matrices in confusion.items() if matrices is not None},
        )

    def truth(self) -> Labels:
        """The estimated truth, (*shape) uint8; the most probable class where only probabilities were written."""
        labels = self._labels.truth()
        if labels is not None:
            return labels
        blocks = self.probability_blocks()
        if blocks is None:
            raise UserError(f"holds neither {TRUTH} nor {PROBABILITIES}", file=self.folder)
        truth = np.empty(self.case.geometry.shape, dtype=np.uint8)
        for part, block in blocks:
            truth.reshape(-1)[part] = block.argmax(axis=0)
        return truth

    def probabilities(self) -> Field | None:
        """(L, *shape) float32, or None where only labels were written."""
        path = self._files.find(FileKind.PROBABILITIES)
        return None if path is None else self._field(path, self.classes)

    def probability_blocks(self) -> Blocks | None:
        """The same by consecutive parts of the flattened voxels, (L, n)."""
        path = self._files.find(FileKind.PROBABILITIES)
        return None if path is None else self._blocks(path, self.classes)

    def labels(self, annotator: str) -> Labels | None:
        """The predicted labels of an annotator, (*shape) uint8, where they were written."""
        return self._labels.labels(annotator)

    def samples(self) -> Labels | None:
        """Labels drawn from the annotator models, (N, *shape) uint8, where they were written."""
        path = self._files.find(FileKind.SAMPLES)
        if path is None:
            return None
        image = read_image(path)
        self._labels.require_grid(image.geometry, path)
        return image.channels.astype(np.uint8, copy=False)

    def confusion(self, annotator: str) -> Field | None:
        """The annotator's confusion field (L, L, *shape), or one matrix (L, L) for the whole case, or None."""
        path = self._files.find(FileKind.CONFUSION, annotator)
        if path is None:
            return self.matrices.get(annotator)
        values = self._field(path, self.classes**2)
        return values.reshape(self.classes, self.classes, *values.shape[1:])

    def confusion_blocks(self, annotator: str) -> Blocks | None:
        """The same by consecutive parts of the flattened voxels: (L, L, n), or (L, L, 1) of one matrix."""
        path, size = self._files.find(FileKind.CONFUSION, annotator), self.classes
        if path is not None:
            return ((part, block.reshape(size, size, -1)) for part, block in self._blocks(path, size**2))
        matrix = self.matrices.get(annotator)
        return None if matrix is None else ((part, matrix[:, :, None]) for part in self.parts())

    @cached_property
    def _files(self) -> EstimateFiles:
        return EstimateFiles(self.folder)

    @cached_property
    def _labels(self) -> Case:
        """The label files as a case of their own, which checks their grid and their classes."""
        names = dict.fromkeys([*self.case.annotations, *self._files.annotators(FileKind.ANNOTATOR)])
        drawn = {name: self._files.find(FileKind.ANNOTATOR, name) for name in names}
        return replace(
            Case(self.case.id, tuple(self.case.sources())[:1], classes=self.classes, off_grid=self.remedy),
            annotations={name: Annotation(path) for name, path in drawn.items() if path is not None},
            truth_source=self._files.find(FileKind.TRUTH),
        )

    def _field(self, path: Path, components: int) -> Field:
        shape = self.case.geometry.shape
        result = np.empty((components, math.prod(shape)), dtype=np.float32)
        for part, block in self._blocks(path, components):
            result[:, part] = block
        return result.reshape(components, *shape)

    def _blocks(self, path: Path, components: int) -> Blocks:
        self._labels.require_grid(read_geometry(path), path)
        found = component_count(path)
        if found != components:
            raise UserError(
                f"has {found} components per voxel, not {components}, which the study's {self.classes} classes need",
                file=path,
                remedy=self.remedy,
            )
        return _only_numbers(component_blocks(path, components, self.parts()), path)

    def parts(self) -> Iterator[slice]:
        """The parts of the flattened voxels that all blocks come in."""
        size = math.prod(self.case.geometry.shape)
        return (slice(start, min(start + _CHUNK, size)) for start in range(0, size, _CHUNK))


def stored_estimates(folder: str | Path, study: Study) -> list[StoredEstimate]:
    """The estimates of the study's cases, in its order; cases without a folder of their own are left out."""
    folder = Path(folder)
    if not folder.is_dir():
        raise UserError("is not a folder of predictions", file=folder, remedy="give what predict or fuse wrote")
    classes = len(study.classes)
    shared = read_matrices(folder / ANNOTATORS_JSON, classes)
    found = []
    for case in study.cases:
        own = folder / case.id
        if own.is_dir():
            matrices = {**shared, **read_matrices(own / ANNOTATORS_JSON, classes)}
            found.append(StoredEstimate(own, case, classes, matrices))
    if not found:
        raise UserError(
            f"has no folder for any case of the study {study.name}",
            file=folder,
            remedy=folder_advice(folder, study),
        )
    return found


def folder_advice(folder: Path, study: Study) -> str:
    """What to do about a folder without estimates of the study's cases."""
    held = sorted(path.parent.name for path in folder.glob(f"*/{TRUTH}"))
    advice = f"it should hold folders such as {study.cases[0].id}/ with {TRUTH}"
    if len(study.cases) == 1 and held:
        return f"{advice}; if {held[0]}/ is of the same case, add --case {held[0]}"
    return advice


def read_matrices(path: Path, classes: int) -> dict[str, Field]:
    """Annotator to (L, L) float32; empty where the file does not exist or holds no matrices.

    Read leniently: `annotators` is a list of objects with `annotator` or `name`, or an object by name; the matrix of
    each is under `confusion`. What is not like that is passed over.
    """
    entries = _annotators(path) if path.exists() else None
    if isinstance(entries, dict):
        entries = [{"name": name, **entry} for name, entry in entries.items() if isinstance(entry, dict)]
    found = {}
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("confusion"), list):
            name = str(entry.get("annotator", entry.get("name")))
            found[name] = _matrix(entry["confusion"], classes, name, path)
    return found


def _matrix(values: list[Any], classes: int, name: str, path: Path) -> Field:
    try:
        with np.errstate(over="ignore"):
            matrix = np.array(values, dtype=np.float32)
    except (TypeError, ValueError):
        matrix = np.empty(0, dtype=np.float32)
    if matrix.shape != (classes, classes) or not np.isfinite(matrix).all():
        raise UserError(f"has a confusion matrix of {name} that is not {classes} x {classes} numbers", file=path)
    return matrix


def _annotators(path: Path) -> Any:
    content = read_json(path, damaged="fuse again")
    return content.get("annotators") if isinstance(content, dict) else None


def _only_numbers(blocks: Blocks, path: Path) -> Blocks:
    for part, block in blocks:
        if not np.isfinite(block.sum()):
            raise UserError("holds values that are not numbers (NaN or infinity)", file=path, remedy="predict again")
        yield part, block
