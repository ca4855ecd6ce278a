"""Whole pictures of a review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.loading import loadCase
from NoisyLabelSegLib.scene.offscreen import reviewPicture
from NoisyLabelSegLib.scene.results import ResultNodes


@pytest.mark.parametrize(("count", "shape"), [(1, (100, 100, 3)), (2, (100, 202, 3)), (5, (202, 304, 3))])
def test_a_picture_has_a_place_for_every_annotator(
    count: int, shape: tuple[int, ...], app: HeadlessSlicer, small_case: Callable[..., Case]
) -> None:
    picture = reviewPicture(app, loadCase(app.scene, small_case(count)), size=(100, 100))
    assert picture.shape == shape
    assert picture[:100, :100].any()


def test_a_picture_leaves_the_views_as_they_were(app: HeadlessSlicer, loaded: CaseFolder) -> None:
    layout = app.scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    arrangement = layout.GetViewArrangement()
    first = reviewPicture(app, loaded, size=(100, 100))
    assert layout.GetViewArrangement() == arrangement
    np.testing.assert_array_equal(reviewPicture(app, loaded, size=(100, 100)), first)


def test_zooming_shows_less_of_more(app: HeadlessSlicer, loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    labels = small_case().labels("reader1")
    ResultNodes(loaded, small_case().geometry).errors("reader1", 3 * labels)
    place = small_case().geometry.points((4, 5, 4)).tolist()

    def red(**options: Any) -> int:
        picture = reviewPicture(app, loaded, annotators=["reader1"], place=place, size=(200, 200), **options)
        red_, green, _ = np.moveaxis(picture.astype(int), -1, 0)
        return int(np.count_nonzero(red_ - green > 100))

    assert red(zoom=2.0) > 2 * red()
