"""What a report scrolls through: which slices, how they are packed, where they lie, what is contested."""

from __future__ import annotations

import numpy as np
import pytest
import SimpleITK as sitk

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review import review_case
from NoisyLabelSegLib.review.report.slices import (
    MOST_PIXELS,
    MOST_SLICES,
    is_contested,
    packed,
    slices_of_case,
    unpacked,
)

AXIAL = (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0)
SAGITTAL = (0, 0, -1.0, 1.0, 0, 0, 0, -1.0, 0)
OBLIQUE = (0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1.0)


def made(geometry, truth, labels, image=None, cases=1):  # type: ignore[no-untyped-def]
    mistakes = review_case(labels, truth, geometry).mistakes
    return mistakes, slices_of_case("c", labels, truth, image, geometry, mistakes, cases=cases)


def test_label_maps_come_back_as_they_were() -> None:
    maps = np.random.default_rng(0).integers(0, 4, (3, 7, 5), dtype=np.uint8)
    np.testing.assert_array_equal(unpacked(packed(maps), maps.shape), maps)


@pytest.mark.parametrize("direction", [AXIAL, SAGITTAL, OBLIQUE])
def test_pixels_of_the_maps_lie_where_their_voxels_lie(direction: tuple[float, ...]) -> None:
    geometry = Geometry((9, 30, 40), (0.7, 0.9, 2.5), (-12.0, 30.0, 5.0), direction)
    truth = np.zeros(geometry.shape, np.uint8)
    truth[3:6, 8:20, 10:30] = 1
    drawn = np.roll(truth, 5, axis=2)
    mistakes, found = made(geometry, truth, {"r": drawn})
    assert found is not None
    shape = (len(found.slices), found.rows, found.columns)
    maps = unpacked(found.truth, shape)
    for place, row, column in ((0, 3, 4), (1, found.rows // 2, found.columns // 2), (2, 1, found.columns - 2)):
        x, y, z = np.array(found.to_ras) @ [column, row, found.slices[place] - 1, 1]
        index = tuple(np.rint(geometry.indices((-x, -y, z))).astype(int))
        assert maps[place, row, column] == truth[index]
    labels = unpacked(found.labels["r"], shape) ^ maps
    for mistake in mistakes:
        place = found.nearest(mistake)
        assert place is not None
        column, row = (round(value) for value in found.place(mistake.center_ras))
        assert labels[place, row, column] != maps[place, row, column]


@pytest.mark.parametrize(("count", "step"), [(12, 7), (30, 2)])
def test_the_slices_of_the_largest_errors_go_first_where_too_many_are_marked(count: int, step: int) -> None:
    geometry = Geometry.plain((90, 40, 40))
    truth = np.zeros(geometry.shape, np.uint8)
    truth[2:88, 18:22, 18:22] = 1
    drawn = truth.copy()
    for z in range(5, 5 + step * count, step):
        drawn[z, 2:12, 2 : 4 + z // 10] = 1
    mistakes, found = made(geometry, truth, {"r": drawn})
    assert found is not None
    assert MOST_SLICES - 2 <= len(found.slices) <= MOST_SLICES
    assert len(mistakes) == count
    shown = [mistake for mistake in mistakes if found.nearest(mistake) is not None]
    assert len(shown) >= min(count, MOST_SLICES)
    assert shown[:12] == list(mistakes[:12])
    assert list(found.slices) == sorted(found.slices)


def test_large_slices_are_thinned_out_and_images_share_the_room_of_the_report() -> None:
    geometry = Geometry.plain((3, 600, 700))
    truth = np.zeros(geometry.shape, np.uint8)
    truth[:, 50:550, 50:650] = 1
    image = np.random.default_rng(0).normal(0, 100, geometry.shape).astype(np.int16)
    _, found = made(geometry, truth, {"r": truth}, image, cases=400)
    assert found is not None
    assert max(found.rows, found.columns) == MOST_PIXELS
    assert len(found.image) <= 14_000_000 // 400
    assert found.gray[0] < found.window[0] < found.window[1] < found.gray[1]


def test_tiles_of_the_image_are_the_slices(tmp_path) -> None:  # type: ignore[no-untyped-def]
    geometry = Geometry.plain((8, 40, 40))
    truth = np.zeros(geometry.shape, np.uint8)
    truth[:, 15:25, 15:25] = 1
    image = np.arange(8)[:, None, None] * 10 + np.zeros(geometry.shape)
    _, found = made(geometry, truth, {"r": truth}, image.astype(np.float32))
    assert found is not None
    (tmp_path / "slices.jpg").write_bytes(found.image)
    sheet = sitk.GetArrayFromImage(sitk.ReadImage(str(tmp_path / "slices.jpg")))
    height, width = (-(-size // 8) * 8 for size in found.tile)
    for place in range(8):
        row, column = divmod(place, found.across)
        shown = sheet[row * height + found.tile[0] // 2, column * width + found.tile[1] // 2]
        gray = found.gray[0] + shown / 255 * (found.gray[1] - found.gray[0])
        assert gray == pytest.approx(10 * place, abs=2)


def test_the_reference_is_contested_where_two_of_five_differ_but_not_one_of_two() -> None:
    geometry = Geometry.plain((4, 30, 30))
    truth = np.zeros(geometry.shape, np.uint8)
    truth[1:3, 5:15, 5:15] = 1
    more = truth.copy()
    more[1:3, 18:24, 18:24] = 1
    labels = {"a": truth, "b": truth, "c": truth, "d": more, "e": more}
    mistakes, found = made(geometry, truth, labels)
    assert found is not None
    assert found.contested_share == pytest.approx(36 / 136)
    assert all(is_contested(mistake, 5) for mistake in mistakes)
    mistakes, found = made(geometry, truth, {"a": truth, "d": more})
    assert found is not None
    assert found.contested_share == 0
    assert not any(is_contested(mistake, 2) for mistake in mistakes)


def test_pictures_without_depth_and_cases_without_marks() -> None:
    flat = Geometry.plain((30, 40), (0.5, 0.5))
    truth = np.zeros(flat.shape, np.uint8)
    assert made(flat, truth, {"r": truth})[1] is None
    truth[5:20, 10:30] = 1
    mistakes, found = made(flat, truth, {"r": np.zeros_like(truth)}, truth * 50.0)
    assert found is not None
    assert (found.slices, found.of, len(found.to_ras)) == ((1,), 1, 2)
    assert found.nearest(mistakes[0]) == 0
