"""The paper's figure of accuracy over the annotators' noise, with all labels and with one label per image."""

from __future__ import annotations

from matplotlib.figure import Figure

from benchmarks.paper.outcome import Outcome, plus_minus
from benchmarks.paper.studies import TITLES, Wanted, differences
from benchmarks.paper.trainings import METHODS, QUICK_SAYS, Training, Trainings

LEVELS = (0.5, 0.6, 0.7, 0.8, 0.9)
QUICK_LEVELS = (0.5, 0.7, 0.9)
PANELS = (("mnist", "dense"), ("mnist", "one"), ("ms", "dense"), ("ms", "one"))
COMPARED = ("majority", "staple", "spatial-staple", "global", "no-trace", "coupled")
QUICK_COMPARED = ("majority", "coupled")


def run(_name: str, trainings: Trainings) -> Outcome:
    levels = QUICK_LEVELS if trainings.quick else LEVELS
    compared = QUICK_COMPARED if trainings.quick else COMPARED
    rows: list[list[str]] = []
    curves: dict[tuple[str, str, str], list[float]] = {}
    wanted = {
        (data_set, labels, level, method): [
            Training(Wanted(data_set, labels, seed, trainings.quick, level), method) for seed in trainings.seeds()
        ]
        for data_set, labels in PANELS
        for level in levels
        for method in compared
    }
    records = trainings.groups(wanted)
    for data_set, labels in PANELS:
        for level in levels:
            cells = []
            for method in compared:
                found = [record["dice"] for record in records[data_set, labels, level, method]]
                curves.setdefault((data_set, labels, method), []).append(sum(found) / len(found))
                cells.append(plus_minus(found, percent=True))
            rows.append([TITLES[data_set], "all" if labels == "dense" else "one per image", f"{level:g}", *cells])
    columns = ["data", "labels", "mean Dice of annotators", *(f"{METHODS[method][0]} (%)" for method in compared)]
    says = [
        *(differences(name, quick=trainings.quick, data=None) for name in ("mnist", "ms")),
        "The paper shows curves without numbers, so there is no row of it to print.",
        "Three annotators (over, under, wrong) whose mean Dice to the truth is set; nobody draws the truth.",
        "With one label per image STAPLE has one label to fuse, which is the vote.",
        *([QUICK_SAYS] if trainings.quick else []),
    ]
    return Outcome("Dice over the annotators' noise", columns, rows, says, {"": _figure(levels, compared, curves)})


def _figure(
    levels: tuple[float, ...], compared: tuple[str, ...], curves: dict[tuple[str, str, str], list[float]]
) -> Figure:
    figure = Figure(figsize=(14, 3.8), layout="constrained")
    for axes, (data_set, labels) in zip(figure.subplots(1, 4, sharey=True), PANELS, strict=True):
        for method, style in zip(compared, ("o-", "s--", "^:", "v-.", "x-", "D-"), strict=False):
            axes.plot(levels, curves[data_set, labels, method], style, label=METHODS[method][0])
        what = "all labels" if labels == "dense" else "one label per image"
        axes.set(title=f"{TITLES[data_set]}, {what}", xlabel="mean Dice of the annotators", ylim=(0, 1))
        axes.grid(alpha=0.3)
    figure.axes[0].set_ylabel("Dice on test cases")
    figure.axes[0].legend(fontsize=8)
    return figure
