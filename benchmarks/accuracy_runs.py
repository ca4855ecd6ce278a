"""Makes the studies of the protocol, trains on them and scores what was trained."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_experts import expert_study, score_experts
from benchmarks.accuracy_lidc import nodule_study, score_nodules
from benchmarks.accuracy_protocol import (
    EXPERT_WORDS,
    EXPERTS,
    HELD_OUT,
    LIDC_WORDS,
    METHODS,
    SIMULATED,
    Run,
)
from benchmarks.accuracy_records import rounded
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.inference import PredictionOutputs, load_model
from NoisyLabelSegLib.metrics import ConfusionErrors, confusion_errors, dice
from NoisyLabelSegLib.simulation import SimulationSettings, digits_recipe, phantom_recipe, simulate_study
from NoisyLabelSegLib.training import Settings, preset, train_study

Scores = dict[str, Any]


def measure(run: Run, work: Path, data: Path) -> Scores:
    """The record of one training; generated studies are kept below `work`."""
    study, score = _prepared(run, work, data)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        trained = train_study(study, Path(folder) / "run", settings_of(run))
        seconds = time.process_time() - start
        found = score(trained.package, study)
    about = {"attempts": trained.figures["attempt"] + 1, "cpu_seconds": round(seconds, 1)}
    place = {"study": run.study, "panel": run.panel, "labels": run.labels, "method": run.method, "seed": run.seed}
    return {**place, **about, "words": list(words_of(run)), **rounded(found)}


def words_of(run: Run) -> tuple[str, ...]:
    """What differs from the preset `default`, besides the seed."""
    if run.study in SIMULATED:
        words = SIMULATED[run.study].words
    else:
        words = EXPERT_WORDS if run.study in EXPERTS else LIDC_WORDS
    return (*words, *METHODS[run.method].words, *run.words)


def settings_of(run: Run) -> Settings:
    return preset("default").with_words([*words_of(run), f"seed={run.seed}"])


def _prepared(run: Run, work: Path, data: Path) -> tuple[Study, Callable[[Path, Study], Scores]]:
    if run.study in EXPERTS:
        return expert_study(run.study, run.seed, data), score_experts
    if run.study == "lidc":
        return nodule_study(run.labels, run.seed, data), lambda package, _study: score_nodules(package, run.seed, data)
    return simulated_study(run, work), score_simulated


def simulated_study(run: Run, work: Path) -> Study:
    """The generated study of a run; the same for all its methods."""
    design, folder = SIMULATED[run.study], work / f"{run.study}-{run.panel}-{run.labels}-{run.seed}"
    if not (folder / "study.json").exists():
        cases = design.train + HELD_OUT
        settings = SimulationSettings(
            seed=run.seed,
            cases=cases,
            panel=design.panels[run.panel],
            missing=0.0 if run.labels == "all" else None,
            dense_splits=("test",),
            shares=(design.train / cases, 0.0, HELD_OUT / cases),
        )
        recipe = digits_recipe(settings) if design.kind == "mnist" else phantom_recipe(design.kind, settings)
        simulate_study(recipe, folder, settings, force=True)
    return Study.read(folder)


def score_simulated(package: Path, study: Study) -> Scores:
    """Dice of every held-out case, and matrices: the model's, and identity ones with the same p."""
    model, classes, cases = load_model(package, "cpu"), len(study.classes), list[float]()
    errors, identity = ConfusionErrors(), ConfusionErrors()
    for case in study.split("test").cases:
        found = model.predict(case, outputs=PredictionOutputs(confusion=model.has_annotators))
        truth = case.truth()
        assert truth is not None
        assert found.probabilities is not None
        cases.append(float(dice(found.truth, truth, classes)))
        if model.has_annotators:
            real = case.all_labels(study.annotators)
            matrices = [found.confusion[name] for name in study.annotators]
            errors += confusion_errors(matrices, found.probabilities, truth, real)
            same = [identity_field(classes, truth.shape)] * len(real)
            identity += confusion_errors(same, found.probabilities, truth, real)
    scores: Scores = {"dice": cases, "labels_dice": label_dice(study)}
    if model.has_annotators:
        scores |= {"matrices": _figures(errors), "identity": _figures(identity)}
    return scores


def label_dice(study: Study) -> dict[str, float]:
    """The Dice to the truth of fused training labels: how much of the truth the labels hold already."""
    cases = study.split("train").cases
    found = {}
    for method in ("majority", "weighted-majority"):
        values = []
        for case in cases:
            labels = fuse(case.all_labels(study.annotators), method=method, classes=len(study.classes)).labels
            truth = case.truth()
            assert truth is not None
            values.append(float(dice(labels, truth, len(study.classes))))
        found[method] = float(np.mean(values))
    return found


def identity_field(classes: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    matrix = np.eye(classes, dtype=np.float32).reshape(classes, classes, *[1] * len(shape))
    return np.broadcast_to(matrix, (classes, classes, *shape))


def _figures(errors: ConfusionErrors) -> dict[str, float]:
    return {name: float(getattr(errors, name)) for name in ("cm_rmse", "cm_rmse_column", "cm_rmse_image")}
