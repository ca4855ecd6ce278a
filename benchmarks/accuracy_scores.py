"""Estimates of a trained model for the held-out cases of a study, and the matrices that fusion finds there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.inference import Predictor
from NoisyLabelSegLib.inference.model import trained_on_flips
from NoisyLabelSegLib.inference.predictor import likeliest_labels
from NoisyLabelSegLib.metrics import ConfusionErrors, confusion_errors
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.training.preprocessing import Preprocessing


@dataclass(frozen=True)
class Estimate:
    """Of one case: p (L, *shape); of known annotators their labels (R, *shape) and matrices (R, L, L, *shape)."""

    probabilities: NDArray[np.float32]
    said: NDArray[np.uint8] | None = None
    confusion: NDArray[Any] | None = None

    @property
    def truth(self) -> NDArray[np.intp]:
        return np.asarray(self.probabilities.argmax(axis=0))


def error_figures(errors: ConfusionErrors) -> dict[str, float]:
    return {name: getattr(errors, name) for name in ("cm_rmse", "cm_rmse_column", "cm_rmse_image")}


def estimates(package: Path, study: Study) -> Iterator[tuple[Case, Estimate]]:
    """The held-out cases and what a model makes of them; of annotators too, where it knows any."""
    network, card = load_package(package)
    preprocessing = Preprocessing.from_json(card.preprocessing)
    predictor = Predictor(network, patch=preprocessing.patch, flips=trained_on_flips(card))
    knows = network.predicts_annotators
    for case in study.split("test").cases:
        yield case, _estimate(predictor, preprocessing, case, annotators=knows)


def _estimate(predictor: Predictor, preprocessing: Preprocessing, case: Case, *, annotators: bool) -> Estimate:
    pieces = list(predictor.pieces(preprocessing.image(case), confusion=annotators))

    def whole(parts: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        """(..., N, H, W) joined along N, on the grid of the case."""
        field = np.concatenate(parts, axis=-3)
        flat = preprocessing.restored(field.reshape(-1, *field.shape[-3:]), case.geometry)
        return flat.reshape(*field.shape[:-3], *flat.shape[1:])

    truth = whole([piece.truth for piece in pieces])
    if not annotators:
        return Estimate(truth)
    confusion = whole([piece.confusion for piece in pieces if piece.confusion is not None])
    return Estimate(truth, np.stack([likeliest_labels(matrices, truth) for matrices in confusion]), confusion)


def fusion_errors(method: str, study: Study, labels: str, seed: int) -> dict[str, float]:
    """How wrong the matrices are that fusion finds, given the labels of the held-out cases: all, or one of each case.

    That is more than the networks get, which see the image only.
    """
    errors, rng = ConfusionErrors(), np.random.default_rng(seed)
    for case in study.split("test").cases:
        everyone = case.all_labels(study.annotators)
        seen = set(range(len(everyone))) if labels == "dense" else {int(rng.integers(len(everyone)))}
        given = [drawn if place in seen else None for place, drawn in enumerate(everyone)]
        fusion = fuse(given, method=method, classes=len(study.classes))
        matrices = [fusion.confusion_field(place) for place in range(len(everyone))]
        errors += confusion_errors(matrices, fusion.probabilities, _truth(case), everyone)
    return error_figures(errors)


def _truth(case: Case) -> NDArray[np.uint8]:
    truth = case.truth()
    assert truth is not None, "every study of the table has one"
    return truth


def mean_of(records: Sequence[Mapping[str, Any]], name: str) -> tuple[float, float]:
    """Mean and standard deviation (from n - 1; of a single one 0) of a figure over seeds; NaN where nobody has it."""
    values = [record[name] for record in records if record.get(name) is not None]
    if not values:
        return float("nan"), float("nan")
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
