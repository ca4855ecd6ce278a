"""`bench metrics`: evaluating a large case with confusion fields, against whole-volume numpy."""

from __future__ import annotations

import argparse
import itertools
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import compare, peak_bytes
from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, read_image, write_components, write_labels
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.evaluation.scores import evaluate
from NoisyLabelSegLib.evaluation.summary import summary
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.simulation.scan import seeded, smooth_noise

SUMMARY = "evaluate on 512 x 512 x 100 voxels, 5 annotators, 3 classes, against whole-volume numpy"
SHAPE = (100, 512, 512)
ANNOTATORS = tuple(f"reader{number}" for number in range(1, 6))
CLASSES = ("background", "edema", "core")
MOST_REPEATS = 3


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    """Both sides read the same files; the figures of both must agree before any ratio is given."""
    with tempfile.TemporaryDirectory() as folder:
        study = _write_case(Path(folder), terminal)
        predictions = Path(folder) / "predictions"

        def ours() -> dict[str, Any]:
            return summary(evaluate(predictions, study))

        def rival() -> dict[str, float]:
            return whole_volume_numpy(predictions, study)

        _require_equal(ours(), rival())
        times = compare(ours, rival, repeats=min(options.repeats, MOST_REPEATS), warm_up=False)
        memory = peak_bytes(rival) / peak_bytes(ours)
    terminal.say(
        f"evaluate: {times.times_faster:.2f} times as fast as whole-volume numpy "
        f"({times.ours_seconds:.1f} s against {times.rival_seconds:.1f} s), with 1/{memory:.1f} of its peak memory."
    )
    return {"times_faster": times.times_faster, "times_less_memory": memory, "seconds": times.ours_seconds}


def whole_volume_numpy(predictions: Path, study: Study) -> dict[str, float]:
    """The definitions as one would write them down, one annotator after the other but each volume whole."""
    case, classes = study.cases[0], len(study.classes)
    folder = predictions / case.id
    truth, estimate = _labels(study.folder / "truth.nrrd"), _labels(folder / "truth.nrrd")
    p = read_image(folder / "truth_probability.nrrd").array
    real_labels, predicted_labels, squares, columns, images = [], [], [], [], []
    for name in study.annotators:
        labels = _labels(study.folder / f"{name}.nrrd")
        a = read_image(folder / f"confusion_{name}.nrrd").array.reshape(classes, classes, *SHAPE)
        real = np.full_like(a, 1 / classes)
        for index in range(classes):
            np.copyto(real[:, index], np.stack([labels == i for i in range(classes)]), where=truth == index)
        squares.append(np.mean((p * a + (1 - p) / classes - real) ** 2))
        columns.append(sum(((a[:, j] - real[:, j]) ** 2)[:, truth == j].sum() for j in range(classes)))
        said = (p * a).sum(axis=(2, 3, 4)) / p.sum(axis=(1, 2, 3))
        table = np.array([[np.mean(labels[truth == j] == i) for j in range(classes)] for i in range(classes)])
        images.append(np.mean((said - table) ** 2))
        predicted_labels.append((a * p).sum(axis=1).argmax(axis=0).astype(np.uint8))
        real_labels.append(labels)
    everyone = [*predicted_labels, *real_labels]
    n = len(predicted_labels)
    distance = np.zeros((2 * n, 2 * n))
    for one, other in itertools.combinations(range(2 * n), 2):
        distance[one, other] = distance[other, one] = 1 - _dice(everyone[one], everyone[other], classes)
    return {
        "dice": _dice(estimate, truth, classes),
        "cm_rmse": math.sqrt(np.mean(squares)),
        "cm_rmse_column": math.sqrt(np.mean(columns) / (truth.size * classes)),
        "cm_rmse_image": math.sqrt(np.mean(images)),
        "ged": 2 * distance[:n, n:].mean() - distance[:n, :n].mean() - distance[n:, n:].mean(),
    }


def _labels(path: Path) -> NDArray[Any]:
    return read_image(path).array


def _dice(one: NDArray[Any], other: NDArray[Any], classes: int) -> float:
    scores = []
    for index in range(1, classes):
        first, second = one == index, other == index
        total = int(first.sum()) + int(second.sum())
        scores.append(2 * int((first & second).sum()) / total if total else 1.0)
    return float(np.mean(scores))


def _require_equal(ours: dict[str, Any], rival: dict[str, float]) -> None:
    for key, value in rival.items():
        if not math.isclose(ours[key], value, abs_tol=1e-4):
            raise RuntimeError(f"{key} is {ours[key]} here and {value} by whole-volume numpy")


def _write_case(folder: Path, terminal: Terminal) -> Study:
    """Smooth made-up truth, labels and matrices; the matrices in steps of 1/64, so the files stay small."""
    random, grid = seeded(0, "bench"), Geometry.plain(SHAPE, (0.7, 0.7, 1.5))
    level = _landscape(random)
    truth = np.digitize(level, [1.2, 1.9]).astype(np.uint8)
    own, id = folder / "predictions" / "large", "large"
    write_labels(folder / "truth.nrrd", truth, grid)
    estimate = np.digitize(level, [1.1, 2.0])
    write_labels(own / "truth.nrrd", estimate, grid)
    sure = np.float32(0.9)
    probability = np.stack([np.where(estimate == index, sure, (1 - sure) / 2) for index in range(len(CLASSES))])
    write_components(own / "truth_probability.nrrd", probability, grid)
    annotations = {}
    for number, name in enumerate(steps(ANNOTATORS, "write the case", terminal.progress)):
        write_labels(folder / f"{name}.nrrd", np.digitize(level, [0.9 + 0.15 * number, 2.0 - 0.1 * number]), grid)
        annotations[name] = Annotation(folder / f"{name}.nrrd")
        write_components(own / f"confusion_{name}.nrrd", _matrices(_landscape(random)), grid)
    case = Case(id, (), annotations, folder / "truth.nrrd")
    Study("bench", CLASSES, ANNOTATORS, (case,)).write(folder)
    return Study.read(folder)


def _landscape(random: np.random.Generator) -> NDArray[np.float32]:
    """Smooth hills over the volume, made coarsely and enlarged."""
    coarse = smooth_noise(random, tuple(size // 4 for size in SHAPE), (1.0, 1.0, 1.0), 12.0)
    return np.asarray(coarse.repeat(4, axis=0).repeat(4, axis=1).repeat(4, axis=2))


def _matrices(level: NDArray[np.float32]) -> NDArray[np.float32]:
    classes = len(CLASSES)
    diagonal = np.rint(64 * np.clip(0.8 + 0.1 * level, 0.34, 1)).astype(np.float32) / 64
    field = np.empty((classes, classes, *level.shape), dtype=np.float32)
    field[:] = (1 - diagonal) / (classes - 1)
    for index in range(classes):
        field[index, index] = diagonal
    return field.reshape(classes**2, *level.shape)
