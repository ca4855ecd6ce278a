"""`bench atlases`: fusion of labels that bring their own registered image, on simulated multi-atlas studies."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion.table import RegisteredImages
from NoisyLabelSegLib.metrics.calibration_error import calibration
from NoisyLabelSegLib.metrics.overlap import dice

SUMMARY = "Dice and calibration of fusion methods on simulated multi-atlas studies: image and labels deformed together."

METHODS = ("majority", "weighted-majority", "staple", "spatial-staple", "steps", "non-local-staple")
SHAPE, CLASSES, ATLASES = (12, 72, 72), 3, 7
_ERRORS = (0.8, 1.2, 1.6, 2.0, 2.5, 3.0, 4.0)
"""Standard deviation in voxels of what registration left, atlas by atlas."""
_WIDTH = (3.0, 9.0, 9.0)
_NOISE = 0.25
Images = NDArray[np.float64]


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, nargs="*", default=[10, 11, 12], help="of what is simulated")


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    scores: dict[str, list[tuple[float, float]]] = {method: [] for method in METHODS}
    for seed in options.seeds:
        truth, labels, images = multi_atlas(seed)
        votes = Votes(labels, classes=CLASSES, images=images)
        marked = votes.marked()
        for method in METHODS:
            fusion = votes.fuse(method)
            error = calibration(fusion.probabilities[:, marked], truth[marked]).ece
            scores[method].append((dice(fusion.labels, truth, CLASSES), error))
    found = {method: (np.mean(rows, axis=0), np.std(rows, axis=0)) for method, rows in scores.items()}
    rows = [[method, f"{mean[0]:.3f} ± {spread[0]:.3f}", f"{mean[1]:.3f}"] for method, (mean, spread) in found.items()]
    terminal.table("Seven atlases, three classes", ["method", "Dice", "expected calibration error"], rows)
    return {method: {"dice": float(mean[0]), "ece": float(mean[1])} for method, (mean, _) in found.items()}


def multi_atlas(seed: int) -> tuple[NDArray[np.uint8], list[NDArray[np.uint8]], RegisteredImages]:
    """The truth of a scan, the atlases' labels, and the scan with the atlases' images.

    Every atlas shows the anatomy of the scan as registration left it: labels and image moved by the same smooth field,
    the image with a brightness, a contrast and noise of its own.
    """
    chance = np.random.default_rng(seed)
    truth = _anatomy(chance)
    plain = np.array([0.0, 1.0, 2.0])[truth] + 0.5 * _smooth(chance, (1.0, 3.0, 3.0))
    labels, own = [], []
    for error in _ERRORS:
        field = [_smooth(chance, _WIDTH) * error * scale for scale in (0.3, 1.0, 1.0)]
        places = [grid + moved for grid, moved in zip(np.indices(SHAPE), field, strict=True)]
        labels.append(ndimage.map_coordinates(truth, places, order=0, mode="nearest").astype(np.uint8))
        image = ndimage.map_coordinates(plain, places, order=1, mode="nearest")
        own.append(chance.uniform(0.7, 1.3) * image + chance.normal() + chance.normal(0, _NOISE, SHAPE))
    return truth, labels, RegisteredImages(plain + chance.normal(0, _NOISE, SHAPE), tuple(own))


def _anatomy(chance: np.random.Generator) -> NDArray[np.uint8]:
    """An organ with a second one inside, and two smaller ones beside it, with uneven borders."""
    z, y, x = np.indices(SHAPE)
    uneven = 3 * _smooth(chance, (3.0, 5.0, 5.0))
    truth = np.zeros(SHAPE, dtype=np.uint8)
    for label, (middle_y, middle_x, radius) in (
        (1, (36, 30, 17)),
        (2, (36, 28, 8)),
        (2, (20, 56, 7)),
        (1, (54, 56, 6)),
    ):
        away = np.sqrt((y - middle_y) ** 2 + (x - middle_x) ** 2 + (3 * (z - 5.5)) ** 2) + uneven
        truth[away < radius] = label
    return truth


def _smooth(chance: np.random.Generator, width: tuple[float, ...]) -> Images:
    """Smooth noise with standard deviation 1."""
    field = ndimage.gaussian_filter(chance.normal(size=SHAPE), width)
    return np.asarray(field / field.std())
