"""Scores a model on the held-out cases of a study by the measures of the paper and of its successors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.estimates import Estimate, Labels
from NoisyLabelSegLib.inference import load_model
from NoisyLabelSegLib.inference.draws import Draws
from NoisyLabelSegLib.inference.model import Model
from NoisyLabelSegLib.metrics import ConfusionErrors, confusion_errors, consensus, dice, ged, ged_iou

SAMPLES = 16


def score(package: Path, study: Study, seed: int) -> dict[str, Any]:
    """Means over the held-out cases, and the figures of every case; without test-time augmentation, as in the paper."""
    model, errors, cases = load_model(package, "cpu"), ConfusionErrors(), []
    for case in study.split("test").cases:
        found = model.predict(case)
        real = case.all_labels(study.annotators)
        truth = case.truth()
        assert truth is not None, "every study of the paper has one"
        if model.has_annotators:
            names = list(study.annotators)
            assert found.probabilities is not None
            matrices = [found.confusion[name] for name in names]
            errors += confusion_errors(matrices, found.probabilities, truth, real)
        cases.append(_case(model, case, found, truth, [drawn for drawn in real if drawn is not None], seed))
    figures = ("dice", "ged", "ged_iou", "consensus_error")
    means = {name: float(np.nanmean([case[name] for case in cases])) for name in figures}
    known = ("cm_rmse", "cm_rmse_column", "cm_rmse_image") if errors.entries else ()
    return {**means, **{name: getattr(errors, name) for name in known}, "cases": cases}


def _case(model: Model, case: Case, found: Estimate, truth: Labels, drawn: list[Labels], seed: int) -> dict[str, Any]:
    classes = len(model.classes)
    samples = draws(model, case, found, SAMPLES, seed)
    said = (
        [found.annotators[name] for name in model.annotators] if model.has_annotators else list(samples[: len(drawn)])
    )
    predicted, real = consensus(said, classes), consensus(drawn, classes)
    return {
        "id": case.id,
        "dice": float(dice(found.truth, truth, classes)),
        "ged": ged(said, drawn, classes),
        "ged_iou": ged_iou(list(samples), drawn, classes),
        "predicted_consensus": predicted,
        "consensus": real,
        "consensus_error": abs(predicted - real),
    }


def draws(model: Model, case: Case, found: Estimate, count: int, seed: int) -> NDArray[np.uint8]:
    """Labelings (N, *shape): of the network itself, of its annotators, or the truth where it knows neither."""
    if model.draws_samples:
        return model.samples(case, count, seed)
    assert found.probabilities is not None
    if not model.has_annotators:
        return np.repeat(found.truth[None], count, axis=0)
    samples = np.empty((count, *found.truth.shape), dtype=np.uint8)
    plan = Draws(count, model.annotators, seed)
    for name in model.annotators:
        plan.fill(samples, name, found.confusion[name], found.probabilities)
    return samples
