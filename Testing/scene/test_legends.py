"""Legends as the views draw them: no line touches another one or is cut off, and letters are neither tiny nor huge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.agreement_maps import makingAgreementMap, makingDisagreementMap
from NoisyLabelSegLib.scene.colors import addLegend, errorColors, fitLegend, legendOf
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.offscreen import OffscreenView
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.volumes import makingConfidenceOverlay, showAsCodes

Node = Any
FOUR_VIEWS, TALL, SMALL = (490, 383), (490, 780), (325, 185)
"""Pixels of a view among four, of one beside another, and of one among twelve, in a window of 1280 x 800 pixels."""
SHAPE = (4, 40, 40)
GEOMETRY = Geometry.plain(SHAPE)


@pytest.fixture
def folder(scene: Node) -> CaseFolder:
    return CaseFolder(scene, "patient")


def squares(count: int) -> list[np.ndarray]:
    """Labels of so many readers, in the middle of the image."""
    labels = np.zeros(SHAPE, dtype=np.uint8)
    labels[:, 15:22, 15:22] = 1
    return [labels] * count


def errors(classes: int) -> Callable[[CaseFolder], Node]:
    names = ("background", *(f"class {number}" for number in range(1, classes)))
    return lambda folder: ResultNodes(folder, GEOMETRY, names).errors("under", 2 * squares(1)[0])


def counts(readers: int) -> Callable[[CaseFolder], Node]:
    return lambda folder: finished(makingAgreementMap(folder, squares(readers), GEOMETRY))


def entropy(folder: CaseFolder) -> Node:
    return finished(makingDisagreementMap(folder, [squares(1)[0], 0 * squares(1)[0]], GEOMETRY, 2))


def confidence(folder: CaseFolder) -> Node:
    inside = squares(1)[0].astype(np.float32)
    ResultNodes(folder, GEOMETRY).probability(np.stack([1 - inside, inside]))
    return finished(makingConfidenceOverlay(folder))


def differences(folder: CaseFolder) -> Node:
    node = ResultNodes(folder, GEOMETRY).errors("both", 2 * squares(1)[0])
    showAsCodes(node, errorColors(folder.scene, "differences"))
    addLegend(node, "Differences")
    return node


KINDS: dict[str, tuple[Callable[[CaseFolder], Node], int]] = {
    "errors": (errors(2), 3),
    "errors of several classes": (errors(3), 4),
    "two readers": (counts(2), 2),
    "five readers": (counts(5), 5),
    "twelve readers": (counts(12), 12),
    "entropy": (entropy, 3),
    "confidence": (confidence, 3),
    "differences": (differences, 4),
}
"""What makes a volume with its legend, and how many lines that has below its title."""


def drawn(app: HeadlessSlicer, volume: Node, size: tuple[int, int]) -> np.ndarray:
    """The pixels (rows, columns) bool that the legend changes."""
    legend = legendOf(volume)
    view = OffscreenView(app.scene, app.applicationLogic, "Red", size)
    try:
        view.compositeNode.SetLabelVolumeID(volume.GetID())
        view.fit()
        legend.SetViewNodeIDs([view.node.GetID()])
        legend.SetPosition(0.94, 0.03)
        fitLegend(legend, *size)
        without = view.picture().astype(int)
        legend.SetVisibility(True)
        return np.asarray(np.abs(view.picture().astype(int) - without).max(axis=2) > 60)
    finally:
        view.close()


def runs(rows: np.ndarray) -> list[int]:
    """The lengths of the stretches of True."""
    edges = np.flatnonzero(np.diff(np.r_[False, rows, False].astype(int)))
    return [int(end - start) for start, end in zip(edges[::2], edges[1::2], strict=True)]


def lines_of(legend: np.ndarray) -> list[int]:
    """The heights of the lines left of the colors, the title first."""
    tallest = [max(runs(column), default=0) for column in legend.T]
    bar = next(column for column, height in enumerate(tallest) if height == max(tallest))
    return runs(legend[:, : bar - 2].any(axis=1))


@pytest.mark.parametrize("size", [FOUR_VIEWS, TALL, SMALL])
@pytest.mark.parametrize("kind", KINDS)
def test_every_line_of_a_legend_can_be_read(
    app: HeadlessSlicer, folder: CaseFolder, kind: str, size: tuple[int, int]
) -> None:
    make, lines = KINDS[kind]
    if size == SMALL and lines > 5:
        pytest.skip("twelve lines of readable letters are higher than the view")
    legend = drawn(app, make(folder), size)
    heights = lines_of(legend)
    assert len(heights) == 1 + lines, "lines that touch count as one"
    assert min(heights) >= 7
    assert max(heights) <= 24
    assert legend.any(axis=0).nonzero()[0].max() < size[0] - 5, "nothing is cut off at the edge"
