"""How well a group of predicted labels stands for a group of real ones, by the conventions of the LIDC literature.

Both groups are arrays (*shape) of labels of one case: S samples and R real annotators. IoU and Dice are means over the
foreground classes, and 1 where both masks are empty.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from NoisyLabelSegLib.metrics.agreement import Labels
from NoisyLabelSegLib.metrics.overlap import chunks, class_count, dice_of_sizes

THRESHOLDS = (0.1, 0.3, 0.5, 0.7, 0.9)

Matrix = NDArray[np.float64]


def ged_iou(predicted: Labels, real: Labels, classes: int | None = None) -> float:
    """Squared generalized energy distance with d = 1 - IoU; NaN if a group is empty.

    2 E d(S, Y) - E d(S, S') - E d(Y, Y') over all ordered pairs, equal ones included. It falls with the number of
    samples, so that only values of equally many samples compare.

    Examples
    --------
    >>> mask = np.array([1, 1, 0, 0])
    >>> ged_iou([mask], [mask, 1 - mask])
    0.5
    """
    if not len(predicted) or not len(real):
        return math.nan
    distance = 1 - overlaps([*predicted, *real], classes)[0]
    n = len(predicted)
    return max(0.0, float(2 * distance[:n, n:].mean() - distance[:n, :n].mean() - distance[n:, n:].mean()))


def hm_iou(predicted: Labels, real: Labels, classes: int | None = None) -> float:
    """The mean IoU of samples and real labels matched one to one (Hungarian), the smaller group repeated."""
    return _matched(_between(predicted, real, classes, 0))


def dice_match(predicted: Labels, real: Labels, classes: int | None = None) -> float:
    """The mean Dice of samples and real labels matched one to one (Hungarian), the smaller group repeated."""
    return _matched(_between(predicted, real, classes, 1))


def dice_max(predicted: Labels, real: Labels, classes: int | None = None) -> float:
    """The mean Dice to the best match: half from every real label to its best sample, half the other way."""
    scores = _between(predicted, real, classes, 1)
    return float((scores.max(axis=0).mean() + scores.max(axis=1).mean()) / 2) if scores.size else math.nan


def dice_soft(predicted: Labels, real: Labels, classes: int | None = None) -> float:
    """The mean Dice of both groups' shares of foreground, above 0.1, 0.3, 0.5, 0.7 and 0.9; a mean over classes."""
    if not len(predicted) or not len(real):
        return math.nan
    count = (classes or class_count(*predicted, *real)) - 1
    sizes = np.zeros((3, count, len(THRESHOLDS)), dtype=np.int64)
    groups = [[np.asarray(labels).reshape(-1) for labels in group] for group in (predicted, real)]
    for part in chunks(groups[0][0].size):
        for label in range(count):
            ours, theirs = (np.mean([labels[part] == label + 1 for labels in group], axis=0) for group in groups)
            for place, threshold in enumerate(THRESHOLDS):
                first, second = ours > threshold, theirs > threshold
                sizes[:, label, place] += (first & second).sum(), first.sum(), second.sum()
    return float(np.mean(dice_of_sizes(*sizes)))


def crps_volume(predicted: Labels, real: Labels, voxel_volume: float = 1.0) -> float:
    """The continuous ranked probability score of the foreground volume, a mean over the real labels; 0 is perfect.

    E |V - v| - E |V - V'| / 2 with V, V' the volumes of samples and v that of a real label, in units of `voxel_volume`.
    """
    if not len(predicted) or not len(real):
        return math.nan
    ours, theirs = (np.array([np.count_nonzero(labels) for labels in group]) for group in (predicted, real))
    spread = np.abs(ours[:, None] - ours).mean() / 2
    return float(np.abs(ours[:, None] - theirs).mean() - spread) * voxel_volume


def overlaps(labels: Labels, classes: int | None = None) -> tuple[Matrix, Matrix]:
    """IoU and Dice of every pair among K arrays (*shape), each (K, K), means over the foreground classes."""
    flat = [np.asarray(array).reshape(-1) for array in labels]
    count = (classes or class_count(*flat)) - 1
    both = np.zeros((count, len(flat), len(flat)))
    for part in chunks(flat[0].size):
        stack = np.stack([array[part] for array in flat])
        for label in range(count):
            mask = (stack == label + 1).astype(np.float32)  # at most 2^14 a product, which float32 holds exactly
            both[label] += mask @ mask.T
    sizes = np.diagonal(both, axis1=1, axis2=2)
    dice = dice_of_sizes(both, sizes[:, :, None], sizes[:, None, :])
    return (dice / (2 - dice)).mean(axis=0), dice.mean(axis=0)


def _between(predicted: Labels, real: Labels, classes: int | None, which: int) -> Matrix:
    if not len(predicted) or not len(real):
        return np.empty((0, 0))
    return overlaps([*predicted, *real], classes)[which][: len(predicted), len(predicted) :]


def _matched(scores: Matrix) -> float:
    if not scores.size:
        return math.nan
    length = max(scores.shape)
    repeated = scores[np.ix_(*(np.arange(length) % count for count in scores.shape))]
    return float(repeated[linear_sum_assignment(-repeated)].mean())
