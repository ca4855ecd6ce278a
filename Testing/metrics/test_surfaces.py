"""Distances between borders, against independent implementations and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import SimpleITK as sitk
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review import review_case

CASES = 100


def random_pair(seed: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8], Geometry]:
    """Two blobby masks of some overlap, in 2D or 3D with anisotropic voxels, at times touching the edge."""
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(6, 25, 2 + seed % 2))
    spacing = tuple(random.uniform(0.4, 3.0, len(shape)).round(3).tolist())
    common = ndimage.gaussian_filter(random.normal(size=shape), 2)
    masks = [common + 0.5 * ndimage.gaussian_filter(random.normal(size=shape), 1) > 0.02 for _ in range(2)]
    for mask in masks:
        mask.flat[0] = True  # never empty
    return masks[0].astype(np.uint8), masks[1].astype(np.uint8), Geometry.plain(shape, spacing)


def padded_image(mask: NDArray[np.uint8], geometry: Geometry) -> sitk.Image:
    image = sitk.GetImageFromArray(np.pad(mask, 1))
    image.SetSpacing(geometry.spacing)
    return image


def distances_by_itk(one: sitk.Image, other: sitk.Image) -> NDArray[np.float64]:
    """From the contour of one to the contour of the other."""
    contour = sitk.BinaryContour(other, fullyConnected=False)
    away = sitk.Abs(sitk.SignedMaurerDistanceMap(contour, squaredDistance=False, useImageSpacing=True))
    here = sitk.GetArrayFromImage(sitk.BinaryContour(one, fullyConnected=False)) > 0
    return np.asarray(sitk.GetArrayFromImage(away)[here], dtype=np.float64)


def test_dice_hd95_and_mean_distance_agree_with_simpleitk() -> None:
    for seed in range(CASES):
        drawn, truth, geometry = random_pair(seed)
        (row,) = review_case({"r": drawn}, truth, geometry, mistakes=False).statistics
        one, other = padded_image(drawn, geometry), padded_image(truth, geometry)
        overlap = sitk.LabelOverlapMeasuresImageFilter()
        overlap.Execute(one, other)
        there, back = distances_by_itk(one, other), distances_by_itk(other, one)
        assert row.dice == pytest.approx(overlap.GetDiceCoefficient(), abs=1e-9)
        assert row.hd95_mm == pytest.approx(max(np.percentile(there, 95), np.percentile(back, 95)), abs=1e-4)
        assert row.surface_distance_mm == pytest.approx(np.concatenate([there, back]).mean(), abs=1e-4)


@pytest.mark.filterwarnings("ignore:.*always_return_as_numpy:FutureWarning")
def test_hd95_and_mean_distance_agree_with_monai() -> None:
    metrics, torch = pytest.importorskip("monai.metrics"), pytest.importorskip("torch")
    for seed in range(CASES):
        drawn, truth, geometry = random_pair(seed)
        (row,) = review_case({"r": drawn}, truth, geometry, mistakes=False).statistics
        pair = [torch.from_numpy(mask[None, None]) for mask in (drawn, truth)]
        options = {"include_background": True, "spacing": list(geometry.spacing_zyx)}
        hd95 = metrics.compute_hausdorff_distance(*pair, percentile=95, **options)
        mean = metrics.compute_average_surface_distance(*pair, symmetric=True, **options)
        assert row.hd95_mm == pytest.approx(float(hd95), abs=1e-4)
        assert row.surface_distance_mm == pytest.approx(float(mean), abs=1e-4)


def test_a_square_one_pixel_larger_lies_one_pixel_outside() -> None:
    geometry = Geometry.plain((20, 20))
    truth, drawn = np.zeros((2, 20, 20), np.uint8)
    truth[6:14, 6:14] = 1
    drawn[5:15, 5:15] = 1
    wide, tight = (review_case({"r": a}, b, geometry).statistics[0] for a, b in ((drawn, truth), (truth, drawn)))
    corners = 4 * (np.sqrt(2) - 1)  # only the four outer corners are further than 1 away
    assert wide.boundary_bias_mm == pytest.approx((28 + 36 + corners) / 64)
    assert tight.boundary_bias_mm == pytest.approx(-wide.boundary_bias_mm)
    assert wide.surface_distance_mm == wide.boundary_bias_mm


def test_missed_and_invented_objects_do_not_count_as_a_bias_of_the_border() -> None:
    geometry = Geometry.plain((20, 40))
    truth, drawn = np.zeros((2, 20, 40), np.uint8)
    truth[5:10, 5:10] = drawn[5:10, 5:10] = 1
    truth[5:10, 20:25] = 1
    drawn[15:19, 30:39] = 1
    (row,) = review_case({"r": drawn}, truth, geometry).statistics
    assert row.boundary_bias_mm == 0
    assert row.surface_distance_mm > 1
