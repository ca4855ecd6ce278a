"""`bench review`: error maps and statistics of a large case against SimpleITK, and what many cases take."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray

from benchmarks.measure import compare
from benchmarks.review_cases import write_study
from NoisyLabelSegLib.cases import Geometry, Study
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
    terminal.say("Ratio: our time over SimpleITK's LabelOverlapMeasures plus SignedMaurerDistanceMap (limit: 3).")
    return {**results, "growth": _growth(terminal)}


NUMBERS_OF_CASES = (100, 200, 400)


@dataclass(frozen=True)
class Growth:
    """What a review with all its reports takes."""

    cases: int
    processor_seconds: float
    peak_megabytes: float
    report_megabytes: float


def _growth(terminal: Terminal) -> list[dict[str, Any]]:
    found = []
    for cases in NUMBERS_OF_CASES:
        with tempfile.TemporaryDirectory(prefix="noisylabelseg-") as place:
            study = write_study(Path(place) / "study", cases)
            found.append(_review(study, Path(place) / "review"))
    terminal.table(
        "Review of cases of 64 x 64 x 16 voxels with 5 readers, reports included",
        ["cases", "processor seconds", "seconds per case", "peak memory (MB)", "report.html (MB)"],
        [
            [
                str(row.cases),
                f"{row.processor_seconds:.1f}",
                f"{row.processor_seconds / row.cases:.3f}",
                f"{row.peak_megabytes:.0f}",
                f"{row.report_megabytes:.1f}",
            ]
            for row in found
        ],
    )
    return [vars(row) for row in found]


def _review(study: Study, out: Path) -> Growth:
    """What one command takes, from its start to its end."""
    words = [sys.executable, "-m", "NoisyLabelSegLib", "review", str(study.folder), "--truth", "majority"]
    process = subprocess.Popen([*words, "--out", str(out)], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError("the review has failed")
    size = (out / "report.html").stat().st_size
    return Growth(len(study.cases), used.ru_utime + used.ru_stime, used.ru_maxrss / 1000, size / 1e6)


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
