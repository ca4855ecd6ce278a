"""Surface Dice, HD95 and ASSD against MONAI, and beside surface-distance, which weighs by area."""

from __future__ import annotations

import math

import numpy as np
import pytest
import surface_distance
import torch
from monai.metrics import compute_average_surface_distance, compute_hausdorff_distance, compute_surface_dice

from NoisyLabelSegLib.metrics.surfaces import Shape, SurfaceAgreement, surface_agreement


def ellipsoids(spacing: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    z, y, x = np.indices((14, 40, 40))
    first = ((z - 7) * spacing[0] / 11) ** 2 + ((y - 20) / 12) ** 2 + ((x - 19) / 13) ** 2 < 1
    second = ((z - 6) * spacing[0] / 12) ** 2 + ((y - 21) / 13) ** 2 + ((x - 21) / 11) ** 2 < 1
    return first, second


@pytest.mark.parametrize("spacing", [(1.0, 1.0, 1.0), (2.5, 0.7, 0.7)])
@pytest.mark.parametrize("tolerance", [0.5, 1.0, 2.0])
def test_borders_of_voxels_are_compared_as_monai_does(spacing: tuple[float, ...], tolerance: float) -> None:
    masks = ellipsoids(spacing)
    found = surface_agreement(Shape(masks[0], spacing), Shape(masks[1], spacing), tolerance)
    one, other = (torch.as_tensor(mask)[None, None].float() for mask in masks)
    options = {"include_background": True, "spacing": spacing}
    dice = compute_surface_dice(one, other, [tolerance], **options)
    assert found.surface_dice == pytest.approx(float(dice), abs=1e-6)
    hd95 = compute_hausdorff_distance(one, other, percentile=95, **options)
    assert found.hd95 == pytest.approx(float(hd95), abs=1e-5)  # MONAI works in float32
    assd = compute_average_surface_distance(one, other, symmetric=True, **options)
    assert found.assd == pytest.approx(float(assd), abs=1e-5)


def test_weighing_by_area_gives_nearly_the_same_where_voxels_are_cubes() -> None:
    """Surface-distance puts the surface between voxels and weighs its pieces by area: another definition."""
    spacing = (1.0, 1.0, 1.0)
    masks = ellipsoids(spacing)
    found = surface_agreement(Shape(masks[0], spacing), Shape(masks[1], spacing), 1.0)
    surfaces = surface_distance.compute_surface_distances(*masks, spacing)
    by_area = surface_distance.compute_surface_dice_at_tolerance(surfaces, 1.0)
    assert found.surface_dice == pytest.approx(by_area, abs=0.06)
    assert found.hd95 == pytest.approx(surface_distance.compute_robust_hausdorff(surfaces, 95), abs=0.5)


def test_empty_masks_follow_metrics_reloaded() -> None:
    empty, full = Shape(np.zeros((4, 4), bool), (1, 1)), Shape(np.ones((4, 4), bool), (1, 1))
    assert surface_agreement(empty, empty, 1.0) == SurfaceAgreement(1.0, 0.0, 0.0)
    found = surface_agreement(full, empty, 1.0)
    assert found.surface_dice == 0
    assert math.isnan(found.hd95)
    assert math.isnan(found.assd)
