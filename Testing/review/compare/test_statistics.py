"""Every figure by hand, and every corner where a figure does not exist."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion.leave_one_out import FusedFrom, leave_one_out
from NoisyLabelSegLib.review import ALL_CLASSES, AnnotatorStatistics, ReviewOptions, review_case

Ball = Callable[..., NDArray[np.uint8]]


def only(drawn: np.ndarray, truth: np.ndarray, geometry: Geometry | None = None) -> AnnotatorStatistics:
    geometry = geometry or Geometry.plain(truth.shape)
    return review_case({"r": drawn}, truth, geometry).statistics[0]


def test_a_line_of_voxels_counted_by_hand() -> None:
    truth = np.array([[0, 1, 1, 1, 1, 0, 0, 0, 0, 0]], np.uint8)
    drawn = np.array([[0, 0, 1, 1, 1, 1, 1, 0, 0, 0]], np.uint8)
    row = only(drawn, truth, Geometry.plain((1, 10), (2.0, 5.0)))
    assert row.dice == pytest.approx(6 / 9)
    assert row.sensitivity == pytest.approx(3 / 4)
    # Within 10 mm of a mark lie 16 pixels of the row itself, 14 of each neighboring row and 6 of each next one.
    assert row.specificity == pytest.approx((56 - 4 - 2) / (56 - 4))
    assert row.precision == pytest.approx(3 / 5)
    assert (row.volume_ml, row.truth_volume_ml) == (0.05, 0.04)
    assert row.volume_bias_ml == pytest.approx(0.01)
    assert row.volume_bias_percent == pytest.approx(25)
    assert (row.missed_ml, row.extra_ml) == (0.01, 0.02)


@pytest.mark.parametrize("radius", [10, 15, 20])
def test_a_sphere_drawn_2_mm_too_large_on_anisotropic_voxels(ball: Ball, radius: float) -> None:
    geometry = Geometry.plain((32, 90, 90), (0.7, 0.7, 2.5))
    center = (16.2, 44.6, 45.1)
    truth, drawn = ball(geometry, center, radius), ball(geometry, center, radius + 2)
    row = only(drawn, truth, geometry)
    assert row.boundary_bias_mm == pytest.approx(2, abs=0.35)
    assert row.sensitivity == 1
    extra = 4 / 3 * np.pi * ((radius + 2) ** 3 - radius**3) / 1000
    assert row.extra_ml == pytest.approx(extra, rel=0.01)


def test_nothing_against_nothing_agrees() -> None:
    row = only(np.zeros((3, 4), np.uint8), np.zeros((3, 4), np.uint8))
    assert (row.dice, row.hd95_mm, row.surface_distance_mm) == (1, 0, 0)
    assert (row.sensitivity, row.specificity, row.precision, row.volume_bias_percent) == (None,) * 4
    assert row.boundary_bias_mm is None


def test_nothing_drawn_has_no_distance() -> None:
    row = only(np.zeros((3, 4), np.uint8), np.ones((3, 4), np.uint8))
    assert (row.dice, row.sensitivity, row.specificity, row.missed_objects) == (0, 0, 1, 1)
    assert (row.precision, row.hd95_mm, row.boundary_bias_mm) == (None,) * 3


def test_something_drawn_where_nothing_is_has_no_sensitivity() -> None:
    row = only(np.ones((3, 4), np.uint8), np.zeros((3, 4), np.uint8))
    assert (row.dice, row.precision, row.invented_objects) == (0, 0, 1)
    assert row.specificity == pytest.approx(1 - 12 / 428)  # 428 pixels lie within 10 of the 3 x 4 marked ones
    assert (row.sensitivity, row.volume_bias_percent, row.hd95_mm) == (None,) * 3


def test_lesions_are_counted_one_by_one() -> None:
    truth, drawn = np.zeros((2, 20, 30), np.uint8)
    truth[2:4, 2:4] = truth[2:5, 10:13] = truth[10:12, 2:4] = 1
    drawn[2:5, 10:13] = drawn[15:18, 20:25] = 1
    row = only(drawn, truth)
    assert (row.objects, row.missed_objects, row.drawn_objects, row.invented_objects) == (3, 2, 2, 1)
    assert row.largest_missed_mm3 == 4


def test_a_speck_is_no_object_unless_asked_for() -> None:
    truth, drawn = np.zeros((2, 10, 10), np.uint8)
    truth[2:5, 2:5] = drawn[2:5, 2:5] = truth[8, 8] = 1
    assert only(drawn, truth).objects == 1
    settings = ReviewOptions(smallest_object=1)
    assert (
        review_case({"r": drawn}, truth, Geometry.plain((10, 10)), settings=settings).statistics[0].missed_objects == 1
    )


def test_objects_match_by_a_tenth_of_the_smaller_one() -> None:
    truth, drawn = np.zeros((2, 1, 40), np.uint8)
    truth[0, :20] = 1
    drawn[0, 19:39] = 1
    assert only(drawn, truth).missed_objects == 1
    drawn[0, 18] = 1
    assert only(drawn, truth).missed_objects == 0


def test_classes_are_compared_apart_and_together() -> None:
    truth, drawn = np.array([[0, 1, 1, 2, 2, 2]], np.uint8), np.array([[0, 1, 2, 2, 2, 0]], np.uint8)
    review = review_case(
        {"r": drawn}, truth, Geometry.plain((1, 6)), classes=("background", "core", "edema"), mistakes=False
    )
    dice = {row.label: row.dice for row in review.of("r")}
    assert dice == {"core": pytest.approx(2 / 3), "edema": pytest.approx(4 / 6), ALL_CLASSES: pytest.approx(8 / 9)}
    assert [round(1000 * row.wrong_class_ml) for row in review.of("r")] == [1, 0, 1]
    assert review.confusion["r"][:, 1:].tolist() == [[0, 1], [1, 0], [1, 2]]
    assert review.confusion["r"][1:, 0].tolist() == [0, 0]


def test_confusion_counts_background_within_10_mm_of_anything_marked() -> None:
    truth = np.zeros((20, 20, 20), np.uint8)
    truth[10, 10, 10] = 1
    review = review_case({"r": truth}, truth, Geometry.plain(truth.shape))
    assert review.confusion["r"].tolist() == [[4168, 0], [0, 1]]  # 4169 points of a grid lie in a ball of radius 10


def test_no_figure_depends_on_empty_margin(ball: Ball) -> None:
    geometry = Geometry.plain((30, 60, 60), (0.8, 0.8, 2.5))
    truth, drawn = ball(geometry, (14, 30, 28), 9), ball(geometry, (15, 31, 29), 10)
    box = np.s_[8:22, 15:47, 13:45]
    whole = review_case({"r": drawn}, truth, geometry, mistakes=False)
    crop = Geometry.plain(truth[box].shape, geometry.spacing)
    cut = review_case({"r": drawn[box].copy()}, truth[box].copy(), crop, mistakes=False)
    assert cut.statistics == whole.statistics
    assert cut.confusion["r"].tolist() == whole.confusion["r"].tolist()


def test_dice_to_the_others_stands_beside_the_dice_to_a_fusion() -> None:
    labels = {"a": [[1, 1, 1, 0]], "b": [[0, 1, 1, 0]], "c": [[0, 1, 0, 0]]}
    arrays = {name: np.array(array, np.uint8) for name, array in labels.items()}
    votes = Votes(list(arrays.values()), names=tuple(arrays))
    origin = FusedFrom.of(votes, leave_one_out(votes, "majority"))
    fused = votes.fuse("majority").labels
    review = review_case(arrays, fused, Geometry.plain((1, 4)), fused_from=origin)
    assert [row.dice for row in review.statistics] == [pytest.approx(4 / 5), 1, pytest.approx(2 / 3)]
    # Without a the others tie in one pixel, which is background; without c, a and b agree in two.
    assert [row.dice_leave_one_out for row in review.statistics] == [
        pytest.approx(2 / 4),
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    ]
    assert {row.fused_from for row in review.statistics} == {3}
    known = review_case(arrays, fused, Geometry.plain((1, 4)))
    assert {(row.dice_leave_one_out, row.fused_from) for row in known.statistics} == {(None, None)}


def test_whoever_is_not_in_the_fusion_is_compared_with_it_as_it_is() -> None:
    a, b, c = (np.array([array], np.uint8) for array in ([1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0]))
    votes = Votes([a, b], names=("a", "b"))
    origin = FusedFrom.of(votes, leave_one_out(votes, "majority"))
    review = review_case({"a": a, "b": b, "c": c}, a, Geometry.plain((1, 4)), fused_from=origin)
    assert [row.dice_leave_one_out for row in review.statistics] == [1, 1, 0.5]
    assert [row.fused_from for row in review.statistics] == [2, 2, None]


def test_agreement_is_dice_between_annotators() -> None:
    a, b = np.array([[1, 1, 0, 0]], np.uint8), np.array([[0, 1, 1, 0]], np.uint8)
    review = review_case({"a": a, "b": b}, a, Geometry.plain((1, 4)))
    assert review.of("a")[0].agreement == {"b": 0.5}
    assert review.of("b")[0].agreement == {"a": 0.5}


@pytest.mark.parametrize("kind", [bool, np.int64, np.uint16])
def test_labels_of_any_number_type_can_be_reviewed(kind: type) -> None:
    truth = np.zeros((9, 9), np.uint8)
    truth[2:7, 2:7] = 1
    review = review_case({"r": np.roll(truth, 2).astype(kind)}, truth.astype(kind), Geometry.plain((9, 9)))
    assert review.statistics[0].dice == pytest.approx(0.6)
    assert len(review.mistakes) == 2


def test_nobody_to_review_is_no_error() -> None:
    review = review_case({}, np.ones((3, 3), np.uint8), Geometry.plain((3, 3)))
    assert (review.statistics, review.mistakes, review.error_maps) == ((), (), {})


def test_error_maps_cover_the_volume_though_only_a_part_is_looked_at() -> None:
    truth, drawn = np.zeros((2, 6, 7, 8), np.uint8)
    truth[2, 3, 4] = drawn[5, 6, 7] = 1
    codes = review_case({"r": drawn}, truth, Geometry.plain(truth.shape)).error_maps["r"]
    assert codes.shape == truth.shape
    assert (codes[2, 3, 4], codes[5, 6, 7], np.count_nonzero(codes)) == (2, 3, 2)
