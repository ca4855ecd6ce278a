"""Mistakes get the name a radiologist would give them, and a place one can jump to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review import Mistake, MistakeKind, ReviewOptions, review_case

Ball = Callable[..., NDArray[np.uint8]]
GRID = Geometry.plain((20, 60, 60), (0.7, 0.7, 2.5))


def mistakes_of(
    drawn: np.ndarray, truth: np.ndarray, geometry: Geometry = GRID, **settings: float
) -> tuple[Mistake, ...]:
    return review_case({"r": drawn}, truth, geometry, settings=ReviewOptions(**settings)).mistakes  # type: ignore[arg-type]


def test_a_shifted_sphere_gives_one_crescent_on_each_side(ball: Ball) -> None:
    truth, drawn = ball(GRID, (10, 30, 26), 10), ball(GRID, (10, 30, 32), 10)
    found = mistakes_of(drawn, truth)
    assert len(found) == 2
    by_kind = {mistake.kind: mistake for mistake in found}
    assert by_kind[MistakeKind.TOO_WIDE].side == "left"
    assert by_kind[MistakeKind.TOO_TIGHT].side == "right"
    assert by_kind[MistakeKind.TOO_WIDE].depth == pytest.approx(6 * 0.7, abs=0.36)


def test_a_sphere_drawn_too_large_is_one_mistake_all_around(ball: Ball) -> None:
    (mistake,) = mistakes_of(ball(GRID, (10, 30, 30), 12), ball(GRID, (10, 30, 30), 9))
    assert (mistake.kind, mistake.side) == (MistakeKind.TOO_WIDE, "")
    assert mistake.depth == pytest.approx(3, abs=0.7)


def test_missed_and_invented_lesions_are_named_so(ball: Ball) -> None:
    kept = ball(GRID, (10, 30, 30), 6)
    missed, invented = ball(GRID, (5, 10, 10), 3.1), ball(GRID, (14, 50, 50), 4)
    found = mistakes_of(kept | invented, kept | missed)
    assert [mistake.kind for mistake in found] == [MistakeKind.INVENTED, MistakeKind.MISSED]
    assert found[1].size == pytest.approx(missed.sum() * 0.7 * 0.7 * 2.5)
    assert (found[1].first_slice, found[1].last_slice, found[1].slices) == (5, 7, 20)
    assert found[1].center == pytest.approx((7, 7, 12.5))


def test_a_hole_is_a_hole_and_an_open_bite_is_not(ball: Ball) -> None:
    truth = ball(GRID, (10, 30, 30), 14)
    hole, bite = truth.copy(), truth.copy()
    hole[8:12, 28:33, 28:33] = 0
    bite[8:12, 28:33, 28:] = 0
    (inner,), (outer,) = mistakes_of(hole, truth), mistakes_of(bite, truth)
    assert (inner.kind, outer.kind) == (MistakeKind.HOLE, MistakeKind.TOO_TIGHT)
    assert inner.depth == pytest.approx(3 * 0.7)  # the middle of five columns is three steps from what was drawn


def test_swapped_classes_are_a_wrong_class() -> None:
    truth = np.zeros((12, 12), np.uint8)
    truth[2:6, 2:10], truth[6:10, 2:10] = 1, 2
    drawn = truth.copy()
    drawn[2:6, 2:10] = 2
    geometry = Geometry.plain((12, 12))
    (mistake,) = review_case({"r": drawn}, truth, geometry, classes=("background", "core", "edema")).mistakes
    assert (mistake.kind, mistake.true_class, mistake.drawn_class) == (MistakeKind.WRONG_CLASS, "core", "edema")
    assert mistake.size == 32


def test_the_center_lies_on_the_mistake_even_of_a_crescent(ball: Ball) -> None:
    oblique = replace(GRID, origin=(-50.0, 20.0, 7.0), direction=(-1.0, 0, 0, 0, -1.0, 0, 0, 0, 1.0))
    truth, drawn = ball(GRID, (10, 30, 26), 10), ball(GRID, (10, 30, 32), 10)
    review = review_case({"r": drawn}, truth, oblique)
    for mistake in review.mistakes:
        z, y, x = np.rint(oblique.indices(mistake.center)).astype(int)
        assert review.error_maps["r"][z, y, x] == (3 if mistake.kind is MistakeKind.TOO_WIDE else 2)
        assert mistake.center_ras == (-mistake.center[0], -mistake.center[1], mistake.center[2])
    assert {mistake.side for mistake in review.mistakes} == {"left", "right"}
    assert next(item for item in review.mistakes if item.kind is MistakeKind.TOO_WIDE).side == "right"


def test_small_and_shallow_mistakes_are_left_out() -> None:
    geometry = Geometry.plain((30, 30))
    truth, drawn = np.zeros((2, 30, 30), np.uint8)
    truth[5:25, 5:20] = drawn[5:25, 5:21] = 1  # a rim of one pixel
    drawn[2, 25:28] = 1  # three stray pixels
    assert mistakes_of(drawn, truth, geometry) == ()
    all_of_them = mistakes_of(drawn, truth, geometry, smallest_mistake=0, smallest_depth=0)
    assert [mistake.kind for mistake in all_of_them] == [MistakeKind.TOO_WIDE, MistakeKind.INVENTED]


def test_mistakes_come_largest_first_and_name_who_shares_them() -> None:
    truth = np.zeros((40, 40), np.uint8)
    truth[2:8, 2:8] = truth[20:30, 20:30] = 1
    half = truth.copy()
    half[2:8, 2:8] = 0
    review = review_case({"a": half, "b": np.zeros_like(truth), "c": truth}, truth, Geometry.plain((40, 40)))
    of_a, of_b = ([item for item in review.mistakes if item.annotator == name] for name in "ab")
    assert [mistake.size for mistake in of_b] == [100, 36]
    assert [mistake.shared_with for mistake in of_b] == [(), ("a",)]
    assert of_a[0].shared_with == ("b",)


def test_a_picture_has_sides_of_its_own() -> None:
    truth, drawn = np.zeros((2, 30, 30), np.uint8)
    truth[10:20, 10:20] = 1
    drawn[4:20, 10:20] = 1
    (mistake,) = mistakes_of(drawn, truth, Geometry.plain((30, 30)))
    assert (mistake.side, mistake.first_slice, mistake.slices, mistake.units.size) == ("picture top", 1, 1, "px")
