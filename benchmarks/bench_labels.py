"""`bench labels`: the truth from image and labels together, against the image alone and the labels alone."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy_protocol import PANELS
from benchmarks.accuracy_scores import mean_of
from benchmarks.labeled_predictions import LIDC, LabeledCase, Labels, Predictions, predictions, words_of
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import DEFAULT, fuse
from NoisyLabelSegLib.fusion.combination import FORM
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import steps

SUMMARY = "Dice of the truth from image and labels together, from the image alone and from the labels alone."

STUDIES = {f"{study}, {panel}": (study, panel) for panel in PANELS for study in ("lesions", "tumor", "digits")}
STUDIES[LIDC] = (LIDC, "readers")
"""The simulated studies of `bench accuracy` with their panels, and LIDC."""

SEEDS = (300, 301, 302)
CHOOSING_SEEDS = (100, 101, 102)
COLUMNS = ("image alone", "labels alone", "together")
PERFECT = "good"

Setting = tuple[str, list[str], Labels]
"""A row of the table: its name, whose labels are used, and what the result is compared with."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--study", nargs="+", metavar="NAME", help=f"some of {'; '.join(STUDIES)}; without it, all")
    parser.add_argument(
        "--seeds",
        type=int,
        nargs="+",
        default=list(SEEDS),
        help=f"which seeds (default {' '.join(map(str, SEEDS))}; the form was chosen on seeds "
        f"{CHOOSING_SEEDS[0]} to {CHOOSING_SEEDS[-1]})",
    )
    parser.add_argument("--out", default="labels", metavar="DIR", help="a JSON file per training (default %(default)s)")
    parser.add_argument(
        "--keep", metavar="DIR", help="keep what the networks predict here, so that scoring anew needs no training"
    )
    parser.add_argument(
        "--data", metavar="DIR", help="the folder of the real data, for lidc; without it, lidc is left out"
    )


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    names = options.study or [name for name in STUDIES if name != LIDC or options.data]
    for name in names:
        if name not in STUDIES:
            raise UserError(f"There is no study {name!r}", remedy=f"choose among {'; '.join(STUDIES)}")
    keep, data = (path and Path(path) for path in (options.keep, options.data))
    trainings = [(name, seed) for seed in options.seeds for name in names]
    records = [
        measure(name, seed, Path(options.out), data, keep)
        for name, seed in steps(trainings, "labels", terminal.progress)
    ]
    found = summarized(records)
    terminal.table(
        f"Dice, mean and spread over seeds {', '.join(map(str, options.seeds))}; labels alone: {DEFAULT}",
        ["study", "labels of", *COLUMNS],
        [
            [study, row, *(f"{mean:.3f} ± {spread:.3f}" for mean, spread in cells)]
            for (study, row), cells in found.items()
        ],
    )
    return {f"{study}, {row}": dict(zip(COLUMNS, cells, strict=True)) for (study, row), cells in found.items()}


def summarized(records: Sequence[Mapping[str, Any]]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Study and row to the mean and spread of every column over the seeds."""
    rows: dict[tuple[str, str], list[Mapping[str, float]]] = {}
    for record in records:
        for row, figures in record["rows"].items():
            rows.setdefault((record["study"], row), []).append(figures)
    return {row: [mean_of(group, column) for column in COLUMNS] for row, group in rows.items()}


def measure(name: str, seed: int, out: Path, data: Path | None, keep: Path | None = None) -> dict[str, Any]:
    """The record of a training: read if it is there, else trained, scored and written."""
    study, panel = STUDIES[name]
    file = out / f"{study}-{panel}-seed{seed}.json"
    kind = {"fusion": DEFAULT, "form": FORM, "words": list(words_of(study))}
    if file.exists():
        record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if any(record.get(key) != value for key, value in kind.items()):
            raise UserError("was measured with other settings", file=file, remedy="choose another --out")
        return record
    found = predictions(study, panel, seed, data, keep)
    about = {"study": name, "seed": seed, **kind, "cpu_seconds": round(found.cpu_seconds, 1)}
    record = {**about, "rows": score(found, held_out_reader=study == LIDC)}
    write_text(file, json.dumps(record) + "\n")
    return record


def score(found: Predictions, *, held_out_reader: bool) -> dict[str, dict[str, float]]:
    """Row to column to the mean Dice over the held-out cases."""
    scores: dict[str, list[list[float]]] = {}
    for case in found.cases:
        both, classes = case.prediction(found.agreement), len(case.p)
        truth = case.p.argmax(axis=0)
        for row, used, reference in _rows(case, held_out_reader=held_out_reader):
            fused = fuse([case.labels[name] for name in used], DEFAULT, classes).labels
            estimates = (truth, fused, both.combine(used).labels)
            scores.setdefault(row, []).append([dice(estimate, reference, classes) for estimate in estimates])
    return {row: dict(zip(COLUMNS, np.mean(figures, axis=0).tolist(), strict=True)) for row, figures in scores.items()}


def _rows(case: LabeledCase, *, held_out_reader: bool) -> Iterator[Setting]:
    """All labels, all but those that equal the truth, and one; of real readers, all but one, and one."""
    names = list(case.labels)
    if held_out_reader:
        for reader in names:
            others = [name for name in names if name != reader]
            yield "three readers, against the fourth", others, case.labels[reader]
            for other in others:
                yield "one reader, against another", [other], case.labels[reader]
        return
    yield "all", names, case.truth
    if PERFECT in names:
        yield f"all but {PERFECT}", [name for name in names if name != PERFECT], case.truth
    for name in names:
        yield "one", [name], case.truth
