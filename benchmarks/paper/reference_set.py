"""What a few cases with curated truth are worth: Dice over their number, and over that of noisy cases."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from benchmarks.paper.outcome import Outcome, plus_minus
from benchmarks.paper.scores import score
from benchmarks.paper.trainings import Trainings
from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study
from NoisyLabelSegLib.training import Settings, preset, train_study

SEEDS = (0, 1, 2)
NOISY = (4, 8, 16, 32)
CURATED = (1, 2, 4, 8)
BESIDE = 8
"""Noisy cases beside the curated ones."""
TESTED = 12
PANEL = "paper-erring"
"""Nobody in it draws the truth."""


@dataclass(frozen=True)
class Point:
    """A training set: cases with one noisy label each, and cases with a curated truth as well."""

    noisy: int
    curated: int
    seed: int

    @property
    def name(self) -> str:
        return f"reference-noisy{self.noisy}-curated{self.curated}-seed{self.seed}"

    @property
    def kind(self) -> str:
        if not self.curated:
            return "noisy alone"
        return f"curated beside {BESIDE} noisy" if self.noisy else "curated alone"


def points(seeds: Sequence[int] = SEEDS) -> Iterator[Point]:
    for seed in seeds:
        yield from (Point(noisy, 0, seed) for noisy in NOISY)
        yield from (Point(noisy, curated, seed) for noisy in (BESIDE, 0) for curated in CURATED)


def run(_name: str, trainings: Trainings) -> Outcome:
    records = [_record(point, trainings) for point in steps(list(points()), "train", trainings.terminal.progress)]
    noisy = {n: [r for r in records if r["kind"] == "noisy alone" and r["noisy"] == n] for n in NOISY}
    curve = {n: float(np.mean([r["dice"] for r in group])) for n, group in noisy.items()}
    rows = [["noisy alone", n, 0, *_cells(group, noisy[BESIDE]), "–"] for n, group in noisy.items()]
    for kind in (f"curated beside {BESIDE} noisy", "curated alone"):
        for count in CURATED:
            group = [r for r in records if r["kind"] == kind and r["curated"] == count]
            worth = worth_in_noisy(float(np.mean([r["dice"] for r in group])), curve)
            rows.append([kind, group[0]["noisy"], count, *_cells(group, noisy[BESIDE]), worth])
    columns = ["training cases", "noisy", "curated", "Dice (%)", f"ahead of {BESIDE} noisy by", "cm_rmse_column"]
    columns += ["seeds", "as many noisy ones as"]
    settings = _settings(0, quick=trainings.quick)
    size = " x ".join(str(length) for length in _size(trainings.quick))
    widths = "-".join(map(str, settings.widths))
    steps_taken = f"{settings.epochs} epochs of {settings.samples} crops of {settings.patch} pixels"
    says = [
        "The paper names a reference set as future work and has no figures.",
        f"Simulated lesions, {size} voxels, one label per image of three annotators who all err (Dice 0.7 each).",
        f"{TESTED} test cases; preset default with channels {widths}, {steps_taken}.",
        f"Ahead of {BESIDE} noisy by: the difference in Dice of the same seeds, which have the same test cases.",
        "Last column: the number of noisy cases with the same mean Dice, interpolated between those measured.",
    ]
    return Outcome("Curated and noisy cases, simulated lesions", columns, rows, says, {"": _figure(records)})


def worth_in_noisy(dice: float, curve: dict[int, float]) -> str:
    """The number of noisy cases that reach this Dice, interpolated on a logarithmic scale; beyond the ends, a bound."""
    numbers, reached = np.array(list(curve)), np.maximum.accumulate(list(curve.values()))
    if dice < reached[0]:
        return f"fewer than {numbers[0]}"
    if dice > reached[-1]:
        return f"more than {numbers[-1]}"
    return f"{2 ** float(np.interp(dice, reached, np.log2(numbers))):.1f}"


def _cells(group: list[dict[str, Any]], plain: list[dict[str, Any]]) -> list[Any]:
    dice = plus_minus([record["dice"] for record in group], percent=True)
    before = {record["seed"]: record["dice"] for record in plain}
    ahead = plus_minus([record["dice"] - before[record["seed"]] for record in group], percent=True)
    return [dice, ahead, plus_minus([record["cm_rmse_column"] for record in group]), len(group)]


def _size(quick: bool) -> tuple[int, int, int]:
    return (64, 64, 6) if quick else (80, 80, 16)


def _settings(seed: int, *, quick: bool) -> Settings:
    words = [f"seed={seed}", "device=cpu", "restarts=0"]
    if quick:
        words += ["widths=[8,16,32]", "patch=32", "samples=80", "epochs=25"]
    return preset("default").with_words(words)


def _record(point: Point, trainings: Trainings) -> dict[str, Any]:
    file = trainings.out / "records" / f"{point.name}.json"
    settings = _settings(point.seed, quick=trainings.quick)
    if file.exists():
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if Settings.from_json(found["settings"]) != settings:
            raise UserError("was measured with other settings", file=file, remedy="choose another --out")
        return found
    made = study_of(point, trainings.out / "studies" / f"reference-seed{point.seed}", quick=trainings.quick)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trained = train_study(made, Path(folder) / "run", settings)
        seconds = time.monotonic() - start
        found = {**score(trained.package, made, point.seed), **asdict(point), "kind": point.kind, "seconds": seconds}
    found |= {"settings": settings.to_json(), "remarks": list(trained.remarks)}
    write_text(file, json.dumps(found) + "\n")
    return found


def study_of(point: Point, folder: Path, *, quick: bool) -> Study:
    """The first noisy cases of a seed's study, and of the cases after all noisy ones the first as curated ones."""
    if not (folder / "study.json").exists():
        total = max(NOISY) + max(CURATED) + TESTED
        shares = ((total - TESTED) / total, 0.0, TESTED / total)
        settings = SimulationSettings(
            cases=total,
            size=_size(quick),
            seed=point.seed,
            missing=None,
            panel=PANEL,
            shares=shares,
            dense_splits=("test",),
        )
        simulate_study(phantom_recipe("lesions", settings), folder, settings, force=True)
    whole = Study.read(folder)
    train = list(whole.split("train").cases)
    chosen = [*train[: point.noisy], *(_curated(case) for case in train[max(NOISY) :][: point.curated])]
    return replace(whole, cases=(*chosen, *whole.split("test").cases))


def _curated(case: Case) -> Case:
    return replace(case, provenance={**case.provenance, "curated": True})


def _figure(records: list[dict[str, Any]]) -> Figure:
    figure = Figure(figsize=(10, 4), layout="constrained")
    for axes, key, title in zip(
        figure.subplots(1, 2), ("dice", "cm_rmse_column"), ("Dice on test cases", "error of matrices"), strict=True
    ):
        for kind, style in zip(dict.fromkeys(r["kind"] for r in records), ("o-", "s--", "^:"), strict=True):
            chosen = [record for record in records if record["kind"] == kind]
            by = "noisy" if kind == "noisy alone" else "curated"
            counts = sorted({record[by] for record in chosen})
            values = [[record[key] for record in chosen if record[by] == count] for count in counts]
            spread = [float(np.std(each, ddof=1)) for each in values]
            axes.errorbar(counts, [float(np.mean(each)) for each in values], spread, fmt=style, capsize=3, label=kind)
        axes.set(title=title, xlabel="cases of the kind that is counted", xscale="log")
        axes.set_xticks([*CURATED, *NOISY[2:]], [str(count) for count in (*CURATED, *NOISY[2:])])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
    figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=9)
    return figure
