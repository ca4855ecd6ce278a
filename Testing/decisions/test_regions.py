"""Disagreements are found, described and found again."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.decisions import Region, find_disagreements
from NoisyLabelSegLib.errors import UserError

GRID = Geometry((4, 10, 10), (2.0, 1.0, 3.0), (10.0, -20.0, 5.0), (1, 0, 0, 0, 1, 0, 0, 0, 1))


def drawn(*boxes: tuple[slice, ...]) -> np.ndarray:
    labels = np.zeros(GRID.shape, dtype=np.uint8)
    for box in boxes:
        labels[box] = 1
    return labels


BIG = np.s_[1:3, 2:6, 2:6]
SMALL = np.s_[1:2, 8:9, 8:9]


def test_regions_come_largest_first_with_size_place_and_groups() -> None:
    labels = {"a": drawn(BIG, SMALL), "b": drawn(SMALL), "c": drawn()}
    found = find_disagreements(labels, drawn(), GRID)
    assert len(found) == 2
    first, second = found[1], found[2]
    assert (first.kind, first.region.voxels, first.size) == ("object", 32, 32 * 6.0)
    assert first.groups == (("b", "c"), ("a",))
    assert first.slices == (2, 3)
    assert second.groups == (("a", "b"), ("c",))
    # Voxel x=8, y=8, z=1: LPS (26, -12, 8), RAS (-26, 12, 8).
    assert second.region.center_ras == (-26.0, 12.0, 8.0)
    assert second.region.bounds == (-26.0, -26.0, 12.0, 12.0, 8.0, 8.0)


def test_a_rim_beside_a_common_object_is_a_border() -> None:
    wide, tight = drawn(np.s_[1:3, 2:8, 2:8]), drawn(np.s_[1:3, 3:7, 3:7])
    found = find_disagreements({"wide": wide, "tight": tight}, tight, GRID)
    assert [found[1].kind, len(found)] == ["border", 1]


def test_different_classes_of_the_same_object_are_a_class_disagreement() -> None:
    one = drawn(BIG)
    found = find_disagreements({"one": one, "two": one * 2}, one, GRID)
    assert found[1].kind == "class"


def test_where_the_reference_alone_differs_there_is_a_region() -> None:
    labels = {"a": drawn(BIG), "b": drawn(BIG)}
    assert len(find_disagreements(labels, drawn(), GRID)) == 1
    assert len(find_disagreements(labels, drawn(BIG), GRID)) == 0


def test_voxels_on_which_enough_annotators_agree_need_no_decision() -> None:
    labels = {"a": drawn(BIG), "b": drawn(BIG), "c": drawn(BIG), "d": drawn(SMALL)}
    found = find_disagreements(labels, drawn(), GRID, agreed_share=0.75)
    assert len(found) == 0
    assert found.base.sum() == 32  # three of four marked the large object, one of four the small one


def test_corners_connect_at_26_and_not_at_6() -> None:
    touching = drawn(np.s_[1:2, 2:4, 2:4], np.s_[2:3, 4:6, 4:6])
    labels = {"a": touching, "b": drawn()}
    assert len(find_disagreements(labels, drawn(), GRID)) == 1
    assert len(find_disagreements(labels, drawn(), GRID, connectivity=6)) == 2


def test_every_region_is_found_again_by_its_description() -> None:
    labels = {"a": drawn(BIG, SMALL), "b": drawn()}
    found = find_disagreements(labels, drawn(), GRID)
    assert [found.find(found[number].region) for number in (1, 2)] == [1, 2]
    shell = Region((999.0, 0.0, 0.0), found[1].region.voxels, found[1].region.bounds)
    assert found.find(shell) == 1  # a center that is outside, as the centroid of a rim can be
    assert found.find(Region(found[1].region.center_ras, 31)) is None
    assert found.find(Region((999.0, 0.0, 0.0))) is None


def test_pictures_have_regions_too() -> None:
    flat = np.zeros((5, 5), dtype=np.uint8)
    marked = flat.copy()
    marked[1, 3] = 1
    found = find_disagreements({"a": flat, "b": marked}, flat, Geometry.plain((5, 5)))
    assert found[1].region.center_ras == (-3.0, -1.0, 0.0)
    assert found.find(found[1].region) == 1


def test_a_case_without_labels_is_refused() -> None:
    with pytest.raises(UserError, match="Nobody labeled"):
        find_disagreements({}, drawn(), GRID)
