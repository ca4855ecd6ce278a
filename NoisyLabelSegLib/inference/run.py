"""Predicts the cases of a study, or loose images, into an estimate folder."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.cases.estimates import EstimateWriter
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference.case_prediction import CasePrediction
from NoisyLabelSegLib.inference.draws import Draws
from NoisyLabelSegLib.inference.model import PredictionOutputs, labels_of, load_model
from NoisyLabelSegLib.metrics.confusion import expected_errors
from NoisyLabelSegLib.output import output_folder, write_text
from NoisyLabelSegLib.progress import Progress, Report, paced, silent, steps

COMBINATION_JSON = "combination.json"
"""In the output folder, where labels were used: how, case by case."""

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
    report: Report = silent,
) -> dict[str, dict[str, Any]]:
    """Writes `<case id>/truth.nrrd` and so on for every case, on its own grid; all of them or none.

    Returns, where labels are used, how they were: case id to what COMBINATION_JSON holds.
    flips: test-time augmentation, the mean over mirror images and overlapping tiles (see `load_model`).
    """
    outputs = outputs or PredictionOutputs()
    loaded = load_model(model, device, flips=flips)
    loaded.require(outputs)
    if outputs.labels and not any(case.annotators for case in cases):
        raise UserError("None of the cases has labels", remedy="give a study with labels, or leave out --labels")
    used = dict[str, dict[str, Any]]()
    with output_folder(folder, force=force) as partial:
        hear = paced(report)
        for done, case in enumerate(steps(cases, "predict", report)):

            def on_part(part: float, done: int = done) -> None:
                hear(Progress("predict", done, len(cases), part=part * SHARE_BEFORE_WRITING))

            with loaded.run(case, outputs, scratch=partial, on_part=on_part) as found:
                writer = EstimateWriter(partial / case.id, case.geometry, compressed=outputs.compressed)
                if outputs.labels:
                    both = loaded.with_labels(found, labels_of(case)).combine()
                    used[case.id] = both.to_json()
                    writer.write_probabilities(both.probabilities)
                    writer.write_truth(both.labels)
                else:
                    writer.write_probabilities(found.probabilities)
                    writer.write_truth(found.truth)
                _write_annotators(found, outputs, writer)
        if outputs.labels:
            write_text(partial / COMBINATION_JSON, json.dumps({"cases": used}, indent=1, ensure_ascii=False) + "\n")
    return used


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
