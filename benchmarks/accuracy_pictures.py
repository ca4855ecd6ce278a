"""Makes the pictures of docs/results.md: python -m benchmarks.accuracy_pictures docs/pictures"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from benchmarks.accuracy_scores import estimates
from benchmarks.accuracy_studies import make_study
from benchmarks.printed_pictures import busiest, known_truth, outline, painted, save, show
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.review import ANNOTATORS, PAPER, color_table, error_map
from NoisyLabelSegLib.training import preset, train_study

STUDIES = (("mnist", "dense"), ("lesions", "one"), ("tumour", "dense"))
ROWS = ("drawn", "expected by\nthe network", "wrong in\nthe drawn", "wrong in\nthe expected")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path, help="the folder for the pictures")
    out = parser.parse_args().out
    for name, labels in STUDIES:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            study = make_study(name, labels, 0, folder / "study", data=folder)
            package = train_study(study, folder / "run", preset("default")).package
            save(portrait(middling(package, study), study), out / f"results-{name}-{labels}.png")


@dataclass(frozen=True)
class Slice:
    """One slice of a held-out case: image, truth and estimate (H, W), labels drawn and expected (R, H, W)."""

    image: NDArray[Any]
    truth: NDArray[Any]
    estimate: NDArray[Any]
    drawn: list[NDArray[Any]]
    expected: list[NDArray[Any]]


def middling(package: Path, study: Study) -> Slice:
    """The case in the middle of all held-out ones by Dice, at the slice with most of the truth."""
    found = [
        (float(dice(estimate.truth, known_truth(case), len(study.classes))), case, estimate)
        for case, estimate in estimates(package, study)
    ]
    _, case, estimate = sorted(found, key=lambda item: item[0])[len(found) // 2]
    truth, said = known_truth(case), estimate.said
    assert said is not None, "the coupled networks know their annotators"
    place: tuple[Any, ...] = ()
    if truth.ndim == 3:
        number, box = busiest(truth, margin=20)
        place = (number, *box)
    drawn = [np.asarray(labels)[place] for labels in case.all_labels(study.annotators)]
    return Slice(case.image()[0][place], truth[place], estimate.truth[place], drawn, [one[place] for one in said])


def portrait(shown: Slice, study: Study) -> Figure:
    """A column per annotator, below each other what is drawn and expected, and the errors of both."""
    columns = 2 + len(study.annotators)
    figure = Figure(figsize=(1.75 * columns, 7.6), layout="constrained")
    grid = figure.subplots(4, columns)
    for axes in grid.flat:
        axes.axis("off")
    show(grid[0, 0], shown.image, "image")
    for axes, labels, title in ((grid[0, 1], shown.truth, "truth"), (grid[1, 1], shown.estimate, "estimated truth")):
        _labeled(axes, shown.image, labels, title)
    _wrong(grid[2, 1], shown.image, error_map(shown.estimate.astype(np.uint8), shown.truth), "its errors")
    for place, name in enumerate(study.annotators):
        column = grid[:, 2 + place]
        _labeled(column[0], shown.image, shown.drawn[place], name)
        _labeled(column[1], shown.image, shown.expected[place], "")
        _wrong(column[2], shown.image, error_map(shown.drawn[place], shown.truth), "")
        _wrong(column[3], shown.image, error_map(shown.expected[place], shown.estimate.astype(np.uint8)), "")
    for axes, word in zip(grid[:, 2], ROWS, strict=True):
        axes.text(-0.06, 0.5, word, transform=axes.transAxes, rotation=90, ha="right", va="center", fontsize=10)
    codes = color_table(PAPER)[1 : 4 if len(study.classes) == 2 else 5]  # "Wrong class" wants a third class
    swatches = [Patch(facecolor=entry.css, edgecolor="black", label=entry.name) for entry in codes]
    figure.legend(handles=swatches, loc="outside lower center", ncols=len(swatches), fontsize=10, facecolor="#808080")
    return figure


def _labeled(axes: Axes, image: NDArray[Any], labels: NDArray[Any], title: str) -> None:
    show(axes, image, title)
    for label, color in enumerate(color_table(ANNOTATORS)[: int(labels.max())], start=1):
        outline(axes, labels == label, color.css)


def _wrong(axes: Axes, image: NDArray[Any], codes: NDArray[np.uint8], title: str) -> None:
    show(axes, image, title, brightness=0.6)
    axes.imshow(painted(codes))


if __name__ == "__main__":
    main()
