"""Annotators' labels from any node, on the grid of the image; odd inputs are handled or refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vtk

from NoisyLabelSegLib.cases import Geometry, Image, resample
from NoisyLabelSegLib.cases.file_kinds import FileFormat
from NoisyLabelSegLib.cases.segments import read_segments
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid, segmentSources
from NoisyLabelSegLib.scene.volumes import SCALAR, VECTOR

Node = Any
GRID = Geometry((6, 8, 10), (1.0, 1.5, 2.0), (10.0, -5.0, 3.0), (-1, 0, 0, 0, -1, 0, 0, 0, 1))


def box() -> Any:
    labels = np.zeros(GRID.shape, dtype=np.uint8)
    labels[1:4, 2:6, 3:8] = 1
    return labels


@pytest.fixture
def image(add_image: Callable[..., Node]) -> Node:
    return add_image("MRHead", GRID)


def put_under(scene: Node, node: Node, transform: Any) -> Node:
    parent = scene.AddNewNodeByClass("vtkMRMLTransformNode")
    parent.SetAndObserveTransformToParent(transform)
    node.SetAndObserveTransformNodeID(parent.GetID())
    return parent


def moved_by(x: float, y: float, z: float) -> Any:
    transform = vtk.vtkTransform()
    transform.Translate(x, y, z)
    return transform


def test_a_labelmap_on_the_same_grid_is_taken_as_it_is(image: Node, add_volume: Callable[..., Node]) -> None:
    found = labelsOnGrid(AnnotatorSource("a", add_volume("labels", box(), GRID)), image)
    np.testing.assert_array_equal(found.labels, box())
    assert found.labels.dtype == np.uint8
    assert not found.remarks


def test_a_labelmap_on_another_grid_is_resampled_and_it_is_said(image: Node, add_volume: Callable[..., Node]) -> None:
    fine = Geometry((12, 16, 20), (0.5, 0.75, 1.0), GRID.origin, GRID.direction)
    labels = np.repeat(np.repeat(np.repeat(box(), 2, 0), 2, 1), 2, 2)
    found = labelsOnGrid(AnnotatorSource("a", add_volume("labels", labels, fine)), image)
    np.testing.assert_array_equal(found.labels, resample(Image(labels, fine), GRID).array)
    assert found.remarks == ["a: resampled onto the image, since its size is 20 x 16 x 12, not 10 x 8 x 6 voxels."]


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.float32, np.float64, np.uint16])
def test_whole_numbers_of_any_type_are_labels(dtype: Any, image: Node, add_volume: Callable[..., Node]) -> None:
    node = add_volume("labels", box().astype(dtype), GRID)
    found = labelsOnGrid(AnnotatorSource("a", node), image)
    np.testing.assert_array_equal(found.labels, box())
    assert found.labels.dtype == np.uint8


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.bool_])
def test_arrays_that_a_scene_cannot_hold_are_converted(
    dtype: Any, image: Node, add_volume: Callable[..., Node]
) -> None:
    node = add_volume("labels", box().astype(dtype), GRID)
    np.testing.assert_array_equal(labelsOnGrid(AnnotatorSource("a", node), image).labels, box())


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.full(GRID.shape, 0.5, np.float32), "labels has values with fractions, so it holds no labels; threshold it"),
        (np.full(GRID.shape, -3, np.int16), "labels has the label -3; labels are whole numbers from 0 to 255"),
        (np.full(GRID.shape, 300, np.int16), "labels has the label 300"),
        (np.full(GRID.shape, np.nan, np.float32), "labels has values with fractions"),
    ],
)
def test_what_cannot_be_labels_is_refused(
    array: Any, sentence: str, image: Node, add_volume: Callable[..., Node]
) -> None:
    with pytest.raises(UserError, match=sentence):
        labelsOnGrid(AnnotatorSource("a", add_volume("labels", array, GRID, kind=SCALAR)), image)


def test_a_volume_with_several_components_is_refused_as_labels(image: Node, add_volume: Callable[..., Node]) -> None:
    four = add_volume("perfusion", np.zeros((5, *GRID.shape), np.int16), GRID, kind=VECTOR)
    with pytest.raises(UserError, match="perfusion has 5 components per voxel, so it holds no labels"):
        labelsOnGrid(AnnotatorSource("a", four), image)


def test_a_volume_without_voxels_is_refused(scene: Node, image: Node) -> None:
    empty = scene.AddNewNodeByClass("vtkMRMLLabelMapVolumeNode", "nothing")
    with pytest.raises(UserError, match="nothing holds no voxels"):
        labelsOnGrid(AnnotatorSource("a", empty), image)


def test_a_node_of_another_kind_is_refused(scene: Node, image: Node) -> None:
    with pytest.raises(UserError, match="points is neither a labelmap nor a segmentation"):
        labelsOnGrid(AnnotatorSource("a", scene.AddNewNodeByClass("vtkMRMLTextNode", "points")), image)


def test_a_linear_transform_moves_the_labels(scene: Node, image: Node, add_volume: Callable[..., Node]) -> None:
    node = add_volume("labels", box(), GRID)
    put_under(scene, node, moved_by(2 * 1.0, 0, -2.0))  # RAS: two voxels of x, which runs to the right, one slice down
    expected = np.zeros_like(box())
    expected[0:3, 2:6, 5:10] = 1
    np.testing.assert_array_equal(labelsOnGrid(AnnotatorSource("a", node), image).labels, expected)


def test_a_transform_that_both_share_changes_nothing(
    scene: Node, image: Node, add_volume: Callable[..., Node], add_segmentation: Callable[..., Node]
) -> None:
    nodes = [add_volume("labels", box(), GRID), add_segmentation("segments", {"a": box()}, GRID)]
    parent = put_under(scene, image, a_bend())
    for node in nodes:
        node.SetAndObserveTransformNodeID(parent.GetID())
        found = labelsOnGrid(AnnotatorSource("a", node), image)
        np.testing.assert_array_equal(found.labels, box())
        assert not found.remarks


def a_bend() -> Any:
    """A transform that is not linear, but moves everything here by 2 mm to the right, nearly."""
    points, targets = vtk.vtkPoints(), vtk.vtkPoints()
    for x in (-100, 0, 100):
        for y in (-100, 0, 100):
            for z in (-100, 0, 100):
                points.InsertNextPoint(x, y, z)
                targets.InsertNextPoint(x + 2, y, z)
    spline = vtk.vtkThinPlateSplineTransform()
    spline.SetSourceLandmarks(points)
    spline.SetTargetLandmarks(targets)
    spline.SetBasisToR()
    return spline


def test_a_transform_that_is_not_linear_moves_the_labels_too(
    scene: Node, image: Node, add_volume: Callable[..., Node], add_segmentation: Callable[..., Node]
) -> None:
    expected = np.zeros_like(box())
    expected[1:4, 2:6, 5:10] = 1
    for node in (add_volume("labels", box(), GRID), add_segmentation("segments", {"a": box()}, GRID)):
        put_under(scene, node, a_bend())
        found = labelsOnGrid(AnnotatorSource("a", node), image)
        np.testing.assert_array_equal(found.labels, expected)


def test_the_node_itself_stays_where_it_is(scene: Node, image: Node, add_volume: Callable[..., Node]) -> None:
    node = add_volume("labels", box(), GRID)
    parent = put_under(scene, node, moved_by(1, 0, 0))
    before = {each.GetID() for each in scene.GetNodes()}
    labelsOnGrid(AnnotatorSource("a", node), image).labels[:] = 7
    assert node.GetParentTransformNode() is parent
    assert node.GetImageData().GetScalarRange() == (0.0, 1.0)
    assert {each.GetID() for each in scene.GetNodes()} == before


def test_a_segment_is_an_annotator(image: Node, add_segmentation: Callable[..., Node]) -> None:
    node = add_segmentation("readers", {"anna": box(), "ben": np.roll(box(), 1, axis=2)}, GRID)
    id = node.GetSegmentation().GetSegmentIdBySegmentName("ben")
    found = labelsOnGrid(AnnotatorSource("ben", node, id), image)
    np.testing.assert_array_equal(found.labels, np.roll(box(), 1, axis=2))


def test_a_segmentation_has_a_class_per_segment_by_name(image: Node, add_segmentation: Callable[..., Node]) -> None:
    inner = np.zeros_like(box())
    inner[2, 3, 4] = 1
    node = add_segmentation("a", {"edema": box() - inner, "tumor": inner}, GRID)
    found = labelsOnGrid(AnnotatorSource("a", node), image, ("background", "tumor", "edema"))
    np.testing.assert_array_equal(found.labels, 2 * (box() - inner) + inner)


def test_where_segments_overlap_the_later_one_stays_and_it_is_said(
    image: Node, add_segmentation: Callable[..., Node]
) -> None:
    inner = np.zeros_like(box())
    inner[2, 3, 4:6] = 1
    found = labelsOnGrid(AnnotatorSource("a", add_segmentation("a", {"edema": box(), "tumor": inner}, GRID)), image)
    np.testing.assert_array_equal(found.labels, box() + inner)
    assert found.remarks == ["a: segments overlap in 2 voxels, where the later segment is kept."]


def test_a_segment_of_an_unknown_class_is_refused(image: Node, add_segmentation: Callable[..., Node]) -> None:
    node = add_segmentation("a", {"tumor": box(), "cyst": box()}, GRID)
    with pytest.raises(UserError, match="a has a segment cyst, which is none of the classes tumor, edema"):
        labelsOnGrid(AnnotatorSource("a", node), image, ("background", "tumor", "edema"))


def test_an_empty_segmentation_marks_nothing_and_it_is_said(scene: Node, image: Node) -> None:
    node = scene.AddNewNodeByClass("vtkMRMLSegmentationNode", "empty")
    found = labelsOnGrid(AnnotatorSource("a", node), image)
    assert not found.labels.any()
    assert found.remarks == ["a: the segmentation empty has no segments."]


def test_an_empty_segment_marks_nothing(scene: Node, image: Node) -> None:
    node = scene.AddNewNodeByClass("vtkMRMLSegmentationNode", "empty")
    node.GetSegmentation().AddEmptySegment("one", "one")
    assert not labelsOnGrid(AnnotatorSource("a", node), image).labels.any()


def test_a_surface_is_turned_into_voxels(scene: Node, image: Node) -> None:
    centers = GRID.points(np.argwhere(box())) * (-1, -1, 1)  # RAS
    margin = 0.4 * np.array(GRID.spacing)
    low, high = centers.min(axis=0) - margin, centers.max(axis=0) + margin
    cube = vtk.vtkCubeSource()
    cube.SetBounds(low[0], high[0], low[1], high[1], low[2], high[2])
    cube.Update()
    node = scene.AddNewNodeByClass("vtkMRMLSegmentationNode", "contours")
    node.GetSegmentation().SetSourceRepresentationName("Closed surface")
    node.AddSegmentFromClosedSurfaceRepresentation(cube.GetOutput(), "a", [1, 0, 0])
    before = {each.GetID() for each in scene.GetNodes()}
    np.testing.assert_array_equal(labelsOnGrid(AnnotatorSource("a", node), image).labels, box())
    assert not node.GetSegmentation().ContainsRepresentation("Binary labelmap")
    assert {each.GetID() for each in scene.GetNodes()} == before


def test_a_segment_that_is_gone_is_refused(image: Node, add_segmentation: Callable[..., Node]) -> None:
    node = add_segmentation("readers", {"anna": box()}, GRID)
    with pytest.raises(UserError, match="readers has no segment ben any more"):
        labelsOnGrid(AnnotatorSource("ben", node, "ben"), image)


def test_what_lies_outside_the_image_is_cut_off(image: Node, add_segmentation: Callable[..., Node]) -> None:
    wide = Geometry((6, 8, 30), GRID.spacing, (20.0, -5.0, 3.0), GRID.direction)  # begins ten voxels before the image
    found = labelsOnGrid(AnnotatorSource("a", add_segmentation("a", {"a": np.ones(wide.shape)}, wide)), image)
    assert found.labels.all()
    aside = Geometry((6, 8, 10), GRID.spacing, (500.0, -5.0, 3.0), GRID.direction)
    found = labelsOnGrid(AnnotatorSource("a", add_segmentation("b", {"b": np.ones(aside.shape)}, aside)), image)
    assert not found.labels.any()


def test_axes_in_another_order_are_another_grid(add_volume: Callable[..., Node]) -> None:
    cube = Geometry.plain((6, 6, 6))
    other = Geometry((6, 6, 6), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0, 1, 0, 1, 0, 0, 0, 0, 1))
    labels = np.zeros((6, 6, 6), np.uint8)
    labels[0, 1, 2:5] = 1
    reference = add_volume("cube", labels, cube, kind=SCALAR)
    found = labelsOnGrid(AnnotatorSource("a", add_volume("labels", labels, other)), reference)
    np.testing.assert_array_equal(found.labels, labels.transpose(0, 2, 1))


def test_a_volume_of_one_slice_is_a_grid_like_any_other(
    add_volume: Callable[..., Node], add_segmentation: Callable[..., Node]
) -> None:
    flat = Geometry((1, 8, 10), (1.0, 1.5, 2.0), (10.0, -5.0, 3.0), GRID.direction)
    reference = add_volume("flat", np.zeros(flat.shape, np.int16), flat, kind=SCALAR)
    labels = box()[1:2]
    for node in (add_volume("labels", labels, flat), add_segmentation("segments", {"a": labels}, flat)):
        np.testing.assert_array_equal(labelsOnGrid(AnnotatorSource("a", node), reference).labels, labels)


def test_slicers_own_file_gives_the_same_voxels_through_a_node_and_through_our_reader(
    scene: Node, shared_data: Path
) -> None:
    folder = shared_data / "demo-volumes" / "ct-chest-slicer"
    nodes = []
    for kind, name in (("ScalarVolume", "CTChest4.nrrd"), ("Segmentation", "SegmentationOverlapping.seg.nrrd")):
        nodes.append(scene.AddNewNodeByClass(f"vtkMRML{kind}Node"))
        storage = nodes[-1].CreateDefaultStorageNode()
        storage.SetFileName(str(folder / name))
        assert storage.ReadData(nodes[-1])
    read = read_segments(folder / "SegmentationOverlapping.seg.nrrd", FileFormat.SEGMENTATION)
    sources = segmentSources(nodes[1])
    assert [source.name for source in sources] == [segment.name for segment in read.segments]
    for source, segment in zip(sources, read.segments, strict=True):
        np.testing.assert_array_equal(labelsOnGrid(source, nodes[0]).labels, read.mask(segment))
