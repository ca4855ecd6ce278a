"""The paper's pictures: labels of annotators and predictions, and estimated confusion matrices beside their targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from benchmarks.paper.outcome import Outcome
from benchmarks.paper.studies import TITLES, Wanted, differences
from benchmarks.paper.trainings import METHODS, QUICK_SAYS, Training, Trainings
from benchmarks.printed_pictures import busiest, known_truth, outline, show
from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import Estimate
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.review import ANNOTATORS, color_table

SHOWN = (("mnist", "dense"), ("mnist", "one"), ("ms", "dense"), ("ms", "one"), ("brats", "dense"), ("lidc", "dense"))
BINARY = SHOWN[:4]
"""Those whose matrices the paper shows."""
COMPARED = ("majority", "staple", "spatial-staple", "global", "no-trace", "coupled", "default")
QUICK_COMPARED = ("majority", "coupled", "default")
EXPECTED = {"coupled": "the paper's recipe", "default": "preset default"}
WORDS = {"dense": "all labels", "one": "one label per image"}


@dataclass(frozen=True)
class Place:
    """One slice of a held-out case, cut to what is marked: an index into arrays (*shape)."""

    case: Case
    index: tuple[Any, ...]

    def of(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(array)[(..., *self.index)]

    @property
    def truth(self) -> NDArray[Any]:
        return self.of(known_truth(self.case))


def run(name: str, trainings: Trainings) -> Outcome:
    return _segmentations(trainings) if name == "segmentations" else _matrices(trainings)


def _segmentations(trainings: Trainings) -> Outcome:
    compared = QUICK_COMPARED if trainings.quick else COMPARED
    figures, rows = {}, []
    for data_set, labels in SHOWN:
        wanted = Wanted(data_set, labels, 0, trainings.quick)
        study = trainings.study(wanted)
        found = {method: _predicted(trainings, wanted, method, study) for method in compared}
        place = _middling(study, found["coupled"])
        figures[f"{data_set}-{labels}"] = _labels_and_predictions(
            study, place, {method: cases[place.case.id] for method, cases in found.items()}
        )
        truth, classes = known_truth(place.case), len(study.classes)
        for method in compared:
            score = float(dice(found[method][place.case.id].truth, truth, classes))
            rows.append([TITLES[data_set], WORDS[labels], METHODS[method][0], f"{100 * score:.2f}"])
    columns = ["data", "labels", "method", "here: Dice (%) of the case shown"]
    says = [
        *(differences(name, quick=trainings.quick, data=trainings.data) for name in TITLES),
        "Shown is the held-out case in the middle by the Dice of the method, at its slice with most of the truth.",
        *([QUICK_SAYS] if trainings.quick else []),
    ]
    return Outcome("Segmentation labels and predictions", columns, rows, says, figures)


def _matrices(trainings: Trainings) -> Outcome:
    figures = {}
    for data_set, labels in BINARY:
        wanted = Wanted(data_set, labels, 0, trainings.quick)
        study = trainings.study(wanted)
        found = {method: _predicted(trainings, wanted, method, study) for method in EXPECTED}
        place = _middling(study, found["coupled"])
        chosen = {word: found[method][place.case.id] for method, word in EXPECTED.items()}
        figures[f"{data_set}-{labels}"] = _matrix_figure(study, place, chosen)
    says = [
        *(differences(name, quick=trainings.quick, data=trainings.data) for name in ("mnist", "ms")),
        "Colors as in the paper: white true positive, green false negative, red false positive, black true negative.",
        "Expected: the probabilities of these under the estimated truth and matrices, as brightness.",
        *([QUICK_SAYS] if trainings.quick else []),
    ]
    return Outcome("Estimated confusion matrices beside their targets", differs=says, figures=figures)


def _predicted(trainings: Trainings, wanted: Wanted, method: str, study: Study) -> dict[str, Estimate]:
    model = load_model(trainings.package(Training(wanted, method)), "cpu")
    return {case.id: model.predict(case) for case in study.split("test").cases}


def _middling(study: Study, found: dict[str, Estimate]) -> Place:
    cases = list(study.split("test").cases)
    scores = [float(dice(found[case.id].truth, known_truth(case), len(study.classes))) for case in cases]
    case = cases[int(np.argsort(scores)[len(scores) // 2])]
    truth = known_truth(case)
    if truth.ndim == 2:
        return Place(case, (slice(None), slice(None)))
    number, box = busiest(truth, margin=10)
    return Place(case, (number, *box))


def _labels_and_predictions(study: Study, place: Place, found: dict[str, Estimate]) -> Figure:
    drawn = {name: labels for name in study.annotators if (labels := place.case.labels(name)) is not None}
    columns = max(2 + len(drawn), 1 + len(found))
    figure = Figure(figsize=(1.8 * columns, 4.4), layout="constrained")
    grid = figure.subplots(2, columns)
    for axes in grid.flat:
        axes.axis("off")
    image = place.of(place.case.image()[0])
    show(grid[0, 0], image, "image")
    _labeled(grid[0, 1], image, place.truth, "reference")
    for axes, (name, labels) in zip(grid[0, 2:], drawn.items(), strict=False):
        _labeled(axes, image, place.of(labels), name)
    for axes, (method, estimate) in zip(grid[1], found.items(), strict=False):
        title = METHODS[method][0].replace("Naive CNN on", "CNN on")
        _labeled(axes, image, place.of(estimate.truth), title)
    return figure


def _labeled(axes: Axes, image: NDArray[Any], labels: NDArray[Any], title: str) -> None:
    show(axes, image, "")
    axes.set_title(title, fontsize=9)
    for label, color in enumerate(color_table(ANNOTATORS)[: int(labels.max())], start=1):
        outline(axes, labels == label, color.css)


def _matrix_figure(study: Study, place: Place, found: dict[str, Estimate]) -> Figure:
    """Top: the label of each annotator against the truth; below: the same as expected by each of the networks."""
    names = [name for name in study.annotators if place.case.labels(name) is not None]
    figure = Figure(figsize=(1.8 * (1 + len(names)), 2.1 * (1 + len(found))), layout="constrained")
    grid = figure.subplots(1 + len(found), 1 + len(names))
    _in_gray(grid[0, 0], place.truth, "truth")
    for axes, name in zip(grid[0, 1:], names, strict=True):
        labels = place.case.labels(name)
        assert labels is not None
        axes.imshow(painted(place.truth.astype(float), place.of(labels).astype(float)))
        axes.set_title(name, fontsize=9)
    for row, (word, estimate) in zip(grid[1:], found.items(), strict=True):
        assert estimate.probabilities is not None
        p = place.of(estimate.probabilities[1])
        _in_gray(row[0], p, f"estimate, {word}")
        for axes, name in zip(row[1:], names, strict=True):
            matrix = estimate.confusion[name]
            axes.imshow(painted(p, place.of(matrix[1, 1]), place.of(matrix[1, 0])))
            axes.set_title("expected", fontsize=9)
    for axes in grid.flat:
        axes.axis("off")
    return figure


def _in_gray(axes: Axes, field: NDArray[Any], title: str) -> None:
    axes.imshow(field, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    axes.set_title(title, fontsize=8)


def painted(truth: NDArray[Any], hit: NDArray[Any], extra: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """RGB (H, W, 3): white for truth times hit, green for truth times a miss, red for what is extra.

    truth: p of foreground; hit: p(foreground said | foreground); extra: p(foreground said | background), hit if None.
    """
    positive, missed = truth * hit, truth * (1 - hit)
    false = (1 - truth) * (hit if extra is None else extra)
    colors: NDArray[np.float64] = np.stack([positive + false, positive + missed, positive], axis=-1)
    return colors.clip(0, 1)
