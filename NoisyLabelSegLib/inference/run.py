"""Predicts the cases of a study, or loose images, into an estimate folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.cases.estimates import COMBINATION_JSON, OBJECT_JSON, EstimateWriter, require_apart
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference.case_prediction import CasePrediction
from NoisyLabelSegLib.inference.draws import Draws
from NoisyLabelSegLib.inference.given_labels import labels_of
from NoisyLabelSegLib.inference.model import Model, PredictionOutputs, load_model
from NoisyLabelSegLib.inference.objects import outline_object, place_of
from NoisyLabelSegLib.inference.scope import require_scope
from NoisyLabelSegLib.metrics.confusion import expected_errors
from NoisyLabelSegLib.output import output_folder, write_text
from NoisyLabelSegLib.progress import Progress, Report, paced, silent, steps

DEFAULT_EDGE = 64
"""Pixels of the square around a point, for models whose card does not say."""

SHARE_BEFORE_WRITING = 0.9
"""How far the bar of a case goes before its files are written."""


def predict_cases(
    model: str | Path,
    cases: Sequence[Case],
    folder: str | Path,
    *,
    outputs: PredictionOutputs | None = None,
    flips: bool = False,
    device: str = "auto",
    force: bool = False,
    anyway: bool = False,
    at: Sequence[float] = (),
    roi: Sequence[float] = (),
    report: Report = silent,
) -> dict[str, dict[str, Any]]:
    """Writes `<case id>/truth.nrrd` and so on for every case, on its own grid; all of them or none.

    Returns, where labels are used, how they were: case id to what COMBINATION_JSON holds.
    at, roi: a point (x, y, z), or a box of two corners, in RAS mm, for models that outline one object at a time.
    anyway: cases that the model is not for are predicted all the same.
    flips: test-time augmentation, the mean over mirror images and overlapping tiles (see `load_model`).
    """
    require_apart(cases, folder)
    outputs = outputs or PredictionOutputs()
    loaded = load_model(model, device, flips=flips)
    loaded.require(outputs)
    if outputs.labels and not any(case.annotators for case in cases):
        raise UserError("None of the cases has labels", remedy="give a study with labels, or leave out --labels")
    for case in () if anyway else cases:
        require_scope(loaded.card, case, at_object=bool(at or roi))
    if at or roi:
        _predict_object(loaded, cases, Path(folder), outputs, at=at, roi=roi, force=force)
        return {}
    used = dict[str, dict[str, Any]]()
    from_annotators = replace(outputs, samples=0) if loaded.draws_samples else outputs
    with output_folder(folder, force=force) as partial:
        hear = paced(report)
        for done, case in enumerate(steps(cases, "predict", report)):

            def on_part(part: float, done: int = done) -> None:
                hear(Progress("predict", done, len(cases), part=part * SHARE_BEFORE_WRITING))

            with loaded.run(case, from_annotators, scratch=partial, on_part=on_part) as found:
                writer = EstimateWriter(partial / case.id, case.geometry, compressed=outputs.compressed)
                if outputs.labels:
                    both = loaded.with_labels(found, labels_of(case)).combine()
                    used[case.id] = both.to_json()
                    writer.write_probabilities(both.probabilities)
                    writer.write_truth(both.labels)
                else:
                    writer.write_probabilities(found.probabilities)
                    writer.write_truth(found.truth)
                _write_annotators(found, from_annotators, writer)
            if outputs.samples and loaded.draws_samples:
                writer.write_samples(loaded.samples(case, outputs.samples, outputs.seed))
        if outputs.labels:
            write_text(partial / COMBINATION_JSON, json.dumps({"cases": used}, indent=1, ensure_ascii=False) + "\n")
    return used


def _predict_object(
    model: Model,
    cases: Sequence[Case],
    folder: Path,
    outputs: PredictionOutputs,
    *,
    at: Sequence[float],
    roi: Sequence[float],
    force: bool,
) -> None:
    if len(cases) != 1:
        raise UserError(
            "A point or a box belongs to one scan", remedy="give a single image, or leave out --at and --roi"
        )
    if not model.has_annotators:
        raise UserError(
            "This model has no annotators' part, which a point or a box needs", remedy="leave out --at and --roi"
        )
    if (outputs.fields and not outputs.samples) or outputs.confusion or outputs.labels:
        raise UserError("Confusion fields are not written for a point or a box", remedy="use --annotators or --samples")
    (case,) = cases
    edge = int(model.card.scope.get("edge", DEFAULT_EDGE))
    found = outline_object(model, case, place_of(case.geometry, at=at, roi=roi), edge, outputs)
    with output_folder(folder, force=force) as partial:
        writer = EstimateWriter(partial / case.id, case.geometry, compressed=outputs.compressed)
        writer.write_truth(found.whole(found.truth))
        writer.write_probability_slabs(found.probabilities, classes=2)
        for name, labels in found.annotators.items():
            writer.write_annotator(name, found.whole(labels))
        if outputs.samples:
            writer.write_sample_slabs(lambda rows: found.slab(found.samples, rows), outputs.samples)
        write_text(partial / case.id / OBJECT_JSON, json.dumps({"outlinedShare": found.share}) + "\n")


def _write_annotators(found: CasePrediction, outputs: PredictionOutputs, writer: EstimateWriter) -> None:
    draws = Draws(outputs.samples, found.names, outputs.seed)
    samples = np.empty((outputs.samples, *found.probabilities.shape[1:]), dtype=np.uint8)
    for annotator in found.annotators():
        if outputs.annotators:
            writer.write_annotator(annotator.name, annotator.labels())
        if annotator.confusion is not None and outputs.confusion:
            writer.write_confusion(annotator.name, annotator.confusion)
        if annotator.confusion is not None and outputs.expected:
            writer.write_expected(annotator.name, expected_errors(annotator.confusion, found.probabilities))
        if annotator.confusion is not None:
            draws.fill(samples, annotator.name, annotator.confusion, found.probabilities)
    if outputs.samples:
        writer.write_samples(samples)
