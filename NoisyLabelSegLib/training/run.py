"""A training from a study to a model package."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.networks.package import save_package
from NoisyLabelSegLib.output import only_writer
from NoisyLabelSegLib.progress import Report, Say, silent
from NoisyLabelSegLib.training.attempts import Attempts, Watch
from NoisyLabelSegLib.training.card import card_of
from NoisyLabelSegLib.training.cases import fitted, split_cases, study_digest
from NoisyLabelSegLib.training.checkpoints import Checkpoint
from NoisyLabelSegLib.training.devices import make_fabric
from NoisyLabelSegLib.training.label_agreement import label_agreement
from NoisyLabelSegLib.training.preparation import prepare
from NoisyLabelSegLib.training.recording import Recorder, begin_run, open_run
from NoisyLabelSegLib.training.samples import Samples
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.words import counted


@dataclass(frozen=True)
class Trained:
    """Where the package is, the figures of the epoch it was taken from, and the remarks of the run."""

    package: Path
    figures: dict[str, Any]
    remarks: tuple[str, ...]


def train_study(
    study: Study,
    folder: Path,
    settings: Settings,
    *,
    resume: bool = False,
    force: bool = False,
    report: Report = silent,
    say: Say = lambda _sentence: None,
    watch: Watch | None = None,
) -> Trained:
    """Trains on the study's cases of split `train`, writes into `folder` as it goes, and ends with `model.nlseg`.

    The figures that `watch` returns for the network after an epoch are recorded in `metrics.jsonl`.
    """
    start = time.monotonic()
    fabric = make_fabric(settings)
    if not fabric.is_global_zero:
        report, say = silent, lambda _sentence: None
    digest = study_digest(study)
    split = split_cases(study, settings)
    asked, settings = settings, fitted(settings, split.train)
    with only_writer(folder) if fabric.is_global_zero else nullcontext():
        state = open_run(folder, settings, digest, resume=resume, force=force)
        fabric.barrier()  # all have read the folder before the first process writes to it
        data = prepare(study, split, settings, report)
        recorder = Recorder(folder, settings, state, writes=fabric.is_global_zero, report=report, say=say)
        for remark in (*data.remarks, *_coarsened(asked, settings, split.train)):
            recorder.remark(remark)
        if fabric.is_global_zero and not resume:
            begin_run(folder, settings)
        earlier = state.epoch
        attempts = Attempts(fabric, data, settings, recorder, watch)
        network = attempts.train()
        package = folder / "model.nlseg"
        if fabric.is_global_zero:
            samples, surveys = data.held_out or (Samples(data.source, settings, vary=False), data.surveys)
            agreement = label_agreement(network, samples, surveys, attempts.settings, study.annotators)
            card = card_of(study, split.train, attempts.settings, network.architecture, state, agreement)
            save_package(package, network, card)
        fabric.barrier()
        say(_ending(state, settings, earlier, time.monotonic() - start))
        say(f"The model is {package}; use it with: noisylabelseg predict {package} IMAGES --out DIR")
        return Trained(package, state.kept, tuple(state.remarks))


def _coarsened(asked: Settings, fitted_settings: Settings, cases: Sequence[Case]) -> tuple[str, ...]:
    """A remark where the cases are resampled to a coarser grid than asked for."""
    if asked == fitted_settings:
        return ()
    edges = " x ".join(f"{edge:g}" for edge in fitted_settings.spacing)
    unit = "mm" if any(case.geometry.in_millimeters for case in cases) else "pixels of the images"
    large = f"The outlined objects are large for crops of {fitted_settings.patch} pixels"
    return (f"{large}, so the images are resampled to pixels of {edges} {unit}.",)


def _ending(state: Checkpoint, settings: Settings, earlier: int, seconds: float) -> str:
    """What happened in the run, in a sentence; so many epochs were done in an `earlier` one that this one resumed."""
    took = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
    epochs = f"Trained for {counted(state.epoch, 'epoch')}"
    if earlier == state.epoch:
        return f"This training had already ended after {counted(earlier, 'epoch')}."
    epochs += f", {earlier} of them in an earlier run," if earlier and not state.attempt else ""
    epochs += f" in {took}"
    if state.epoch < settings.epochs and not state.wrong:
        epochs += f", stopped early (of {settings.epochs})"
    times = {0: "without a restart", 1: "after one restart"}.get(state.attempt, f"after {state.attempt} restarts")
    return f"{epochs}, {times}{', and it went wrong: do not trust this model' if state.wrong else ''}."
