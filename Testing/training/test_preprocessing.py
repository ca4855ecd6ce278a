"""Intensities, slices and spacing, and the way back."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Geometry, Image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training.preprocessing import Preprocessing


def case_of(array: np.ndarray, spacing: tuple[float, ...] | None = None) -> Case:
    return Case("one", images=(Image(array.astype(np.float32), Geometry.plain(array.shape, spacing)),))


def test_z_scores_have_mean_zero_and_deviation_one_and_a_flat_image_stays_flat() -> None:
    image = Preprocessing().image(case_of(np.arange(12).reshape(3, 4)))
    assert image.shape == (1, 1, 3, 4)
    assert image.mean() == pytest.approx(0, abs=1e-6)
    assert image.std() == pytest.approx(1, abs=1e-6)
    assert (Preprocessing().image(case_of(np.full((3, 4), 7))) == 0).all()


def test_a_window_becomes_zero_to_one() -> None:
    preprocessing = Preprocessing(normalization="window", window=(-1000, 400))
    image = preprocessing.image(case_of(np.array([[-2000, -1000, -300, 400, 3000]])))
    np.testing.assert_allclose(image[0, 0, 0], [0, 0, 0.5, 1, 1])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_slices_along_any_axis_go_back_where_they_came_from(axis: int) -> None:
    array = np.random.default_rng(0).normal(size=(2, 3, 4))
    case = case_of(array)
    preprocessing = Preprocessing(axis=axis, normalization="window", window=(-10, 10))
    slices = preprocessing.image(case)
    assert slices.shape[1] == array.shape[axis]
    np.testing.assert_allclose(preprocessing.restored(slices, case.geometry)[0] * 20 - 10, array, atol=1e-5)


def test_a_common_spacing_covers_the_same_box_and_comes_back() -> None:
    z, y, x = np.indices((8, 12, 10))
    case = case_of(z + 0.5 * y + 0.25 * x, spacing=(1.0, 1.0, 2.0))
    preprocessing = Preprocessing(spacing=(1.0, 2.0, 1.0), normalization="window", window=(0, 100))
    grid = preprocessing.grid(case.geometry)
    assert grid.shape == (16, 6, 10)
    assert grid.origin == pytest.approx((0.0, 0.5, -0.5))
    back = preprocessing.restored(preprocessing.image(case), case.geometry)[0] * 100
    inner = (slice(1, -1), slice(3, -3), slice(1, -1))  # the border takes part in the blur along y
    np.testing.assert_allclose(back[inner], case.image()[0][inner], atol=1e-3)


def test_an_axis_whose_spacing_is_zero_stays_as_it_is() -> None:
    geometry = Geometry.plain((8, 12, 10), (1.0, 1.0, 2.0))
    grid = Preprocessing(spacing=(0.0, 2.0, 2.0)).grid(geometry)
    assert (grid.shape, grid.spacing) == ((8, 6, 5), (2.0, 2.0, 2.0))


@pytest.mark.parametrize("spacing", [(2.0, 4.0), (3.0, 2.0, 4.0)])
def test_a_model_of_slices_takes_images_and_a_model_of_images_takes_slices(spacing: tuple[float, ...]) -> None:
    preprocessing = Preprocessing(spacing=spacing)
    assert preprocessing.grid(Geometry.plain((8, 8))).spacing == (4.0, 2.0)
    assert preprocessing.grid(Geometry.plain((9, 8, 8))).spacing == (4.0, 2.0, 1.0 if len(spacing) == 2 else 3.0)


def test_a_coarser_grid_shows_means_and_not_single_pixels() -> None:
    stripes = np.indices((12, 12)).sum(axis=0) % 2
    preprocessing = Preprocessing(spacing=(3.0, 3.0), normalization="window", window=(0, 1))
    np.testing.assert_allclose(preprocessing.image(case_of(stripes)), 0.5, atol=0.02)


def test_labels_on_a_coarser_grid_are_those_that_fill_most_of_a_voxel() -> None:
    labels = np.zeros((12, 12), dtype=np.uint8)
    labels[:, 4:] = 3  # the second voxel is one part 0 and two parts 3
    labels[0, 0] = 2  # a speck
    coarse = Preprocessing(spacing=(3.0, 3.0)).labels(labels, case_of(labels))
    np.testing.assert_array_equal(coarse[0], np.tile([0, 3, 3, 3], (4, 1)))


@pytest.mark.parametrize(("length", "spacing"), [(10, 3.0), (13, 3.0), (20, 1.4), (7, 0.3)])
def test_fields_keep_their_sum_up_to_the_border_where_sizes_do_not_divide(length: int, spacing: float) -> None:
    geometry = case_of(np.zeros((length, length)), spacing=(1.0, 1.0)).geometry
    preprocessing = Preprocessing(spacing=(spacing, spacing))
    foreground = np.random.default_rng(0).uniform(0.2, 0.8, (1, *preprocessing.grid(geometry).shape))
    field = np.stack([1 - foreground, foreground]).astype(np.float32)
    back = preprocessing.restored(field, geometry)
    assert back.shape == (2, length, length)
    np.testing.assert_allclose(back.sum(axis=0), 1, atol=1e-5)


def test_values_that_are_not_numbers_are_refused() -> None:
    with pytest.raises(UserError, match="not numbers"):
        Preprocessing().image(case_of(np.array([[1.0, np.nan]])))


def test_a_2d_image_is_not_a_volume() -> None:
    with pytest.raises(UserError, match="dimensions=2"):
        Preprocessing(dimensions=3).image(case_of(np.zeros((4, 4))))


def test_preprocessing_survives_json_and_refuses_nonsense() -> None:
    preprocessing = Preprocessing(axis=1, normalization="window", spacing=(1.0, 2.0), patch=64)
    assert Preprocessing.from_json(preprocessing.to_json()) == preprocessing
    for nonsense in ({"axis": 7}, {"epochs": 3}, {"window": [1, 0]}, {"spacing": "wide"}):
        with pytest.raises(ValueError, match=r"."):
            Preprocessing.from_json({**preprocessing.to_json(), **nonsense})
