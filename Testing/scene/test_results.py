"""Results as nodes: what they hold, that showing again changes instead of adding, and that runs can be undone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Geometry
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.review import COLORBLIND, ReviewOptions, color_table, review_case
from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer
from NoisyLabelSegLib.scene.loading import loadCase
from NoisyLabelSegLib.scene.nodes import Role, run, runs, undoRun
from NoisyLabelSegLib.scene.offscreen import OffscreenView
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.results import ResultNodes, chooseErrorColors
from NoisyLabelSegLib.scene.segments import showSurface
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid
from NoisyLabelSegLib.scene.tables import rowsOf, showCurves

Node = Any


def ids(scene: Node) -> set[str]:
    return {node.GetID() for node in scene.GetNodes()}


def show_everything(folder: CaseFolder, case: Case) -> None:
    labels = {name: case.labels(name) for name in case.annotators}
    fusion = fuse(list(labels.values()), "staple", 2)
    results = ResultNodes(folder, case.geometry)
    results.truth(fusion.labels)
    results.probability(fusion.probabilities)
    results.review(review_case(labels, fusion.labels, case.geometry, settings=ReviewOptions(smallest_depth=0)))
    results.expectedErrors("reader1", np.zeros((3, *case.geometry.shape), np.float32))
    showCurves(folder, "loss", ("step", [1, 2]), {"train": [2.0, 1.0], "validate": [3.0, 2.0]})


def test_the_truth_comes_back_from_its_segmentation(loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    geometry = small_case().geometry
    labels = np.random.default_rng(0).integers(0, 3, geometry.shape, dtype=np.uint8)
    classes = ("background", "tumor", "edema")
    node = ResultNodes(loaded, geometry, classes).truth(labels)
    found = labelsOnGrid(AnnotatorSource("truth", node), loaded.image, classes)
    np.testing.assert_array_equal(found.labels, labels)
    assert [node.GetSegmentation().GetNthSegment(index).GetName() for index in range(2)] == ["tumor", "edema"]


def test_a_probability_is_the_same_in_many_steps_and_there_is_no_node_before_the_last(
    loaded: CaseFolder, small_case: Callable[..., Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("NoisyLabelSegLib.scene.arrays.VOXELS_AT_ONCE", 1)
    case = small_case()
    fusion = fuse([case.labels(name) for name in case.annotators], "mean", 2)
    work = ResultNodes(loaded, case.geometry).showingProbability(lambda few: fusion.probability(0, few))
    for _ in range(case.geometry.shape[0]):
        next(work)
        assert loaded.find(Role.PROBABILITY) is None
    with pytest.raises(StopIteration):
        next(work)
    node = loaded.find(Role.PROBABILITY)
    np.testing.assert_allclose(arrayOf(node), fusion.probability(1), atol=1e-6)
    assert not case.geometry.differences(geometryOf(node))


def test_the_truth_can_be_exported_on_the_whole_grid_of_the_image(scene: Node, loaded: CaseFolder) -> None:
    import slicer

    labels = np.zeros((8, 10, 12), np.uint8)
    labels[3, 4, 5] = 1
    node = ResultNodes(loaded, geometryOf(loaded.image)).truth(labels)
    exported = scene.AddNewNodeByClass("vtkMRMLLabelMapVolumeNode")
    logic = slicer.vtkSlicerSegmentationsModuleLogic
    assert logic.ExportAllSegmentsToLabelmapNode(node, exported, slicer.vtkSegmentation.EXTENT_REFERENCE_GEOMETRY)
    np.testing.assert_array_equal(arrayOf(exported), labels)
    assert not geometryOf(loaded.image).differences(geometryOf(exported))


def test_the_surface_is_made_on_demand(loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    labels = small_case().labels("reader1")
    node = ResultNodes(loaded, small_case().geometry).truth(labels)
    assert node.GetClosedSurfaceInternalRepresentation("class1") is None
    showSurface(node)
    bounds = node.GetClosedSurfaceInternalRepresentation("class1").GetBounds()
    assert node.GetDisplayNode().GetVisibility3D()
    assert bounds[4:] == pytest.approx((2 * 1.5, 2 * 5.5), abs=1.5)  # slices 2 to 5, 2 mm thick


def test_an_empty_truth_has_its_segment_and_no_voxels(loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    node = ResultNodes(loaded, small_case().geometry).truth(np.zeros((8, 10, 12), np.uint8))
    assert node.GetSegmentation().GetNumberOfSegments() == 1
    assert not labelsOnGrid(AnnotatorSource("truth", node), loaded.image).labels.any()


def test_showing_a_new_truth_changes_the_picture_and_keeps_what_people_set(
    loaded: CaseFolder, view: Callable[..., OffscreenView]
) -> None:
    results = ResultNodes(loaded, geometryOf(loaded.image))
    for annotator in loaded.nodes(Role.ANNOTATOR):
        annotator.GetDisplayNode().SetVisibility(False)
    labels = np.zeros((8, 10, 12), np.uint8)
    labels[:, 2:4, 2:4] = 1
    node = results.truth(labels)
    node.GetDisplayNode().SetSegmentOpacity2DOutline("class1", 0.9)
    red = view("Red")
    red.compositeNode.SetBackgroundVolumeID(loaded.image.GetID())
    red.fit()
    first = red.picture()
    labels[:, 2:4, 2:9] = 1
    assert results.truth(labels) is node
    assert (red.picture() != first).any()
    assert node.GetDisplayNode().GetSegmentOpacity2DOutline("class1") == 0.9


def test_a_truth_with_fewer_classes_leaves_no_segment_behind(loaded: CaseFolder) -> None:
    geometry = geometryOf(loaded.image)
    labels = np.random.default_rng(0).integers(0, 3, geometry.shape, dtype=np.uint8)
    node = ResultNodes(loaded, geometry, ("background", "tumor", "edema")).truth(labels)
    ResultNodes(loaded, geometry, ("background", "lesion")).truth(labels // 2)
    segmentation = node.GetSegmentation()
    assert [segmentation.GetSegment(id).GetName() for id in segmentation.GetSegmentIDs()] == ["lesion"]


def test_error_maps_lie_on_the_grid_of_the_image(loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    case = small_case()
    show_everything(loaded, case)
    for annotator in case.annotators:
        node = loaded.find(Role.ERRORS, annotator=annotator)
        assert not case.geometry.differences(geometryOf(node))
        assert set(np.unique(arrayOf(node))) <= {0, 1, 2, 3}


def test_the_table_of_statistics_has_a_row_per_annotator(loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    show_everything(loaded, small_case())
    rows = rowsOf(loaded.find(Role.STATISTICS))
    assert [row["annotator"] for row in rows] == ["reader1", "reader2", "reader3"]
    assert rows[1]["dice"] == 1.0  # the one in the middle is the truth
    assert rows[1]["largest_missed_mm3"] is None


def test_one_click_recolors_all_error_maps(loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    show_everything(loaded, small_case())
    chooseErrorColors(loaded, COLORBLIND)
    for node in loaded.nodes(Role.ERRORS):
        color = [0.0] * 4
        node.GetDisplayNode().GetColorNode().GetColor(2, color)
        assert color == pytest.approx(color_table(COLORBLIND)[2].rgba, abs=1 / 255)


def test_a_probability_is_drawn_between_0_and_1_and_not_where_nothing_is_likely(
    loaded: CaseFolder, small_case: Callable[..., Case]
) -> None:
    show_everything(loaded, small_case())
    display = loaded.find(Role.PROBABILITY).GetDisplayNode()
    assert (display.GetWindowLevelMin(), display.GetWindowLevelMax()) == (0, 1)
    assert display.GetApplyThreshold()
    assert display.GetLowerThreshold() == pytest.approx(0.05)


def test_curves_that_are_gone_leave_the_chart(loaded: CaseFolder) -> None:
    showCurves(loaded, "loss", ("step", [1, 2]), {"train": [2.0, 1.0], "validate": [3.0, 2.0]})
    chart = showCurves(loaded, "loss", ("step", [1, 2, 3]), {"train": [2.0, 1.0, 0.5]})
    assert chart.GetNumberOfPlotSeriesNodes() == 1
    assert len(loaded.nodes(Role.CURVE)) == 1
    assert [row["train"] for row in rowsOf(loaded.find(Role.CURVES, label="loss"))] == [2.0, 1.0, 0.5]


def test_showing_everything_twice_doubles_nothing(
    scene: Node, loaded: CaseFolder, small_case: Callable[..., Case]
) -> None:
    show_everything(loaded, small_case())
    before = ids(scene)
    show_everything(loaded, small_case())
    assert ids(scene) == before


def test_undoing_a_run_removes_exactly_what_it_added(
    scene: Node, loaded: CaseFolder, small_case: Callable[..., Case]
) -> None:
    before, items = ids(scene), scene.GetSubjectHierarchyNode().GetNumberOfItems()
    with run(scene) as first:
        ResultNodes(loaded, small_case().geometry).truth(small_case().labels("reader1"))
    between = ids(scene)
    with run(scene) as second:
        show_everything(loaded, small_case())
    assert runs(scene) == [first, second]
    undoRun(scene, second)
    assert ids(scene) == between
    undoRun(scene, first)
    assert ids(scene) == before
    assert scene.GetSubjectHierarchyNode().GetNumberOfItems() == items


def test_undoing_a_run_that_loaded_a_case_removes_its_folder(scene: Node, small_case: Callable[..., Case]) -> None:
    before, items = ids(scene), scene.GetSubjectHierarchyNode().GetNumberOfItems()
    with run(scene) as name:
        show_everything(loadCase(scene, small_case()), small_case())
    undoRun(scene, name)
    assert ids(scene) == before
    assert scene.GetSubjectHierarchyNode().GetNumberOfItems() == items


def test_a_run_can_be_undone_after_the_scene_was_saved(
    app: HeadlessSlicer,
    loaded: CaseFolder,
    small_case: Callable[..., Case],
    save_and_reopen: Callable[[str], HeadlessSlicer],
) -> None:
    with run(app.scene) as name:
        show_everything(loaded, small_case())
    other = save_and_reopen("mrb")
    undoRun(other.scene, name)
    (folder,) = CaseFolder.all(other.scene)
    assert {Role.IMAGE, Role.ANNOTATOR} == {role for role in Role if folder.nodes(role)}


def test_two_runs_share_their_color_table(scene: Node, loaded: CaseFolder, small_case: Callable[..., Case]) -> None:
    results = ResultNodes(loaded, small_case().geometry)
    codes = np.zeros((8, 10, 12), np.uint8)
    with run(scene) as first:
        results.errors("reader1", codes)
    with run(scene):
        results.errors("reader2", codes)
    undoRun(scene, first)
    assert loaded.find(Role.ERRORS, annotator="reader1") is None
    assert loaded.find(Role.ERRORS, annotator="reader2").GetDisplayNode().GetColorNode().GetColorName(3) == "Too much"


def test_a_picture_is_a_volume_of_one_slice(scene: Node, small_case: Callable[..., Case]) -> None:
    case = small_case(2, geometry=Geometry.plain((1, 10, 12)))
    flat = Case("flat", (case.images[0],), classes=2)
    folder = loadCase(scene, flat)
    node = ResultNodes(folder, Geometry.plain((10, 12), (0.5, 0.25))).errors("a", np.ones((10, 12), np.uint8))
    assert arrayOf(node).shape == (1, 10, 12)
    assert node.GetSpacing() == (0.5, 0.25, 1.0)
