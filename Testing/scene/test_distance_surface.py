"""The surface of the truth, colored by signed distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from vtk.util import numpy_support

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.distance_surface import SCALARS, hideDistanceSurface, showDistanceSurface
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.results import ResultNodes


@pytest.fixture
def with_truth(loaded: CaseFolder, small_case: Callable[..., Case]) -> Any:
    """The case, and a truth of one large box, which lies from x = 2 to 8 and y = 2 to 7."""
    case = small_case()
    truth = np.zeros(case.geometry.shape, dtype=np.uint8)
    truth[2:6, 2:8, 2:9] = 1
    ResultNodes(loaded, case.geometry).truth(truth)
    return loaded, case.geometry, truth


def test_the_side_that_reaches_further_is_positive_and_the_missed_side_negative(with_truth: Any) -> None:
    folder, geometry, truth = with_truth
    drawn = np.roll(truth, 2, axis=2)  # two voxels to larger x: missed there, too much here
    node = showDistanceSurface(folder, "reader1", drawn, geometry)
    surface = node.GetPolyData()
    points = numpy_support.vtk_to_numpy(surface.GetPoints().GetData())
    distances = numpy_support.vtk_to_numpy(surface.GetPointData().GetArray(SCALARS))
    x = -points[:, 0]  # the grid is in LPS
    middle = np.abs(points[:, 2] - 7) < 1
    assert distances[middle & (x > x.max() - 0.3)].max() == pytest.approx(2.0, abs=0.6)
    assert distances[middle & (x < x.min() + 0.3)].min() == pytest.approx(-2.0, abs=0.6)
    assert node.GetDisplayNode().GetScalarVisibility()


def test_another_annotator_changes_the_same_node(with_truth: Any) -> None:
    folder, geometry, truth = with_truth
    first = showDistanceSurface(folder, "reader1", truth, geometry)
    assert showDistanceSurface(folder, "reader2", np.roll(truth, 1, axis=1), geometry) is first
    hideDistanceSurface(folder)
    assert folder.nodes(Role.DISTANCE) == []


def test_the_truth_itself_is_not_changed(with_truth: Any) -> None:
    folder, geometry, truth = with_truth
    showDistanceSurface(folder, "reader1", truth, geometry)
    names = []
    folder.find(Role.TRUTH).GetSegmentation().GetContainedRepresentationNames(names)
    assert len(names) <= 1


def test_an_empty_truth_is_refused(loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    case = small_case()
    with pytest.raises(UserError, match="estimate the truth first"):
        showDistanceSurface(loaded, "reader1", np.ones(case.geometry.shape), case.geometry)
    ResultNodes(loaded, case.geometry).truth(np.zeros(case.geometry.shape, dtype=np.uint8))
    with pytest.raises(UserError, match="is empty"):
        showDistanceSurface(loaded, "reader1", np.ones(case.geometry.shape), case.geometry)
