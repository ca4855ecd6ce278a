"""What a fusion, a prediction or a review found, as the nodes of a case."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.review import DEFAULT_COLORS, AnnotatorStatistics, CaseReview, Mistake, mistake_sentences
from NoisyLabelSegLib.review.compare.error_map import error_map_of_class
from NoisyLabelSegLib.review.tables import mistake_row, statistics_row
from NoisyLabelSegLib.scene.arrays import Node, imageInSteps
from NoisyLabelSegLib.scene.colors import (
    HEAT,
    addLegend,
    classColor,
    drawable,
    errorColors,
    hasWrongClass,
    rampColors,
    sizeLegend,
)
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import ANNOTATOR_REFERENCE, TRUTH_REFERENCE, Role
from NoisyLabelSegLib.scene.placing import inThreeDimensions
from NoisyLabelSegLib.scene.segments import fillSegmentation, showAsOutline
from NoisyLabelSegLib.scene.tables import fillTable
from NoisyLabelSegLib.scene.volumes import LABELMAP, SCALAR, attachImage, fillVolume, showAsCodes, showAsHeatMap

EXPECTED_KINDS = ("false positive", "false negative", "wrong class")
"""The components of expected errors, in their order."""
_LIKELY = {"false positive": "Likely too much", "false negative": "Likely missed", "wrong class": "Likely wrong"}
"""The same in the words of the legends; whose they are is read in the panel, a name would cover half a view."""
_WIDE_LEGEND = (0.2, 0.29)
"""Shares of a view; the letters of a legend are as large as its longest line allows."""
Slices = Callable[[slice], NDArray[Any]]
"""Makes some slices of an image."""


class ResultNodes:
    """Shows results of one case; showing the same kind again changes the node that is there.

    Arrays have the case's shape (z, y, x), or (y, x) for pictures. `classes` are the names, background first.
    """

    def __init__(
        self, folder: CaseFolder, geometry: Geometry, classes: Sequence[str] = ("background", "foreground")
    ) -> None:
        self.folder, self._geometry, self._classes = folder, geometry, tuple(classes)

    def truth(self, labels: NDArray[np.uint8], *, name: str = "truth", role: Role = Role.TRUTH) -> Node:
        """A segmentation node, drawn as outlines."""
        isNew = self.folder.find(role) is None
        node = self.folder.put("vtkMRMLSegmentationNode", role, f"{self.folder.case} {name}")
        names = self._classes[1:]
        fillSegmentation(node, labels, self._geometry, names, [classColor(label) for label, _ in enumerate(names, 1)])
        if self.folder.image is not None:  # so that Segment Editor knows the source volume
            node.SetNodeReferenceID(node.GetReferenceImageGeometryReferenceRole(), self.folder.image.GetID())
        if isNew:
            showAsOutline(node)
        return node

    def probability(self, probabilities: NDArray[np.float32]) -> Node:
        """A heat map of how likely a voxel is not background, from probabilities (L, *shape)."""
        background = probabilities[0].reshape(self._shape)
        return finished(self.showingProbability(lambda few: background[few]))

    def showingProbability(self, background: Slices) -> Generator[str, None, Node]:
        """probability() in steps; `background` makes a few slices (z, y, x) of the probability of class 0."""
        image = yield from imageInSteps(self._shape, np.float32, lambda few: 1 - background(few))
        node = self.folder.put(SCALAR, Role.PROBABILITY, f"{self.folder.case} probability")
        return self._asHeatMap(node, image, "Probability")

    def errors(
        self,
        annotator: str,
        codes: NDArray[np.uint8],
        *,
        label: str = "",
        colors: str = DEFAULT_COLORS,
        correct: bool = True,
    ) -> Node:
        """An error map (*shape) as a labelmap with its legend; `label` is the class of a map for one class only."""
        node = self._errorsNode(annotator, label)
        fillVolume(node, codes, self._geometry)
        return self._asErrors(node, annotator, label, colors, correct=correct)

    def showingErrorsOfClass(
        self,
        annotator: str,
        labels: NDArray[np.uint8],
        truth: NDArray[np.uint8],
        number: int,
        *,
        colors: str = DEFAULT_COLORS,
        correct: bool = True,
    ) -> Generator[str, None, Node]:
        """The error map of class `number` alone, from labels and truth (*shape), in steps."""
        labels, truth, label = labels.reshape(self._shape), truth.reshape(self._shape), self._classes[number]
        image = yield from imageInSteps(
            self._shape, np.uint8, lambda few: error_map_of_class(labels[few], truth[few], number)
        )
        node = self._errorsNode(annotator, label)
        attachImage(node, image, self._geometry)
        return self._asErrors(node, annotator, label, colors, correct=correct)

    def expectedErrors(self, annotator: str, expected: NDArray[np.float32]) -> list[Node]:
        """Heat maps of expected errors (3, *shape): one node each for too much, missed and (if any) wrong class."""
        return [
            finished(self.showingExpectedErrors(kind, annotator, values))
            for kind, values in zip(self.expectedKinds, expected, strict=False)
        ]

    @property
    def expectedKinds(self) -> tuple[str, ...]:
        """The kinds that there are with these classes, in the order of the components."""
        return EXPECTED_KINDS[:2] if len(self._classes) == 2 else EXPECTED_KINDS

    def showingExpectedErrors(
        self, kind: str, annotator: str, values: NDArray[np.float32]
    ) -> Generator[str, None, Node]:
        """A heat map of one kind of expected errors (*shape), which may be mapped, in steps."""
        values = values.reshape(self._shape)
        image = yield from imageInSteps(self._shape, np.float32, lambda few: values[few])
        name = f"{self.folder.case} expected {kind} {annotator}"
        node = self.folder.put(SCALAR, Role.EXPECTED_ERRORS, name, annotator=annotator, label=kind)
        self._asHeatMap(node, image, _LIKELY[kind])
        self._refer(node, annotator)
        return node

    def statistics(self, rows: Iterable[AnnotatorStatistics]) -> Node:
        """A table with one row per annotator and class."""
        node = self.folder.put("vtkMRMLTableNode", Role.STATISTICS, f"{self.folder.case} statistics")
        fillTable(node, [statistics_row(row) for row in rows])
        return node

    def mistakes(self, mistakes: Iterable[Mistake]) -> Node:
        """A table with one row per mistake, with its place (RAS, as Slicer shows it) and a sentence."""
        node = self.folder.put("vtkMRMLTableNode", Role.MISTAKES, f"{self.folder.case} mistakes")
        fillTable(node, [_inRas(mistake_row(mistake, mistake_sentences(mistake))) for mistake in mistakes])
        return node

    def review(self, review: CaseReview, *, colors: str = DEFAULT_COLORS) -> None:
        """Everything a review found: error maps, statistics and mistakes."""
        for annotator, codes in review.error_maps.items():
            self.errors(annotator, codes, colors=colors)
        self.statistics(review.statistics)
        self.mistakes(review.mistakes)

    @property
    def _shape(self) -> tuple[int, ...]:
        """(z, y, x), for a picture (1, y, x)."""
        return inThreeDimensions(self._geometry).shape

    def _errorsNode(self, annotator: str, label: str) -> Node:
        name = f"{self.folder.case} errors {annotator} {label}".strip()
        return self.folder.put(LABELMAP, Role.ERRORS, name, annotator=annotator, label=label)

    def _asErrors(self, node: Node, annotator: str, label: str, colors: str, *, correct: bool) -> Node:
        wrongClass = len(self._classes) > 2 and not label
        showAsCodes(node, errorColors(self.folder.scene, colors, wrongClass=wrongClass, correct=correct))
        title = f"{annotator}: {label}" if label else annotator
        legend = addLegend(node, drawable(title, len(title), otherwise="Errors"))
        if wrongClass:
            sizeLegend(legend, *_WIDE_LEGEND)
        self._refer(node, annotator)
        return node

    def _asHeatMap(self, node: Node, image: Node, title: str) -> Node:
        showAsHeatMap(node, rampColors(self.folder.scene, HEAT))
        attachImage(node, image, self._geometry)
        addLegend(node, title, numbers="%12.1f")
        return node

    def _refer(self, node: Node, annotator: str) -> None:
        """Lets an annotator's map refer to the truth and to the labels it was made from."""
        for role, reference, name in (
            (Role.TRUTH, TRUTH_REFERENCE, ""),
            (Role.ANNOTATOR, ANNOTATOR_REFERENCE, annotator),
        ):
            found = self.folder.find(role, annotator=name)
            node.SetNodeReferenceID(reference, None if found is None else found.GetID())


def _inRas(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row whose center is given in LPS, with the center in RAS in the same columns."""
    signs = {"center_x_lps": ("center_r", -1), "center_y_lps": ("center_a", -1), "center_z_lps": ("center_s", 1)}
    found = {}
    for name, value in row.items():
        title, sign = signs.get(name, (name, 1))
        found[title] = value if title == name or value is None else sign * value
    return found


def chooseErrorColors(folder: CaseFolder, name: str, *, correct: bool = True) -> None:
    """Recolors all error maps of a case, for example with the colors of the paper, or without what is correct."""
    for node in folder.nodes(Role.ERRORS):
        wrongClass = hasWrongClass(node.GetDisplayNode().GetColorNode())
        showAsCodes(node, errorColors(folder.scene, name, wrongClass=wrongClass, correct=correct))
