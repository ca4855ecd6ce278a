"""`bench labels`: the truth from image and labels together, against the image alone and the labels alone."""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_scores import mean_of
from benchmarks.accuracy_studies import make_study
from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import DEFAULT, fuse
from NoisyLabelSegLib.inference import PredictionOutputs, load_model
from NoisyLabelSegLib.inference.given_labels import labels_of
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.simulation import SimulationSettings, digits_recipe, phantom_recipe, simulate_study
from NoisyLabelSegLib.training import preset, train_study

SUMMARY = "Dice of the truth from image and labels together, from the image alone and from the labels alone."

Size = tuple[int, ...]
STUDIES: dict[str, tuple[Size | None, tuple[str, ...]]] = {
    "mnist": (None, ("epochs=25",)),
    "lesions": ((56, 56, 12), ("widths=[8,16,32]", "batch=4", "epochs=15")),
    "tumour": ((40, 40, 10), ("widths=[8,16,32]", "batch=4", "epochs=15")),
    "lidc": (None, ("widths=[8,16,32]", "samples=200", "epochs=8")),
}
"""The size of the phantoms, and what differs from the preset `quick`: small, so that a training takes a minute."""

SEEDS = (200, 201, 202)
"""The form was chosen with seeds 100 and 101."""
COLUMNS = ("image alone", "labels alone", "together")
PERFECT = "good"
MOST_LIDC_CASES = 60

Labels = NDArray[Any]
Setting = tuple[str, list[str], Labels]
"""A row of the table: its name, whose labels are used, and what the result is compared with."""


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--study", nargs="+", metavar="NAME", help=f"some of {', '.join(STUDIES)}; without it, all")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS), help="which seeds (default 200 201 202)")
    parser.add_argument("--out", default="labels", metavar="DIR", help="a JSON file per training (default %(default)s)")
    parser.add_argument(
        "--data", metavar="DIR", help="the folder of the real data, for lidc; without it, lidc is left out"
    )


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    names = options.study or [name for name in STUDIES if name != "lidc" or options.data]
    for name in names:
        if name not in STUDIES:
            raise UserError(f"There is no study {name!r}", remedy=f"choose among {', '.join(STUDIES)}")
        if name == "lidc" and not options.data:
            raise UserError("The study lidc needs real data", remedy="name their folder with --data")
    trainings = [(name, seed) for name in names for seed in options.seeds]
    records = [
        measure(name, seed, Path(options.out), Path(options.data or "."))
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


def measure(name: str, seed: int, out: Path, data: Path) -> dict[str, Any]:
    """The record of a training: read if it is there, else trained, scored and written."""
    file, kind = out / f"{name}-seed{seed}.json", {"fusion": DEFAULT, "settings": list(STUDIES[name][1])}
    if file.exists():
        record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if any(record[key] != value for key, value in kind.items()):
            raise UserError("was measured with other settings", file=file, remedy="choose another --out")
        return record
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        study = _study(name, seed, Path(folder) / "study", data)
        settings = preset("quick").with_words([*STUDIES[name][1], f"seed={seed}"])
        package = train_study(study, Path(folder) / "run", settings).package
        seconds = time.monotonic() - start
        rows = score(package, study)
    record = {"study": name, "seed": seed, **kind, "seconds": seconds, "rows": rows}
    write_text(file, json.dumps(record) + "\n")
    return record


def _study(name: str, seed: int, folder: Path, data: Path) -> Study:
    if name == "lidc":
        return make_study("lidc", "dense", seed, folder, data)
    settings = SimulationSettings(size=STUDIES[name][0], seed=seed)
    recipe = digits_recipe(settings) if name == "mnist" else phantom_recipe(name, settings)
    return simulate_study(recipe, folder, settings).study


def score(package: Path, study: Study) -> dict[str, dict[str, float]]:
    """Row to column to the mean Dice over the held-out cases; the network runs once a case."""
    model, classes = load_model(package, "cpu", flips=False), len(study.classes)
    found: dict[str, list[list[float]]] = {}
    for case in study.split("test").cases[:MOST_LIDC_CASES]:
        labels = labels_of(case)
        with model.run(case, PredictionOutputs(labels=True)) as prediction:
            both, truth = model.with_labels(prediction, labels), prediction.truth
        for row, used, reference in _rows(case, labels, held_out_reader=study.name == "lidc"):
            fused = fuse([labels[name] for name in used], DEFAULT, classes).labels
            estimates = (truth, fused, both.combine(used).labels)
            found.setdefault(row, []).append([dice(estimate, reference, classes) for estimate in estimates])
    return {row: dict(zip(COLUMNS, np.mean(figures, axis=0).tolist(), strict=True)) for row, figures in found.items()}


def _rows(case: Case, labels: Mapping[str, Labels], *, held_out_reader: bool) -> Iterator[Setting]:
    """All labels, all but those that equal the truth, and one; of real readers, all but one, and one."""
    names = list(labels)
    if held_out_reader:
        for reader in names:
            others = [name for name in names if name != reader]
            yield "three readers, against the fourth", others, labels[reader]
            for other in others:
                yield "one reader, against another", [other], labels[reader]
        return
    truth = case.truth()
    assert truth is not None, "a phantom's truth is known"
    yield "all", names, truth
    yield f"all but {PERFECT}", [name for name in names if name != PERFECT], truth
    for name in names:
        yield "one", [name], truth
