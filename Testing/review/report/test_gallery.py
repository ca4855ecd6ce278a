"""Which slices get a picture, and what is cut out of them."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review import error_map
from NoisyLabelSegLib.review.report.gallery import Gallery, SlicePicture, worst_slices

GRID = Geometry.plain((6, 80, 80))


def pictures(number: int, errors: dict[int, int], count: int = 1) -> list[SlicePicture]:
    """Slices with so many wrong pixels each."""
    truth, drawn = np.zeros((2, *GRID.shape), np.uint8)
    for index, pixels in errors.items():
        drawn[index, 20, 20 : 20 + pixels] = 1
    maps = {"r": error_map(drawn, truth)}
    return worst_slices(number, f"c{number}", maps, truth.astype(np.float32), truth, {"r": drawn}, GRID, count)


def test_the_worst_slice_of_each_case_goes_before_the_second_worst_of_any() -> None:
    gallery = Gallery(3)
    gallery.offer(pictures(1, {0: 30, 3: 20}, 2))
    gallery.offer(pictures(2, {4: 5}, 2))
    assert [(item.number, item.slice) for item in gallery.pictures()] == [(1, 1), (2, 5), (1, 4)]


def test_a_full_gallery_keeps_the_worst() -> None:
    gallery = Gallery(2)
    for number, size in enumerate((5, 30, 10, 20), start=1):
        gallery.offer(pictures(number, {0: size}))
    assert [item.number for item in gallery.pictures()] == [2, 4]


def test_neighboring_slices_are_not_shown_twice() -> None:
    assert [item.slice for item in pictures(1, {1: 30, 2: 29, 4: 3}, 3)] == [2, 5]


def test_a_slice_without_errors_is_no_picture() -> None:
    assert pictures(1, {}) == []


def test_an_image_with_holes_in_it_is_shown_all_the_same() -> None:
    truth = np.zeros((40, 40), np.uint8)
    truth[10:20, 10:20] = 1
    image = np.where(truth, np.nan, np.arange(1600).reshape(40, 40))
    maps = {"r": error_map(0 * truth, truth)}
    (picture,) = worst_slices(1, "c", maps, image, truth, {"r": 0 * truth}, Geometry.plain((40, 40)), 1)
    assert picture.image is not None
    assert np.ptp(picture.image) == 255


def test_the_cut_is_around_what_was_marked_and_square() -> None:
    (picture,) = pictures(1, {0: 30})
    assert picture.labels["r"].sum() == 30
    rows, columns = picture.truth.shape
    assert columns < 60
    assert rows <= columns
    assert picture.image is not None
    assert picture.image.shape == picture.truth.shape
