"""The paper's tables of Dice and CM error, with all labels and with one label per image, and that of GED."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.paper.outcome import PUBLISHED, Outcome, plus_minus, published
from benchmarks.paper.studies import DATA_SETS, TITLES, Wanted, differences
from benchmarks.paper.trainings import METHODS, QUICK_SAYS, Training, Trainings

CM_SAYS = (
    "The paper's CM error is called root-MSE in its text and MSE in its captions; ours is cm_rmse of docs/metrics.md. "
    "The two columns are not like for like."
)
STAPLE_SAYS = (
    "STAPLE's matrices come from fusing the labels of the held-out cases themselves (one of them with one label per "
    "image); with a single label, fusion cannot judge an annotator and all matrices are 1/L."
)
GED_SAYS = (
    "Our GED is squared, with d = 1 - mean foreground Dice, and at most 2; the paper's values reach 3.23, so they are "
    "scaled otherwise. Only the order of the two methods compares."
)


def run(name: str, trainings: Trainings) -> Outcome:
    return _ged(trainings) if name == "ged" else _dice(name, trainings)


def shared_differences(trainings: Trainings) -> list[str]:
    """What is said below every table: the data, the number of seeds, and how --quick shortens."""
    found = [differences(name, quick=trainings.quick, data=trainings.data) for name in DATA_SETS]
    return found + ([QUICK_SAYS] if trainings.quick else [])


def _dice(name: str, trainings: Trainings) -> Outcome:
    labels = "dense" if name == "dense" else "one"
    table = PUBLISHED[labels]
    rows = [
        [TITLES[data_set], METHODS[method][0], *_cells(table.get(method, {}).get(data_set), records)]
        for (data_set, method), records in _records(trainings, labels, [*table, "default"]).items()
    ]
    columns = ["data", "method", "paper: Dice (%)", "here: Dice (%)", "paper: CM error", "here: cm_rmse", "runs"]
    differs = [*shared_differences(trainings), CM_SAYS, STAPLE_SAYS]
    what = "all labels" if labels == "dense" else "one label per image"
    return Outcome(f"Dice and error of confusion matrices, {what}", columns, rows, differs)


def _records(trainings: Trainings, labels: str, methods: Sequence[str]) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """The records of all seeds by data set and method."""
    return trainings.groups(
        {
            (data_set, method): [
                Training(Wanted(data_set, labels, seed, trainings.quick), method) for seed in trainings.seeds()
            ]
            for data_set in DATA_SETS
            for method in methods
        }
    )


def _cells(paper: list[float] | None, records: list[dict[str, Any]]) -> list[Any]:
    known = paper or []
    return [
        published(known[:2], digits=2),
        plus_minus([record["dice"] for record in records], percent=True),
        published(known[2:], digits=4),
        plus_minus([record.get("cm_rmse") for record in records]),
        len(records),
    ]


def _ged(trainings: Trainings) -> Outcome:
    rows = []
    compared = ("probabilistic-unet", "coupled", "default")
    for (data_set, method), records in _records(trainings, "dense", compared).items():
        paper = published(PUBLISHED["ged"].get(method, {}).get(data_set), digits=2)
        figures = [plus_minus([record[key] for record in records]) for key in ("ged", "ged_iou")]
        rows.append([TITLES[data_set], METHODS[method][0], paper, *figures, len(records)])
    columns = ["data", "method", "paper: GED", "here: GED (1 - Dice)", "here: GED_16 (1 - IoU)", "runs"]
    return Outcome("Generalized energy distance", columns, rows, [*shared_differences(trainings), GED_SAYS])
