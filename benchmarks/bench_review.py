"""`bench review`: error maps and statistics of a large case against SimpleITK."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray

from benchmarks.measure import compare
from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.review import review_case

SUMMARY = "Review of 512 x 512 x 200 with 5 annotators against SimpleITK's overlap measures and distance maps."

GRID = Geometry.plain((200, 512, 512), (0.7, 0.7, 1.0))
ANNOTATORS = 5

Labels = NDArray[np.uint8]


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    results = {}
    for name, draw in (("scattered lesions", draw_lesions), ("one organ", draw_organ)):
        truth, labels = draw(np.random.default_rng(0))
        results[name] = _measure(truth, labels, min(options.repeats, 3))
    terminal.table(
        "Seconds for 5 annotators on 512 x 512 x 200",
        ["case", "error maps + statistics", "with mistakes", "SimpleITK", "ratio", "ratio with mistakes"],
        [
            [
                name,
                *(f"{row[key]:.2f}" for key in ("ours", "with_mistakes", "simpleitk", "ratio", "ratio_with_mistakes")),
            ]
            for name, row in results.items()
        ],
    )
    terminal.say(
        "Ratio: our time over SimpleITK's LabelOverlapMeasures plus SignedMaurerDistanceMap (wanted: below 3)."
    )
    return results


def draw_lesions(random: np.random.Generator) -> tuple[Labels, dict[str, Labels]]:
    """Three hundred lesions all over the volume; annotators draw them larger or smaller and miss some."""
    truth = np.zeros(GRID.shape, dtype=np.uint8)
    labels = {f"annotator{number}": np.zeros_like(truth) for number in range(ANNOTATORS)}
    for _ in range(300):
        center, radius = random.integers(20, np.array(GRID.shape) - 20), random.uniform(2, 9)
        _paint(truth, center, radius)
        for number, drawn in enumerate(labels.values()):
            if random.random() > 0.05:
                _paint(drawn, center, radius + 0.4 * (number - 2) + random.normal(0, 0.3))
    return truth, labels


def draw_organ(random: np.random.Generator) -> tuple[Labels, dict[str, Labels]]:
    """One ball of 8 cm; annotators draw it larger or smaller and a little aside."""
    truth, center = np.zeros(GRID.shape, dtype=np.uint8), np.array([100, 256, 256])
    _paint(truth, center, 80)
    labels = {}
    for number in range(ANNOTATORS):
        drawn = np.zeros_like(truth)
        _paint(drawn, center + random.integers(-2, 3, 3), 80 + 0.8 * (number - 2))
        labels[f"annotator{number}"] = drawn
    return truth, labels


def _paint(labels: Labels, center: NDArray[Any], radius: float) -> None:
    reach = np.ceil(radius / np.array(GRID.spacing_zyx)).astype(int)
    axes = [np.arange(-n, n + 1) * edge for n, edge in zip(reach, GRID.spacing_zyx, strict=True)]
    z, y, x = np.ix_(*axes)
    inside = z * z + y * y + x * x <= radius * radius
    place = tuple(slice(c - n, c + n + 1) for c, n in zip(center, reach, strict=True))
    labels[place] |= inside


def _measure(truth: Labels, labels: Mapping[str, Labels], repeats: int) -> dict[str, float]:
    def ours(*, mistakes: bool) -> Callable[[], Any]:
        return lambda: review_case(labels, truth, GRID, mistakes=mistakes)

    rival = _rival(truth, labels)
    plain = compare(ours(mistakes=False), rival, repeats=repeats)
    full = compare(ours(mistakes=True), rival, repeats=repeats, warm_up=False)
    return {
        "ours": plain.ours_seconds,
        "with_mistakes": full.ours_seconds,
        "simpleitk": plain.rival_seconds,
        "ratio": plain.ours_seconds / plain.rival_seconds,
        "ratio_with_mistakes": full.ours_seconds / full.rival_seconds,
    }


def _rival(truth: Labels, labels: Mapping[str, Labels]) -> Callable[[], None]:
    images = [sitk.GetImageFromArray(array) for array in (truth, *labels.values())]
    for image in images:
        image.SetSpacing(GRID.spacing)

    def run() -> None:
        for image in images[1:]:
            sitk.LabelOverlapMeasuresImageFilter().Execute(image, images[0])
            sitk.SignedMaurerDistanceMap(image, squaredDistance=False, useImageSpacing=True)

    return run
