"""Distances between two borders in millimetres: how far apart at worst, on average, and to which side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.review.shape import Matches, Shape


@dataclass(frozen=True)
class BoundaryDistances:
    """Millimetres; None where the distance does not exist.

    `hd95`: the larger of the two directed 95th percentiles; `mean`: over the border voxels of both. Both are 0 when
    both masks are empty and None when only one is. `bias` is the mean signed distance over the objects that were both
    there and drawn, positive where the annotator draws outside; None when there are none.
    """

    hd95: float | None
    mean: float | None
    bias: float | None


def boundary_distances(drawn: Shape, truth: Shape, matches: Matches) -> BoundaryDistances:
    """Compares the borders of what was drawn and of the truth, two shapes on the same grid."""
    if not drawn.border_voxels.size or not truth.border_voxels.size:
        nothing = 0.0 if not drawn.border_voxels.size and not truth.border_voxels.size else None
        return BoundaryDistances(nothing, nothing, None)
    from_drawn, from_truth = truth.distances(drawn.border_voxels), drawn.distances(truth.border_voxels)
    return BoundaryDistances(
        hd95=float(max(np.percentile(from_drawn, 95), np.percentile(from_truth, 95))),
        mean=float(np.concatenate([from_drawn, from_truth]).mean()),
        bias=_bias(drawn, truth, from_drawn, from_truth, matches),
    )


def _bias(
    drawn: Shape,
    truth: Shape,
    from_drawn: NDArray[np.float64],
    from_truth: NDArray[np.float64],
    matches: Matches,
) -> float | None:
    """Objects that were missed or invented say nothing about where a border is drawn, so only matches count."""
    outside = np.where(np.take(truth.mask, drawn.border_voxels), -from_drawn, from_drawn)
    covered = np.where(np.take(drawn.mask, truth.border_voxels), from_truth, -from_truth)
    outside = outside[matches.real[np.take(drawn.objects.labels, drawn.border_voxels) - 1]]
    covered = covered[matches.found[np.take(truth.objects.labels, truth.border_voxels) - 1]]
    signed = np.concatenate([outside, covered])
    return float(signed.mean()) if signed.size else None
