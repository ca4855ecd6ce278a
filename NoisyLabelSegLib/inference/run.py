"""Predicts the cases of a study, or loose images, into an estimate folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.cases.estimates import EstimateWriter
from NoisyLabelSegLib.inference.case_prediction import CasePrediction
from NoisyLabelSegLib.inference.model import PredictionOutputs, load_model
from NoisyLabelSegLib.metrics.confusion import expected_errors
from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Progress, Report, paced, silent, steps

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
) -> None:
    """Writes `<case id>/truth.nrrd` and so on for every case, on its own grid; all of them or none.

    flips: test-time augmentation, the mean over mirror images and overlapping tiles (see `load_model`).
    """
    outputs = outputs or PredictionOutputs()
    loaded = load_model(model, device, flips=flips)
    loaded.require(outputs)
    with output_folder(folder, force=force) as partial:
        hear = paced(report)
        for done, case in enumerate(steps(cases, "predict", report)):

            def on_part(part: float, done: int = done) -> None:
                hear(Progress("predict", done, len(cases), part=part * SHARE_BEFORE_WRITING))

            with loaded.run(case, outputs, scratch=partial, on_part=on_part) as found:
                _write(found, outputs, EstimateWriter(partial / case.id, case.geometry, compressed=outputs.compressed))


def _write(found: CasePrediction, outputs: PredictionOutputs, writer: EstimateWriter) -> None:
    writer.write_probabilities(found.probabilities)
    writer.write_truth(found.truth)
    for annotator in found.annotators():
        if outputs.annotators:
            writer.write_annotator(annotator.name, annotator.labels())
        if annotator.confusion is not None and outputs.confusion:
            writer.write_confusion(annotator.name, annotator.confusion)
        if annotator.confusion is not None and outputs.expected:
            writer.write_expected(annotator.name, expected_errors(annotator.confusion, found.probabilities))
