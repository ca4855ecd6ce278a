"""Legends never cover what they explain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.scene.colors import addLegend, errorColors, showLegend
from NoisyLabelSegLib.scene.legend_place import CORNERS, LegendPlacer, freeCorner, isLegendHidden
from NoisyLabelSegLib.scene.volumes import showAsCodes

SIZE = 40


@pytest.fixture
def shown(app: Any, view: Any, add_volume: Any) -> Any:
    """A view of an error map, its node and its legend; what is marked can be changed."""
    red = view("Red", (300, 300))
    node = add_volume("errors", np.zeros((4, SIZE, SIZE), np.uint8))
    showAsCodes(node, errorColors(app.scene))
    legend = addLegend(node, "errors")
    red.compositeNode.SetLabelVolumeID(node.GetID())
    red.fit()
    showLegend(node, visible=True, viewIds=[red.node.GetID()])
    return red, node, legend


def mark(node: Any, part: tuple[slice, ...]) -> None:
    import slicer

    slicer.util.arrayFromVolume(node)[part] = 2
    slicer.util.arrayFromVolumeModified(node)


def covered(red: Any, node: Any) -> int:
    """How many pixels of the errors are under the legend: those that are drawn without it and not with it."""
    legend = node.GetNthDisplayNode(1) if node.GetNumberOfDisplayNodes() > 1 else None
    assert legend is not None
    wasVisible = legend.GetVisibility()
    legend.SetVisibility(False)
    without = red.picture().astype(int)
    legend.SetVisibility(wasVisible)
    with_ = red.picture().astype(int)
    errors = without.max(axis=2) > 100
    return int(np.count_nonzero(errors & (np.abs(with_ - without).max(axis=2) > 8)))


LOWER_RIGHT = (slice(None), slice(SIZE * 3 // 4, None), slice(SIZE * 3 // 4, None))


def test_the_legend_stands_at_the_lower_right_where_nothing_is_marked(app: Any, shown: Any) -> None:
    _red, _node, legend = shown
    LegendPlacer(app.scene).place()
    assert tuple(legend.GetPosition()) == CORNERS[0]


@pytest.mark.parametrize("corner", [(1, 1), (1, 0), (0, 1), (0, 0)])
def test_it_leaves_the_corner_in_which_something_is_marked(app: Any, shown: Any, corner: tuple[int, int]) -> None:
    red, node, _legend = shown
    edges = (slice(0, SIZE * 2 // 5), slice(SIZE * 3 // 5, None))
    mark(node, (slice(None), edges[corner[0]], edges[corner[1]]))
    LegendPlacer(app.scene).place()
    assert covered(red, node) == 0


def test_where_no_corner_is_free_it_leaves_the_view_and_says_so(app: Any, shown: Any) -> None:
    _red, node, legend = shown
    placer, told = LegendPlacer(app.scene), []
    placer.hidden.connect(told.append)
    mark(node, (slice(None), slice(None), slice(None)))
    placer.place()
    assert not legend.GetVisibility()
    assert isLegendHidden(legend)
    assert told == [node]
    mark_nothing = (slice(None),) * 3
    import slicer

    slicer.util.arrayFromVolume(node)[mark_nothing] = 0
    placer.place()
    assert legend.GetVisibility()
    assert told[-1] is None


def test_it_follows_the_view_to_another_slice(app: Any, shown: Any) -> None:
    red, node, legend = shown
    mark(node, (slice(3, 4), *LOWER_RIGHT[1:]))
    mark(node, (slice(3, 4), slice(0, SIZE * 2 // 5), slice(SIZE * 3 // 5, None)))
    placer = LegendPlacer(app.scene)
    red.node.SetSliceOffset(0)
    placer.follow()
    assert tuple(legend.GetPosition()) == CORNERS[0]
    red.node.SetSliceOffset(3)
    assert tuple(legend.GetPosition()) in CORNERS[2:]
    placer.stop()
    red.node.SetSliceOffset(0)
    assert tuple(legend.GetPosition()) in CORNERS[2:], "nobody follows any more"


def test_only_the_current_slice_counts(shown: Any) -> None:
    red, node, _legend = shown
    mark(node, (slice(2, 3), slice(None), slice(None)))
    red.node.SetSliceOffset(0)
    assert freeCorner(red.node, node) == CORNERS[0]
    red.node.SetSliceOffset(2)
    assert freeCorner(red.node, node) is None
