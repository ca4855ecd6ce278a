"""`bench fusion-table`: Dice and calibration of every fusion method on simulated panels and real readers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fusion_readers import reader_rows
from benchmarks.fusion_rows import MakeRows, Row, Task, known_truth_rows
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import Fusion, Votes
from NoisyLabelSegLib.fusion.methods import method_named
from NoisyLabelSegLib.fusion.pool import Pool
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.metrics.calibration_error import Calibration, calibration
from NoisyLabelSegLib.metrics.overlap import dice
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import steps

SUMMARY = "Dice and expected calibration error of every fusion method, against the truth or a reader left out."

BASE = "majority"
SETTINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    BASE: ("majority", {}),
    "weighted": ("weighted-majority", {}),
    "staple": ("staple", {}),
    "staple, itk": ("staple", {"compatible": "itk"}),
    "staple, before": (
        "staple",
        {"start": "votes", "background": "disputed", "caution": 0.3},
    ),
    "spatial": ("spatial-staple", {}),
    "lop": ("lop-staple", {}),
    "collate": ("collate", {}),
    "simple": ("simple", {}),
    "hierarchical": ("hierarchical", {}),
    "mean": ("mean", {}),
}
"""Column to method and options; "staple, before" is the default setting of earlier versions."""

CHOOSING_SEEDS = "0,1,2"
REPORTING_SEEDS = "10,11,12"
Record = dict[str, dict[str, dict[str, float]]]
"""Scores by row and seed ("row #seed"), setting, and figure."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seeds",
        default=REPORTING_SEEDS,
        metavar="LIST",
        help=f"seeds of what is simulated (default %(default)s, for reporting; settings were chosen on "
        f"{CHOOSING_SEEDS})",
    )
    parser.add_argument(
        "--data",
        action="append",
        default=[],
        metavar="DIR",
        help="a folder of real readers: lidc_readers, kits-tumours, cfos-experts or bubil-cells; repeat for more",
    )
    parser.add_argument("--record", metavar="FILE", help="keep finished rows in this JSON file and skip those in it")


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    record: Record = _read(options.record)
    work: list[tuple[str, int | None, MakeRows]] = [
        (name, seed, make) for seed in _numbers(options.seeds) for name, make in known_truth_rows(seed).items()
    ]
    work += [(name, None, make) for name, make in reader_rows([Path(folder) for folder in options.data]).items()]
    for name, seed, make in steps(work, "fuse", terminal.progress):
        done = record.setdefault(f"{name} rows #{seed}", {})
        missing = [setting for setting in SETTINGS if setting not in done]
        for row in make() if missing else ():
            record.setdefault(f"{row.name} #{seed}", {}).update(scores(row, missing))
        done.update({setting: {} for setting in missing})
        if options.record and missing:
            write_text(options.record, json.dumps(record, indent=1))
    results = {key: value for key, value in record.items() if " rows #" not in key}
    _show(terminal, results)
    return {"scores": results, "summary": summary(results)}


def scores(row: Row, settings: Iterable[str]) -> dict[str, dict[str, float]]:
    """The mean Dice over the row's tasks, and the calibration error over the voxels that any annotator marked."""
    groups = [[(task, Votes(task.labels, classes=row.classes)) for task in group] for group in row.groups]
    return {setting: _score(groups, *SETTINGS[setting], row.classes) for setting in settings}


def _score(
    groups: Sequence[Sequence[tuple[Task, Votes]]], method: str, options: Mapping[str, Any], classes: int
) -> dict[str, float]:
    dices, calibrations = [], []
    for group in groups:
        for (task, _), fusion in zip(group, _fused([votes for _, votes in group], method, options), strict=True):
            dices.append(dice(fusion.labels, task.truth, classes))
            calibrations.append(_calibration(fusion, task, classes))
    pooled = calibrations[0]
    for part in calibrations[1:]:
        pooled += part
    return {"dice": float(np.mean(dices)), "ece": pooled.ece}


def _fused(group: Sequence[Votes], method: str, options: Mapping[str, Any]) -> Iterator[Fusion]:
    """As the verb `fuse` does: methods that estimate annotators do so over all cases with the same ones."""
    if len(group) == 1 or not method_named(method).pools:
        for votes in group:
            yield votes.fuse(method, **options)
        return
    pool = Pool.solve(VoteTable.pooled([votes.table for votes in group]), method_named(method), options)
    for votes in group:
        yield votes.fused_as(pool.part(votes.table))


def _calibration(fusion: Fusion, task: Task, classes: int) -> Calibration:
    marked = np.flatnonzero(np.any([labels > 0 for labels in task.labels], axis=0))
    probabilities = np.stack([fusion.probability(label).reshape(-1)[marked] for label in range(classes)])
    return calibration(probabilities, task.truth.reshape(-1)[marked])


def summary(results: Record) -> dict[str, dict[str, Any]]:
    """For every setting: mean gain over the majority vote, worst row, and calibration error, over the rows' means."""
    rows = row_means(results)
    found = {}
    for setting in SETTINGS:
        gains = {name: values[setting][0] - values[BASE][0] for name, values in rows.items()}
        worst = min(gains, key=lambda name: gains[name])
        errors = [values[setting][2] for values in rows.values()]
        found[setting] = {
            "mean_gain": float(np.mean(list(gains.values()))),
            "worst_gain": gains[worst],
            "worst_row": worst,
            "mean_ece": float(np.mean(errors)),
            "worst_ece": max(errors),
        }
    return found


def row_means(results: Record) -> dict[str, dict[str, tuple[float, float, float]]]:
    """By row and setting: mean Dice over the seeds, its standard deviation, and the mean calibration error."""
    names = dict.fromkeys(key.rsplit(" #", 1)[0] for key in results)
    rows = {}
    for name in names:
        found = [value for key, value in results.items() if key.rsplit(" #", 1)[0] == name]
        rows[name] = {setting: _spread([scores[setting] for scores in found]) for setting in SETTINGS}
    return rows


def _spread(found: Sequence[Mapping[str, float]]) -> tuple[float, float, float]:
    dices = [scores["dice"] for scores in found]
    return float(np.mean(dices)), float(np.std(dices)), float(np.mean([scores["ece"] for scores in found]))


def _show(terminal: Terminal, results: Record) -> None:
    rows = row_means(results)
    terminal.table(
        "Dice (standard deviation over seeds)",
        ["row", *SETTINGS],
        [[name, *(f"{mean:.3f} ({spread:.3f})" for mean, spread, _ in row.values())] for name, row in rows.items()],
    )
    terminal.table(
        "Expected calibration error where anyone marked something",
        ["row", *SETTINGS],
        [[name, *(f"{error:.3f}" for _, _, error in row.values())] for name, row in rows.items()],
    )
    terminal.table(
        "Gain over the majority vote",
        ["method", "mean gain", "worst row's gain", "worst row", "mean ECE", "worst ECE"],
        [
            [setting, *(value if isinstance(value, str) else f"{value:+.4f}" for value in found.values())]
            for setting, found in summary(results).items()
        ],
    )


def _numbers(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",") if word.strip()]
    except ValueError as error:
        raise UserError(f"--seeds {text} is not a list of whole numbers", remedy="write --seeds 10,11,12") from error


def _read(path: str | None) -> Record:
    if path is None or not Path(path).exists():
        return {}
    try:
        found: Record = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError("is not a record of this benchmark", file=path, remedy="name another file") from error
    return found
