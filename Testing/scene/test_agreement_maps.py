"""How many annotators marked a voxel, and the entropy of their labels, as nodes and in the views."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.progress import finished
from NoisyLabelSegLib.scene.agreement_maps import makingAgreementMap, makingDisagreementMap
from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.colors import legendOf
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.views import ReviewViews

Node = Any


@pytest.fixture
def labels(small_case: Callable[..., Case]) -> list[np.ndarray]:
    case = small_case(3)
    return [np.asarray(case.labels(name)) for name in case.annotators]


def test_the_map_counts_the_annotators_and_its_legend_names_the_counts(
    loaded: CaseFolder, labels: list[np.ndarray], small_case: Callable[..., Case]
) -> None:
    node = finished(makingAgreementMap(loaded, labels, small_case(3).geometry))
    assert arrayOf(node)[3, 4].tolist() == [0, 0, 1, 2, 3, 3, 2, 1, 0, 0, 0, 0]
    colors = node.GetDisplayNode().GetColorNode()
    assert [colors.GetColorName(count) for count in range(1, 4)] == ["1 of 3", "2 of 3", "3 of 3"]
    assert not colors.GetColorDefined(0)
    assert legendOf(node).GetTitleText() == "Marked by"


def test_the_counts_differ_in_lightness(loaded: CaseFolder, labels: list[np.ndarray], small_case: Any) -> None:
    from Testing.color_vision import lab

    colors = finished(makingAgreementMap(loaded, labels, small_case(3).geometry)).GetDisplayNode().GetColorNode()
    color, lightness = [0.0] * 4, []
    for count in range(1, 4):
        colors.GetColor(count, color)
        lightness.append(float(lab(color[:3])[0]))
    assert np.diff(lightness).min() > 15


def test_disagreement_is_nothing_where_all_agree_and_one_bit_at_most_for_two_classes(
    loaded: CaseFolder, labels: list[np.ndarray], small_case: Callable[..., Case]
) -> None:
    node = finished(makingDisagreementMap(loaded, labels, small_case(3).geometry, classes=2))
    row = arrayOf(node)[3, 4]
    assert row[4] == row[0] == 0
    assert row[3] == pytest.approx(-(1 / 3) * np.log2(1 / 3) - (2 / 3) * np.log2(2 / 3))
    assert legendOf(node).GetTitleText() == "Entropy (bits)"


def test_a_map_replaces_the_error_map_in_the_views(
    app: HeadlessSlicer, loaded: CaseFolder, labels: list[np.ndarray], small_case: Any, view: Any
) -> None:
    from NoisyLabelSegLib.review import review_case
    from NoisyLabelSegLib.scene.results import ResultNodes

    case = small_case(3)
    ResultNodes(loaded, case.geometry).review(
        review_case(dict(zip(case.annotators, labels, strict=True)), labels[0], case.geometry, case=case.id)
    )
    red, views = view("Red"), ReviewViews(app.scene, app.applicationLogic)
    views.showOne(loaded, "reader2")
    assert red.compositeNode.GetLabelVolumeID()
    views.showHeatMap(finished(makingAgreementMap(loaded, labels, case.geometry)), opacity=1.0)
    assert not red.compositeNode.GetLabelVolumeID()
    visible = [each for each in app.scene.GetNodes() if each.IsA("vtkMRMLColorLegendDisplayNode")]
    assert [each.GetTitleText() for each in visible if each.GetVisibility()] == ["Marked by"]
