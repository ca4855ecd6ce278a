"""Studies in which a number is one person throughout: cFOS nuclei and BU-BIL cells, by folds of images."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_protocol import FOLDS
from benchmarks.accuracy_studies import make_study
from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, read_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.metrics import dice

NUCLEI_STEP = 2
"""Images of 704 x 704 are brought to 352 x 352."""

NUCLEI_EXPERTS = tuple(f"expert_{number}" for number in range(1, 6))
Matrix = NDArray[np.float64]


def expert_study(name: str, fold: int, data: Path) -> Study:
    """The study with one fold of its images held out; there is no truth."""
    if name.startswith("bubil"):
        study = make_study(name, "dense", fold, data, data)
        return replace(study, cases=tuple(replace(case, truth_source=None) for case in study.cases))
    folder = data / "cfos-experts"
    if not folder.is_dir():
        raise UserError("is not there", file=folder, remedy="give the folder that holds it with --data")
    places = sorted(folder.glob("lab-wue1_*"))
    order = np.random.default_rng(0).permutation(len(places)).tolist()
    cases = [_nuclei(places[number], place % FOLDS == fold) for place, number in enumerate(order)]
    return Study(name, ("background", "nucleus"), NUCLEI_EXPERTS, tuple(cases))


def _nuclei(folder: Path, held_out: bool) -> Case:
    image = _coarser(read_image(folder / "image.png").array.astype(np.float32))
    grid = Geometry.plain(image.shape)
    masks = {
        name: (_coarser((read_image(folder / f"{name}.png").array > 0).astype(np.float32)) >= 0.5).astype(np.uint8)
        for name in NUCLEI_EXPERTS
    }
    given = {name: Annotation(Image(mask, grid)) for name, mask in masks.items()}
    return Case(folder.name, (Image(image, grid),), given, split="test" if held_out else "train", classes=2)


def _coarser(image: NDArray[np.float32]) -> NDArray[np.float32]:
    """Means of squares of NUCLEI_STEP x NUCLEI_STEP pixels."""
    height, width = (length // NUCLEI_STEP for length in image.shape)
    squares = image[: height * NUCLEI_STEP, : width * NUCLEI_STEP]
    return np.asarray(squares.reshape(height, NUCLEI_STEP, width, NUCLEI_STEP).mean(axis=(1, 3)), dtype=np.float32)


def score_experts(package: Path, study: Study) -> dict[str, Any]:
    """For every held-out image: Dice of p to each expert, of predicted experts to real ones, and the matrices.

    matrices: of each expert, counted against the consensus of the other experts (at least half of them); the model's
    mean matrix in the image, weighted by p; and, in `staple`, what STAPLE estimated from the training images' labels.
    """
    found: dict[str, Any] = {"cases": []}
    model = load_model(package, "cpu")
    for case in study.split("test").cases:
        estimate = model.predict(case)
        assert estimate.probabilities is not None
        real = [_drawn(case, name) for name in study.annotators]
        figures: dict[str, Any] = {"id": case.id, "to_experts": [float(dice(estimate.truth, one, 2)) for one in real]}
        figures["counted"] = [counted(real, place).tolist() for place in range(len(real))]
        if estimate.confusion:
            said = [estimate.annotators[name] for name in study.annotators]
            figures["said_to_experts"] = [[float(dice(one, other, 2)) for other in real] for one in said]
            figures["matrices"] = [
                mean_matrix(estimate.confusion[name], estimate.probabilities).tolist() for name in study.annotators
            ]
        found["cases"].append(figures)
    return {**found, "staple": pooled_staple(study).tolist()}


def counted(real: list[NDArray[np.uint8]], place: int) -> Matrix:
    """[i, j] = how often this expert says i where the consensus of the others is j; columns sum to one."""
    others = [labels for number, labels in enumerate(real) if number != place]
    consensus = (np.mean(others, axis=0) >= 0.5).astype(int)
    table = np.zeros((2, 2))
    np.add.at(table, (real[place].ravel().astype(int), consensus.ravel()), 1)
    return np.asarray(table / np.maximum(table.sum(axis=0), 1))


def mean_matrix(confusion: NDArray[np.float32], probabilities: NDArray[np.float32]) -> Matrix:
    """The mean over pixels of a field (L, L, *shape), column j weighted by p_j."""
    weighted = (confusion * probabilities).sum(axis=tuple(range(2, confusion.ndim)), dtype=np.float64)
    return np.asarray(weighted / weighted.sum(axis=0))


def pooled_staple(study: Study) -> Matrix:
    """STAPLE's matrices (R, 2, 2) of the training images, estimated over all of them at once."""
    rows = [
        np.concatenate([_drawn(case, name).ravel() for case in study.split("train").cases]) for name in study.annotators
    ]
    return np.asarray(fuse(rows, method="staple", classes=2).confusion)


def _drawn(case: Case, name: str) -> NDArray[np.uint8]:
    labels = case.labels(name)
    assert labels is not None
    return labels
