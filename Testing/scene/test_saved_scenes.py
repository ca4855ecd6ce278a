"""A saved scene reopens as a full review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.review import PAPER, color_table, expected_errors
from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.colors import legendOf
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.layout import LAYOUT_ID, viewName
from NoisyLabelSegLib.scene.nodes import ANNOTATOR_REFERENCE, CORNER_TEXT, IMAGE_REFERENCE, TRUTH_REFERENCE, Role, Tag
from NoisyLabelSegLib.scene.offscreen import OffscreenView
from NoisyLabelSegLib.scene.scene_case import caseOfFolder
from NoisyLabelSegLib.scene.tables import rowsOf, showCurves
from NoisyLabelSegLib.scene.views import ReviewViews
from Testing.scene.majority_review import majority_review

Node = Any


def full_review(app: HeadlessSlicer, case: Case) -> CaseFolder:
    folder, results, fusion = majority_review(app.scene, case, study="study1")
    results.expectedErrors("reader1", expected_errors(fusion.confusion[0], fusion.probabilities))
    showCurves(folder, "Dice over cases", ("case", [1, 2, 3]), {"reader1": [0.5, None, 0.75]})
    ReviewViews(app.scene, app.applicationLogic).showEach(folder)
    return folder


def contents(folder: CaseFolder) -> dict[Any, Any]:
    """What every node of a case holds, by its tag."""
    found: dict[Any, Any] = {}
    for node in folder.nodes():
        if node.IsA("vtkMRMLVolumeNode"):
            found[Tag.read(node)] = arrayOf(node).tolist()
        elif node.IsA("vtkMRMLTableNode"):
            found[Tag.read(node)] = [{name: shortened(value) for name, value in row.items()} for row in rowsOf(node)]
        elif node.IsA("vtkMRMLSegmentationNode"):
            segmentation = node.GetSegmentation()
            segments = [segmentation.GetSegment(id) for id in segmentation.GetSegmentIDs()]
            found[Tag.read(node)] = [(each.GetName(), each.GetColor()) for each in segments]
        else:
            found[Tag.read(node)] = node.GetName()
    return found


def shortened(value: Any) -> Any:
    """Slicer writes tables with six digits."""
    return float(f"{value:.5g}") if isinstance(value, float) else value


def references(folder: CaseFolder) -> dict[Any, Any]:
    roles = (IMAGE_REFERENCE, TRUTH_REFERENCE, ANNOTATOR_REFERENCE)
    pairs = ((node, role, node.GetNodeReference(role)) for node in folder.nodes() for role in roles)
    return {(Tag.read(node), role): Tag.read(target) for node, role, target in pairs if target is not None}


@pytest.mark.parametrize("ending", ["mrb", "mrml"])
def test_a_saved_scene_reopens_as_a_full_review(
    ending: str,
    app: HeadlessSlicer,
    small_case: Callable[..., Case],
    save_and_reopen: Callable[[str], HeadlessSlicer],
) -> None:
    folder = full_review(app, small_case())
    other = save_and_reopen(ending)
    (reopened,) = CaseFolder.all(other.scene)
    assert (reopened.case, reopened.study, reopened.annotators) == ("case1", "study1", folder.annotators)
    assert contents(reopened) == contents(folder)
    assert references(reopened) == references(folder)
    hierarchy = other.scene.GetSubjectHierarchyNode()
    assert hierarchy.GetNumberOfItemChildren(reopened.item()) == len(folder.nodes())
    for node in reopened.nodes(Role.ERRORS):
        colors = node.GetDisplayNode().GetColorNode()
        assert [colors.GetColorName(code) for code in range(1, 4)] == [entry.name for entry in color_table(PAPER)[1:4]]
        assert legendOf(node).GetPrimaryDisplayNode() is node.GetDisplayNode()
    assert legendOf(reopened.find(Role.ERRORS, annotator="reader1")).GetVisibility()
    chart = reopened.find(Role.CHART, label="Dice over cases")
    assert chart.GetNthPlotSeriesNode(0).GetTableNode() is reopened.find(Role.CURVES, label="Dice over cases")


@pytest.mark.parametrize("ending", ["mrb", "mrml"])
def test_the_labels_of_a_reopened_scene_are_those_that_were_saved(
    ending: str,
    app: HeadlessSlicer,
    small_case: Callable[..., Case],
    save_and_reopen: Callable[[str], HeadlessSlicer],
) -> None:
    case = small_case()
    full_review(app, case)
    (reopened,) = CaseFolder.all(save_and_reopen(ending).scene)
    again = caseOfFolder(reopened).case
    assert not case.geometry.differences(again.geometry)
    assert again.annotators == case.annotators
    for name in case.annotators:
        np.testing.assert_array_equal(again.labels(name), case.labels(name))


@pytest.mark.parametrize("ending", ["mrb", "mrml"])
def test_the_views_of_a_reopened_scene_look_the_same(
    ending: str,
    app: HeadlessSlicer,
    small_case: Callable[..., Case],
    save_and_reopen: Callable[[str], HeadlessSlicer],
    view: Callable[..., OffscreenView],
) -> None:
    full_review(app, small_case())
    views = [view(viewName(index), (160, 160)) for index in range(3)]
    for each in views:
        each.fit()
    before = [each.picture() for each in views]
    other = save_and_reopen(ending)
    assert other.scene.GetFirstNodeByClass("vtkMRMLLayoutNode").GetViewArrangement() == LAYOUT_ID
    assert ReviewViews(other.scene, other.applicationLogic).reopen()
    assert other.scene.GetFirstNodeByClass("vtkMRMLLayoutNode").GetCurrentLayoutDescription().count("<view ") == 3
    for index, picture in enumerate(before):
        opened = OffscreenView(other.scene, other.applicationLogic, viewName(index), (160, 160))
        opened.fit()
        assert opened.node.GetAttribute(CORNER_TEXT) == f"reader{index + 1}"
        np.testing.assert_allclose(opened.picture().astype(int), picture, atol=2)
        opened.close()


def test_loading_the_case_again_into_the_reopened_scene_doubles_nothing(
    app: HeadlessSlicer, small_case: Callable[..., Case], save_and_reopen: Callable[[str], HeadlessSlicer]
) -> None:
    full_review(app, small_case())
    other = save_and_reopen("mrb")
    before = {node.GetID() for node in other.scene.GetNodes()}
    full_review(other, small_case())
    assert {node.GetID() for node in other.scene.GetNodes()} == before


def test_a_reopened_review_can_be_left(
    app: HeadlessSlicer, small_case: Callable[..., Case], save_and_reopen: Callable[[str], HeadlessSlicer]
) -> None:
    layout = app.scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    layout.SetViewArrangement(layout.SlicerLayoutConventionalView)
    full_review(app, small_case())
    other = save_and_reopen("mrb")
    views = ReviewViews(other.scene, other.applicationLogic)
    views.reopen()
    views.restore()
    reopened = other.scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    assert reopened.GetViewArrangement() == layout.SlicerLayoutConventionalView


def test_a_scene_without_our_layout_keeps_its_own(
    loaded: CaseFolder, save_and_reopen: Callable[[str], HeadlessSlicer]
) -> None:
    other = save_and_reopen("mrb")
    assert not ReviewViews(other.scene, other.applicationLogic).reopen()
    assert CaseFolder.all(other.scene)[0].annotators == loaded.annotators
