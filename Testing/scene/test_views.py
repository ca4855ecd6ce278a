"""One view per annotator at the same place, each with its own errors; and the way back."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.review import DEFAULT_COLORS, ErrorCode, color_table
from NoisyLabelSegLib.scene.colors import showLegend
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.layout import VIEW_GROUP, nodesOfClass, viewName
from NoisyLabelSegLib.scene.nodes import CORNER_TEXT, Role
from NoisyLabelSegLib.scene.offscreen import OffscreenView
from NoisyLabelSegLib.scene.places import positionOf
from NoisyLabelSegLib.scene.placing import rasOf
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.scene.tables import rowsOf
from NoisyLabelSegLib.scene.views import ReviewViews
from Testing.scene.majority_review import majority_review

Node = Any


def reviewed(scene: Node, case: Case) -> CaseFolder:
    """Loads a case on a black image, and shows its majority vote and everyone's errors."""
    folder, _, _ = majority_review(scene, case)
    folder.image.GetDisplayNode().AutoWindowLevelOff()
    folder.image.GetDisplayNode().SetWindowLevelMinMax(30000, 30001)
    for node in folder.nodes(Role.TRUTH, Role.ANNOTATOR):
        node.GetDisplayNode().SetVisibility(False)
    return folder


def color_at(view: OffscreenView, picture: Any, geometry: Geometry, index: tuple[int, int, int]) -> Any:
    row, column = view.pixelOf(rasOf(tuple(geometry.points(index))))
    return picture[row, column]


@pytest.mark.parametrize("count", [1, 2, 4, 5, 9])
def test_every_annotator_has_a_view_with_only_the_own_errors_at_the_same_place(
    count: int, app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    case = small_case(count)
    folder = reviewed(app.scene, case)
    views = ReviewViews(app.scene, app.applicationLogic)
    views.showEach(folder)
    opened = [view(viewName(index), (120, 120)) for index in range(count)]
    views.fit()
    for node in folder.nodes(Role.ERRORS):
        showLegend(node, visible=False)  # it may cover the voxels looked at
    assert len({each.node.GetSliceOffset() for each in opened}) == 1
    assert [each.node.GetAttribute(CORNER_TEXT) for each in opened] == list(case.annotators)
    slice_ = round(case.geometry.indices((0, 0, opened[0].node.GetSliceOffset()))[0])
    for annotator, each in zip(case.annotators, opened, strict=True):
        codes = folder.find(Role.ERRORS, annotator=annotator)
        assert each.compositeNode.GetLabelVolumeID() == codes.GetID()
        picture = each.picture()
        for x in range(1, 11):
            *rgb, alpha = color_table(DEFAULT_COLORS)[_code(codes, slice_, 4, x)].rgba
            shown = color_at(each, picture, case.geometry, (slice_, 4, x))
            np.testing.assert_allclose(shown, np.array(rgb) * alpha * 255, atol=2, err_msg=f"{annotator} at x = {x}")


@pytest.mark.parametrize("orientation", ["Axial", "Coronal", "Sagittal"])
def test_an_oblique_volume_is_shown_in_its_own_slices(
    orientation: str, app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    cosine, sine = np.cos(0.4), np.sin(0.4)
    tilted = (-cosine, 0, sine, 0, 1, 0, sine, 0, cosine)
    case = small_case(2, geometry=Geometry((8, 10, 12), (1.0, 1.0, 2.0), (40.0, -30.0, 7.0), tilted))
    folder = reviewed(app.scene, case)
    views = ReviewViews(app.scene, app.applicationLogic)
    views.showEach(folder, planes=(orientation,))
    opened = view(viewName(1), (240, 240))
    views.fit()
    views.jumpTo(folder, case.geometry.points((4, 4, 5)).tolist(), centered=False)
    codes, picture = folder.find(Role.ERRORS, annotator="reader2"), opened.picture()
    free = {"Axial": (1, 2), "Coronal": (0, 2), "Sagittal": (0, 1)}[orientation]  # the array's axes in the slice
    for first, second in itertools.product(range(2, 6), range(3, 7)):
        index = [4, 4, 5]
        index[free[0]], index[free[1]] = first, second
        *rgb, alpha = color_table(DEFAULT_COLORS)[_code(codes, *index)].rgba
        shown = color_at(opened, picture, case.geometry, tuple(index))
        np.testing.assert_allclose(shown, np.array(rgb) * alpha * 255, atol=2, err_msg=str(index))


def _code(node: Node, z: int, y: int, x: int) -> ErrorCode:
    return ErrorCode(int(node.GetImageData().GetScalarComponentAsDouble(x, y, z, 0)))


def test_the_views_are_linked_among_themselves_only(app: HeadlessSlicer, loaded: CaseFolder) -> None:
    ReviewViews(app.scene, app.applicationLogic).showEach(loaded)
    groups = {node.GetLayoutName(): node.GetViewGroup() for node in nodesOfClass(app.scene, "vtkMRMLSliceNode")}
    assert {groups.pop(viewName(index)) for index in range(3)} == {VIEW_GROUP}
    assert VIEW_GROUP not in groups.values()
    composites = [app.scene.GetNodeByID(f"vtkMRMLSliceCompositeNode{viewName(index)}") for index in range(3)]
    assert all(node.GetLinkedControl() for node in composites)


def test_annotators_outlines_stay_in_slicers_own_views(app: HeadlessSlicer, loaded: CaseFolder) -> None:
    ReviewViews(app.scene, app.applicationLogic).showEach(loaded)
    for node in loaded.nodes(Role.ANNOTATOR):
        assert node.GetDisplayNode().GetVisibility("vtkMRMLSliceNodeRed")
        assert not node.GetDisplayNode().GetVisibility(f"vtkMRMLSliceNode{viewName(0)}")


def test_showing_the_same_views_again_stays_at_the_place(
    app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    folder = reviewed(app.scene, small_case(2))
    views = ReviewViews(app.scene, app.applicationLogic)
    views.showEach(folder)
    opened = view(viewName(0))
    views.fit()
    views.jumpTo(folder, (3.0, 4.0, 6.0))
    place = opened.node.GetSliceOffset()
    views.showEach(folder)
    assert opened.node.GetSliceOffset() == place
    views.showEach(folder, planes=("Coronal",))
    assert opened.node.GetOrientation() == "Coronal"


def test_names_and_legend_are_drawn(
    app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    folder = reviewed(app.scene, small_case(2))
    ReviewViews(app.scene, app.applicationLogic).showEach(folder)
    first, second = view(viewName(0), (200, 200)), view(viewName(1), (200, 200))
    for each in (first, second):
        each.fit()
    corner = (slice(0, 20), slice(0, 60))
    assert first.picture()[corner].any()
    legend = (slice(130, 200), slice(180, 200))
    swatches = {tuple(color) for color in first.picture()[legend].reshape(-1, 3).tolist()}
    assert (204, 56, 0) in swatches
    assert (102, 199, 255) in swatches
    assert not second.picture()[legend].any()


def test_another_number_of_annotators_makes_another_layout(app: HeadlessSlicer, loaded: CaseFolder) -> None:
    views = ReviewViews(app.scene, app.applicationLogic)
    layout = app.scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    views.showEach(loaded)
    assert layout.GetCurrentLayoutDescription().count("<view ") == 3
    views.showEach(loaded, ["reader2"])
    assert layout.GetCurrentLayoutDescription().count("<view ") == 1
    assert app.scene.GetNodeByID(f"vtkMRMLSliceNode{viewName(0)}").GetAttribute(CORNER_TEXT) == "reader2"


def test_a_case_without_annotators_is_refused(app: HeadlessSlicer) -> None:
    with pytest.raises(UserError, match=r"Case empty has no annotators to show"):
        ReviewViews(app.scene, app.applicationLogic).showEach(CaseFolder(app.scene, "empty"))


def test_jumping_to_a_mistake_shows_it_in_the_middle_of_all_views(
    app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    case = small_case(
        3, geometry=Geometry((8, 10, 12), (1.0, 1.0, 2.0), (5.0, -7.0, 3.0), (-1, 0, 0, 0, -1, 0, 0, 0, 1))
    )
    folder = reviewed(app.scene, case)
    views = ReviewViews(app.scene, app.applicationLogic)
    mistake = rowsOf(folder.find(Role.MISTAKES))[0]
    red, green = view("Red", (100, 100)), view("Green", (100, 100))
    views.showOne(folder, mistake["annotator"])
    showLegend(folder.find(Role.ERRORS, annotator=mistake["annotator"]), visible=False)
    for each in (red, green):
        each.fit()
    ras = views.jumpTo(folder, positionOf(mistake))
    crosshair = app.scene.GetFirstNodeByClass("vtkMRMLCrosshairNode")
    assert crosshair.GetCrosshairRAS() == pytest.approx(ras)
    assert crosshair.GetCrosshairMode() == crosshair.ShowSmallBasic
    code = ErrorCode.FALSE_POSITIVE if mistake["kind"] == "border too wide" else ErrorCode.FALSE_NEGATIVE
    *rgb, alpha = color_table(DEFAULT_COLORS)[code].rgba
    for each in (red, green):
        np.testing.assert_allclose(each.picture()[53, 53], np.array(rgb) * alpha * 255, atol=2)  # beside the crosshair


def test_jumping_follows_the_transform_of_the_image(app: HeadlessSlicer, loaded: CaseFolder) -> None:
    import vtk

    transform, matrix = app.scene.AddNewNodeByClass("vtkMRMLLinearTransformNode"), vtk.vtkMatrix4x4()
    matrix.SetElement(2, 3, 100.0)
    transform.SetMatrixTransformToParent(matrix)
    loaded.image.SetAndObserveTransformNodeID(transform.GetID())
    ras = ReviewViews(app.scene, app.applicationLogic).jumpTo(loaded, (1.0, 2.0, 3.0))
    assert ras == (-1.0, -2.0, 103.0)


def test_the_confidence_overlay_differs_where_the_estimate_is_in_doubt(
    app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    case = small_case(1)
    folder = reviewed(app.scene, case)
    foreground = np.zeros(case.geometry.shape, np.float32)
    foreground[4, 4, 4], foreground[4, 4, 8] = 1.0, 0.5
    ResultNodes(folder, case.geometry).probability(np.stack([1 - foreground, foreground]))
    red = view("Red", (240, 200))
    red.compositeNode.SetBackgroundVolumeID(folder.image.GetID())
    red.fit()
    views = ReviewViews(app.scene, app.applicationLogic)
    views.jumpTo(folder, case.geometry.points((4, 5, 6)).tolist(), mark=False)
    views.showConfidence(folder)
    picture = red.picture()
    sure, unsure, none = (color_at(red, picture, case.geometry, (4, 4, x)) for x in (4, 8, 6))
    np.testing.assert_allclose(sure, 0.4 * 255 * np.array([1.0, 0.95, 0.2]), atol=3)
    np.testing.assert_allclose(unsure, 0.8 * 255 * np.array([0.95, 0.25, 0.85]), atol=3)
    assert not none.any()
    views.showConfidence(folder, visible=False)
    assert not red.picture()[30:, 30:].any()  # but for the letters at the edges
    assert folder.find(Role.CONFIDENCE) is None


def test_a_heat_map_lies_over_the_image_where_something_is_likely(
    app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    case = small_case(1)
    folder = reviewed(app.scene, case)
    expected = np.zeros((3, *case.geometry.shape), np.float32)
    expected[0, :, 4, 4], expected[0, :, 4, 8] = 1.0, 0.02
    (tooMuch, _) = ResultNodes(folder, case.geometry).expectedErrors("reader1", expected)
    tooMuch.GetDisplayNode().SetInterpolate(False)
    red = view("Red", (240, 200))
    red.compositeNode.SetBackgroundVolumeID(folder.image.GetID())
    red.fit()
    views = ReviewViews(app.scene, app.applicationLogic)
    views.showHeatMap(tooMuch, opacity=0.5)
    picture = red.picture()
    np.testing.assert_allclose(color_at(red, picture, case.geometry, (4, 4, 4)), [127, 125, 83], atol=3)
    assert not color_at(red, picture, case.geometry, (4, 4, 8)).any()
    assert picture[:90, 190:].any()  # the legend
    views.showHeatMap(None)
    assert not red.picture()[30:, 30:].any()


def test_leaving_the_review_restores_what_was_before(
    app: HeadlessSlicer, view: Callable[..., OffscreenView], small_case: Callable[..., Case]
) -> None:
    folder = reviewed(app.scene, small_case(2))
    layout = app.scene.GetFirstNodeByClass("vtkMRMLLayoutNode")
    arrangement = layout.GetViewArrangement()
    red = view("Red")
    red.compositeNode.SetBackgroundVolumeID(folder.find(Role.PROBABILITY).GetID())
    red.fit()
    offset = red.node.GetSliceOffset()
    before = red.picture()
    views = ReviewViews(app.scene, app.applicationLogic)
    views.showEach(folder)
    views.showOne(folder, "reader1")
    views.showConfidence(folder)
    views.jumpTo(folder, (1.0, 2.0, 3.0))
    assert (red.picture() != before).any()
    views.restore()
    assert layout.GetViewArrangement() == arrangement
    assert red.node.GetSliceOffset() == offset
    assert red.compositeNode.GetBackgroundVolumeID() == folder.find(Role.PROBABILITY).GetID()
    assert red.compositeNode.GetLabelVolumeID() is None
    assert (red.picture() == before).all()
    assert folder.find(Role.CONFIDENCE) is None
