"""Where the annotators agree, as displays of their own: how many marked a voxel, and the entropy of their labels."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.agreement.maps import entropy_of, marked_counts
from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.arrays import Node, imageInSteps
from NoisyLabelSegLib.scene.colors import CONFIDENCE, addLegend, countColors, rampColors, sizeLegend
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.placing import inThreeDimensions
from NoisyLabelSegLib.scene.volumes import LABELMAP, SCALAR, attachImage, showAsCodes, showAsHeatMap

_WIDTH, _TITLE, _LINE, _HIGHEST = 0.11, 0.12, 0.05, 0.7
"""Shares of a view: the width of the legend, the heights of its title and of a line, and the greatest of the whole."""


def makingAgreementMap(
    folder: CaseFolder, labels: Sequence[NDArray[Any]], geometry: Geometry, label: int | None = None
) -> Generator[str, None, Node]:
    """A labelmap of how many annotators gave each voxel this class (any class if None), in steps, with its legend."""
    labels = _volumes(labels, geometry)
    image = yield from imageInSteps(
        labels[0].shape, np.uint8, lambda few: marked_counts([array[few] for array in labels], label)
    )
    node = folder.put(LABELMAP, Role.AGREEMENT, f"{folder.case} agreement")
    showAsCodes(node, countColors(folder.scene, len(labels)))
    attachImage(node, image, geometry)
    legend = addLegend(node, "Marked by")
    legend.SetNumberOfLabels(len(labels))
    sizeLegend(legend, _WIDTH, min(_TITLE + _LINE * len(labels), _HIGHEST))
    return node


def makingDisagreementMap(
    folder: CaseFolder, labels: Sequence[NDArray[Any]], geometry: Geometry, classes: int
) -> Generator[str, None, Node]:
    """A heat map of the entropy of the annotators' labels in bits, in steps, with its legend."""
    labels = _volumes(labels, geometry)
    entropy = entropy_of(lambda few: [array[few] for array in labels], classes)
    image = yield from imageInSteps(labels[0].shape, np.float32, entropy)
    node = folder.put(SCALAR, Role.DISAGREEMENT, f"{folder.case} disagreement")
    highest = math.log2(max(2, min(classes, len(labels))))
    showAsHeatMap(node, rampColors(folder.scene, CONFIDENCE), highest=highest)
    attachImage(node, image, geometry)
    addLegend(node, "Entropy (bits)", numbers="%12.1f")
    return node


def _volumes(labels: Sequence[NDArray[Any]], geometry: Geometry) -> list[NDArray[Any]]:
    """Pictures as volumes of one slice."""
    return [np.asarray(array).reshape(inThreeDimensions(geometry).shape) for array in labels]
