"""Segments keep apart what overlaps and become labels where nothing does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image
from NoisyLabelSegLib.cases.segments import Segment, Segmentation
from NoisyLabelSegLib.errors import UserError

GRID = Geometry.plain((1, 1, 6))


def row(*values: int) -> np.ndarray:
    return np.array(values, bool).reshape(GRID.shape)


def test_masks_that_do_not_meet_share_a_layer_and_others_get_their_own():
    masks = [
        (Segment("a", 1), row(1, 1, 0, 0, 0, 0)),
        (Segment("b", 2), row(0, 1, 1, 0, 0, 0)),
        (Segment("c", 3), row(0, 0, 0, 1, 0, 0)),
    ]
    segmentation = Segmentation.from_masks(GRID, masks)
    assert [segment.layer for segment in segmentation.segments] == [0, 1, 0]
    for segment, (_, mask) in zip(segmentation.segments, masks, strict=True):
        np.testing.assert_array_equal(segmentation.mask(segment), mask)


def test_overlap_is_told_by_voxels_and_not_by_the_number_of_layers():
    layers = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0]], np.uint8).reshape(2, *GRID.shape)
    segments = (Segment("a", 1, 0), Segment("b", 1, 1))
    assert not Segmentation(GRID, layers, segments).overlap
    layers[1, 0, 0, 1] = 1
    assert Segmentation(GRID, layers, segments).overlap
    layers[1, 0, 0, 1] = 9  # a value that no segment names
    assert not Segmentation(GRID, layers, segments).overlap


def test_labels_keep_the_values_of_the_file_where_each_segment_has_its_own():
    layers = np.array([[0, 2, 2, 7, 0, 3]], np.uint8).reshape(1, *GRID.shape)
    segmentation = Segmentation(GRID, layers, (Segment("a", 2), Segment("b", 7)))
    assert segmentation.as_labels().array.ravel().tolist() == [0, 2, 2, 7, 0, 0]
    assert segmentation.as_labels().array.dtype == np.uint8


def test_labels_are_numbered_in_order_where_layers_repeat_values_or_exceed_255():
    layers = np.array([[1, 1, 0, 0, 0, 0], [0, 0, 1, 300, 0, 0]], np.uint16).reshape(2, *GRID.shape)
    segments = (Segment("a", 1, 0), Segment("b", 1, 1), Segment("c", 300, 1))
    assert Segmentation(GRID, layers, segments).as_labels().array.ravel().tolist() == [1, 1, 2, 3, 0, 0]


def test_labels_can_be_numbered_by_name():
    layers = np.array([[1, 2, 2, 0, 0, 0]], np.uint8).reshape(1, *GRID.shape)
    segmentation = Segmentation(GRID, layers, (Segment("liver", 1), Segment("lung", 2)))
    assert segmentation.as_labels({"lung": 1, "liver": 5}).array.ravel().tolist() == [5, 1, 1, 0, 0, 0]


def test_labels_become_segments_named_by_their_classes():
    labels = Image(np.array([0, 1, 1, 2, 0, 0], np.uint8).reshape(GRID.shape), GRID)
    segmentation = Segmentation.from_labels(labels, ["background", "liver", "lung"])
    assert [(segment.name, segment.value) for segment in segmentation.segments] == [("liver", 1), ("lung", 2)]
    np.testing.assert_array_equal(segmentation.as_labels().array, labels.array)


def test_overlapping_segments_cannot_become_labels():
    masks = [(Segment("a", 1), row(1, 1, 0, 0, 0, 0)), (Segment("b", 2), row(0, 1, 1, 0, 0, 0))]
    packed = Segmentation.from_masks(GRID, masks)
    named = Segmentation(GRID, packed.layers, packed.segments, Path("reader.seg.nrrd"))
    with pytest.raises(UserError, match=r"reader\.seg\.nrrd: has segments that overlap \(a, b\)"):
        named.as_labels()


def test_a_segmentation_without_segments_is_all_background():
    empty = Segmentation.from_masks(GRID, [])
    assert not empty.as_labels().array.any()
