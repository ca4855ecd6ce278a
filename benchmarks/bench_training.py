"""`bench training`: what annotators add to a training step, and what low rank saves."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from benchmarks.measure import compare, peak_bytes
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.training.learners import load_learner
from NoisyLabelSegLib.training.loop import make_optimizer
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch, Draw, Samples, join
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.training.source import CaseArrays

SUMMARY = "A step with 5 annotators against a plain segmentation step; rank 1 against full rank over classes."

BATCH, EDGE, ANNOTATORS = 8, 128, 5
CLASSES = (2, 4, 6, 8, 10)
KINDS = {"plain": Settings(target="majority"), "full": Settings(), "rank1": Settings(confusion="low-rank")}
LABELS = LabelSummary(
    unused=np.zeros((ANNOTATORS, max(CLASSES)), dtype=np.bool_),
    absent=np.zeros(ANNOTATORS, dtype=np.bool_),
    weights=np.ones(ANNOTATORS, dtype=np.float32),
    has_single_labels=False,
)
"""Everybody labels everything, uses every class and is as reliable as the others."""
Peaks = dict[tuple[str, int], int]


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    torch.set_num_threads(1)  # one thread: steadier ratios, and forked measurements stay safe
    # Memory first: a child of a process that has trained already finds memory to use again, and seems to need none.
    peaks = {(name, classes): _peak(name, classes) for classes in CLASSES for name in KINDS}
    plain = [_against_plain(classes, options.repeats, peaks) for classes in (2, 4)]
    columns = ["classes", "step / plain step", "peak memory / plain", "data loading / step"]
    keys = ["classes", "time", "memory", "loading"]
    terminal.table(
        f"{ANNOTATORS} annotators, batch {BATCH}, {EDGE} x {EDGE}, default trunk", columns, _rows(plain, keys)
    )
    curve = [_over_classes(classes, options.repeats, peaks) for classes in CLASSES]
    columns = ["classes", "full step (s)", "rank 1 step (s)", "rank 1 / full", "full peak (MB)", "rank 1 peak (MB)"]
    keys = ["classes", "fullSeconds", "rank1Seconds", "ratio", "fullMegabytes", "rank1Megabytes"]
    terminal.table("Cost of a step over the number of classes", columns, _rows(curve, keys))
    return {"againstPlain": plain, "overClasses": curve}


def _peak(name: str, classes: int) -> int:
    return peak_bytes(lambda: _stepper(KINDS[name], classes)())


def _against_plain(classes: int, repeats: int, peaks: Peaks) -> dict[str, float]:
    times = compare(_stepper(KINDS["full"], classes), _stepper(KINDS["plain"], classes), repeats=repeats)
    return {
        "classes": classes,
        "time": times.ours_seconds / times.rival_seconds,
        "memory": peaks["full", classes] / peaks["plain", classes],
        "loading": _loading_seconds(classes) / times.ours_seconds,
    }


def _over_classes(classes: int, repeats: int, peaks: Peaks) -> dict[str, float]:
    times = compare(_stepper(KINDS["rank1"], classes), _stepper(KINDS["full"], classes), repeats=max(1, repeats // 2))
    return {
        "classes": classes,
        "fullSeconds": times.rival_seconds,
        "rank1Seconds": times.ours_seconds,
        "ratio": times.ours_seconds / times.rival_seconds,
        "fullMegabytes": peaks["full", classes] / 2**20,
        "rank1Megabytes": peaks["rank1", classes] / 2**20,
    }


def _stepper(settings: Settings, classes: int) -> Callable[[], None]:
    """A function that takes one whole step: forward, backward, optimizer."""
    torch.manual_seed(0)
    plain = settings.target != "coupled"
    learner = load_learner(settings.learner)
    network = learner.network(
        learner.architecture(settings, channels=1, classes=classes, annotators=ANNOTATORS), LABELS
    )
    objective = learner.objective(network, settings, LABELS)
    optimizer = make_optimizer(objective, network.annotator_parameters(), settings)
    batch = _batch(classes, plain=plain)

    def step() -> None:
        optimizer.zero_grad()
        objective(batch, done=0.5).loss.backward()
        optimizer.step()

    return step


def _batch(classes: int, *, plain: bool) -> Batch:
    labels = torch.randint(0, classes, (BATCH, ANNOTATORS, EDGE, EDGE))
    target = torch.nn.functional.one_hot(labels[:, 0], classes).movedim(-1, 1).float() if plain else None
    return Batch(torch.randn(BATCH, 1, EDGE, EDGE), labels, target, labels[:, 0])


def _loading_seconds(classes: int) -> float:
    """Cutting, varying and joining one batch from cases in memory, median of several."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, classes, (ANNOTATORS, 4, 256, 256)).astype(np.int16)
    case = CaseArrays(rng.normal(size=(1, 4, 256, 256)).astype(np.float32), labels, None, labels[0])
    samples = Samples([case], Settings(patch=EDGE))  # type: ignore[arg-type]  # a list stands in for the study
    times = []
    for turn in range(9):
        start = time.perf_counter()
        join([samples[Draw(0, 1, True, (turn, position))] for position in range(BATCH)])
        times.append(time.perf_counter() - start)
    return float(np.median(times))


def _rows(results: list[dict[str, float]], keys: list[str]) -> list[list[str]]:
    return [[f"{result[key]:.3g}" for key in keys] for result in results]
