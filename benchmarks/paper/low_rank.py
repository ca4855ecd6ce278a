"""The paper's table of rank-1 matrices on BraTS."""

from __future__ import annotations

from benchmarks.paper.cost import full_numbers, full_operations, low_rank_numbers, low_rank_operations
from benchmarks.paper.outcome import PUBLISHED, Outcome, plus_minus, published
from benchmarks.paper.studies import Wanted, differences
from benchmarks.paper.tables import CM_SAYS
from benchmarks.paper.trainings import METHODS, QUICK_SAYS, Training, Trainings

PIXELS, CLASSES = 192 * 192, 4
"""The paper's images and classes, for which it counts numbers and operations."""


def run(_name: str, trainings: Trainings) -> Outcome:
    counts = {
        "coupled": (full_numbers(CLASSES), full_operations(CLASSES)),
        "low-rank": (low_rank_numbers(CLASSES), low_rank_operations(CLASSES)),
    }
    rows = []
    for method, (numbers, operations) in counts.items():
        wanted = [Wanted("brats", "dense", seed, trainings.quick) for seed in trainings.seeds()]
        records = trainings.records(Training(item, method) for item in wanted)
        paper = PUBLISHED["low-rank"][method]
        figures = [published(paper["dice"], digits=2), plus_minus([record["dice"] for record in records], percent=True)]
        figures += [published(paper["cm"], digits=4), plus_minus([record.get("cm_rmse") for record in records])]
        costs = [f"{paper['parameters']} / {PIXELS * numbers}", f"{paper['flops']} / {PIXELS * operations}"]
        rows.append([METHODS[method][0], *figures, *costs, paper["memory"], len(records)])
    columns = ["matrices", "paper: Dice (%)", "here: Dice (%)", "paper: CM error", "here: cm_rmse"]
    columns += ["numbers: paper / here", "operations: paper / here", "paper: GPU memory", "runs"]
    says = [
        differences("brats", quick=trainings.quick, data=trainings.data),
        CM_SAYS,
        "Numbers and operations: one annotator, 192 x 192 pixels, 4 classes, by the paper's formulas.",
        "Memory of a GPU was not measured.",
        "Our rank 1 is d I + B1 B2^T with normalized columns: as written in the paper, rank 1 makes all columns equal.",
        *([QUICK_SAYS] if trainings.quick else []),
    ]
    return Outcome("Rank-1 matrices beside full ones, several classes", columns, rows, says)
