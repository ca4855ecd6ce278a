"""The paper's figures of consensus on LIDC-IDRI: predicted over real, and Dice in groups of cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.paper.outcome import Outcome
from benchmarks.paper.studies import Wanted, differences
from benchmarks.paper.trainings import METHODS, QUICK_SAYS, Training, Trainings
from NoisyLabelSegLib.metrics import correlation

GROUPS = ((0.3, 0.65, "low (30 to 65 %)"), (0.65, 0.75, "middle (65 to 75 %)"), (0.75, 0.9, "high (75 to 90 %)"))
"""The paper's groups; in its test data, consensus ranges from 30 % to 90 %."""
COMPARED = ("mean", "majority", "probabilistic-unet", "staple", "spatial-staple", "global", "no-trace", "coupled")


def run(name: str, trainings: Trainings) -> Outcome:
    return _scatter(trainings) if name == "consensus" else _groups(trainings)


def _cases(trainings: Trainings, method: str) -> list[dict[str, Any]]:
    wanted = [Wanted("lidc", "dense", seed, trainings.quick) for seed in trainings.seeds()]
    records = trainings.records(Training(item, method) for item in wanted)
    return [case for record in records for case in record["cases"]]


def _scatter(trainings: Trainings) -> Outcome:
    methods = ("coupled", "default", "conditioned")
    figure = Figure(figsize=(4.2 * len(methods), 4.2), layout="constrained")
    rows = []
    for axes, method in zip(np.atleast_1d(figure.subplots(1, len(methods), sharey=True)), methods, strict=True):
        pairs = [(case["consensus"], case["predicted_consensus"]) for case in _cases(trainings, method)]
        real, predicted = (np.array(values, dtype=float) for values in zip(*pairs, strict=True))
        r = correlation(predicted.tolist(), real.tolist())
        axes.scatter(real, predicted, s=14, alpha=0.6)
        axes.plot((0, 1), (0, 1), color="gray", linewidth=1)
        text = "r not defined" if math.isnan(r) else f"r = {r:.2f}"
        axes.set(title=f"{METHODS[method][0]}: {text}", xlabel="consensus of the readers (mean IoU)")
        axes.set(xlim=(0, 1), ylim=(-0.02, 1.02))
        axes.grid(alpha=0.3)
        figures = [text, f"{np.nanmean(real):.3f}", f"{np.nanmean(predicted):.3f}", len(real)]
        rows.append([METHODS[method][0], "strong positive linear correlation, no number", *figures])
    figure.axes[0].set_ylabel("consensus of the predicted annotators")
    columns = ["method", "paper", "here", "mean consensus of readers", "mean predicted", "cases"]
    return Outcome("Predicted consensus over that of the readers", columns, rows, _says(trainings), {"": figure})


def _groups(trainings: Trainings) -> Outcome:
    found = {method: _cases(trainings, method) for method in (*COMPARED, "default")}
    rows: list[list[str]] = []
    heights: dict[str, list[float]] = {}
    for method, cases in found.items():
        cells = []
        for low, high, _ in GROUPS:
            inside = [case["dice"] for case in cases if low <= case["consensus"] < high]
            heights.setdefault(method, []).append(float(np.mean(inside)) if inside else math.nan)
            cells.append(f"{100 * np.mean(inside):.2f}" if inside else "–")
        rows.append([METHODS[method][0], *cells])
    everyone = next(iter(found.values()))
    counts = [sum(low <= case["consensus"] < high for case in everyone) for low, high, _ in GROUPS]
    columns = ["method", *(f"{name}, {count} cases" for (_, _, name), count in zip(GROUPS, counts, strict=True))]
    outside = len(everyone) - sum(counts)
    says = [*_says(trainings), f"{outside} of {len(everyone)} cases lie outside the paper's range of consensus."]
    return Outcome("Dice (%) by the readers' consensus", columns, rows, says, {"": bars(heights)})


def bars(heights: dict[str, list[float]]) -> Figure:
    figure = Figure(figsize=(9, 4), layout="constrained")
    axes, width = figure.subplots(), 0.8 / len(heights)
    for place, (method, values) in enumerate(heights.items()):
        axes.bar(np.arange(len(GROUPS)) + place * width, values, width, label=METHODS[method][0])
    axes.set_xticks(np.arange(len(GROUPS)) + 0.4 - width / 2, [name for *_, name in GROUPS])
    axes.set(ylabel="Dice to the reference", ylim=(0, 1))
    figure.legend(fontsize=8, loc="outside right upper")
    return figure


def _says(trainings: Trainings) -> list[str]:
    return [
        differences("lidc", quick=trainings.quick, data=trainings.data),
        "The paper shows these figures without numbers. Consensus is the mean IoU over pairs of annotators.",
        *([QUICK_SAYS] if trainings.quick else []),
    ]
