"""`bench accuracy`: the coupled networks against every baseline; a finished run is kept."""

from __future__ import annotations

import argparse
import json
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.accuracy_scores import fusion_errors, mean_of, score_model
from benchmarks.accuracy_studies import REAL, SIMULATED, make_study, with_fewer_images
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.commands.fuse import parallel_map
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.training import Settings, preset, train_study

SUMMARY = "Dice and confusion-matrix errors of the coupled networks and every baseline on held-out cases."

METHODS: dict[str, tuple[str, ...]] = {
    "coupled": (),
    "low-rank": ("confusion=low-rank",),
    "global": ("confusion=global",),
    "no-trace": ("trace=0", "reliability=0", "completion=0"),
    "mean": ("target=mean",),
    "majority": ("target=majority",),
    "staple": ("target=staple",),
    "spatial-staple": ("target=spatial-staple",),
    "oracle-cm": ("confusion=oracle-cm",),
    "oracle-truth": ("target=truth",),
}
"""The default preset, changed by nothing but this."""

FUSED = ("staple", "spatial-staple")
"""Fusions that find matrices, too. With one label per image there is nothing to fuse: they teach what a vote does."""
DENSE_ONLY = ("mean", "low-rank", "oracle-truth")
"""The mean of one label is that label, the truth is the same with fewer labels, and what rank one costs shows there."""
LAMBDAS = (0.001, 0.01, 0.1, 0.4, 0.7, 0.9)
MEAN_DICES = (0.5, 0.6, 0.7, 0.8, 0.9)
IMAGES = (2, 4, 8)
SEEDS = (0, 1, 2)


@dataclass(frozen=True)
class Run:
    """One training: the method on a study, with everybody's labels or one per training case."""

    study: str
    labels: str
    method: str
    seed: int
    trace: float | None = None
    mean_dice: float | None = None
    images: int | None = None

    @property
    def name(self) -> str:
        more = "" if self.trace is None else f"-lambda{self.trace:g}"
        more += "" if self.mean_dice is None else f"-mean{self.mean_dice:g}"
        more += "" if self.images is None else f"-images{self.images}"
        return f"{self.study}-{self.labels}-{self.method}{more}-seed{self.seed}"

    @property
    def study_name(self) -> str:
        more = "" if self.mean_dice is None else f"-mean{self.mean_dice:g}"
        return f"{self.study}-{self.labels}{more}-seed{self.seed}"

    @property
    def taught(self) -> Run:
        """The run that has the same training: itself, or that of the vote where both teach the labels as they come."""
        return replace(self, method="majority") if self.labels == "one" and self.method in FUSED else self

    def settings(self, base: Settings) -> Settings:
        words = [*METHODS[self.method], f"seed={self.seed}"]
        return base.with_words([*words, f"trace={self.trace}"] if self.trace is not None else words)


def plan(study: str) -> Iterator[Run]:
    """Every training of a study's table, the most telling first."""
    methods = [method for method in METHODS if method != "low-rank" or study == "tumour"]
    if study == "lidc":
        methods = ["coupled", "staple", "majority", "oracle-truth"]
    if study.startswith("bubil"):
        methods = ["coupled"]
    for seed in SEEDS:
        for labels in ("dense",) if study in REAL else ("dense", "one"):
            for method in methods:
                if labels == "dense" or method not in DENSE_ONLY:
                    yield Run(study, labels, method, seed)


def curves() -> Iterator[Run]:
    """Over lambda (one label per image, where the trace acts), the annotators' noise, and how many images; one seed."""
    for trace in LAMBDAS:
        yield Run("lesions", "one", "coupled", 0, trace=trace)
    for mean_dice in MEAN_DICES:
        for method in ("coupled", "majority"):
            yield Run("lesions", "dense", method, 0, mean_dice=mean_dice)
    for images in IMAGES:
        yield Run("bubil-fib", "dense", "coupled", 0, images=images)


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--study", metavar="NAME", help="one of its studies, or curves; without it, all of them")
    parser.add_argument("--method", action="append", metavar="NAME", help="only this method; may be repeated")
    parser.add_argument("--seeds", type=int, nargs="+", default=list(SEEDS), help="which seeds (default 0 1 2)")
    parser.add_argument("--out", default="accuracy", metavar="DIR", help="a JSON file per run (default %(default)s)")
    parser.add_argument("--data", metavar="DIR", help="the folder of the real data, which the repository does not have")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="trainings side by side (default %(default)s)")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="change the preset, to try things")


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    names = [options.study] if options.study else [*SIMULATED, *REAL, "curves"]
    if options.jobs < 1:
        raise UserError(f"--jobs {options.jobs} leaves nobody to work", remedy="give 1 or more")
    if options.data is None and any(name in ("ms", *REAL, "curves") for name in names):
        raise UserError(
            f"The studies ms, {', '.join(REAL)} and the curves need real data, which the repository does not have",
            remedy="name their folder with --data, or a study without them with --study",
        )
    out, data = Path(options.out), Path(options.data or ".")
    base = preset("default").with_words(options.set)
    found = {}
    for name in names:
        items = [
            item
            for item in (curves() if name == "curves" else plan(name))
            if (not options.method or item.method in options.method) and item.seed in options.seeds
        ]
        records = _measured(items, base, out, data, options.jobs, terminal)
        _table(terminal, name, records)
        found[name] = [{**record, "cases": len(record["cases"])} for record in records]
    return found


def _measured(
    items: Sequence[Run], base: Settings, out: Path, data: Path, jobs: int, terminal: Terminal
) -> list[dict[str, Any]]:
    """The records of all runs, in order; several trainings at once have a process and a share of the cores each."""
    for item in items:  # before two processes would make the same study
        if item.study in SIMULATED and not _file(item, out).exists():
            _study_of(item, out, data)
    trainings = list(dict.fromkeys(item.taught for item in items))
    done = parallel_map(jobs)(partial(measure, base=base, out=out, data=data), trainings)
    for _ in steps(done, "accuracy", terminal.progress, total=len(trainings)):
        pass
    return [measure(item, base, out, data) for item in items]


def measure(item: Run, base: Settings, out: Path, data: Path) -> dict[str, Any]:
    """The record of a run: read if it is there, else trained, scored and written."""
    file = _file(item, out)
    settings = item.settings(base)
    recorded = replace(settings, seed=0).to_json()
    if file.exists():
        record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if record["settings"] != recorded:
            raise UserError("was measured with other settings", file=file, remedy="choose another --out")
        return record
    study = _study_of(item, out, data)
    scored = _trained(study, settings) if item.taught == item else measure(item.taught, base, out, data)
    record = {**scored, **asdict(item), "settings": recorded}
    if item.method in FUSED:
        record |= fusion_errors(item.method, study, item.labels, item.seed)
    write_text(file, json.dumps(record) + "\n")
    return record


def _file(item: Run, out: Path) -> Path:
    return out / f"{item.name}.json"


def _study_of(item: Run, out: Path, data: Path) -> Study:
    folder = out / "studies" / item.study_name
    study = make_study(item.study, item.labels, item.seed, folder, data, item.mean_dice)
    return study if item.images is None else with_fewer_images(study, item.images)


def _trained(study: Study, settings: Settings) -> dict[str, Any]:
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        trained = train_study(study, Path(folder) / "run", settings)
        seconds = time.monotonic() - start
        scores = score_model(trained.package, study, settings.seed).to_json()
    attempts = trained.figures["attempt"] + 1
    return {**scores, "seconds": seconds, "attempts": attempts, "remarks": list(trained.remarks)}


def _table(terminal: Terminal, name: str, records: list[dict[str, Any]]) -> None:
    rows: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for record in records:
        key = (record["labels"], record["method"], record["trace"], record["mean_dice"], record["images"])
        rows.setdefault(key, []).append(record)
    columns = ["labels", "method", "runs", "Dice", "cm_rmse", "cm_rmse_column", "GED", "seconds"]
    lines = []
    for (labels, method, trace, noise, images), group in rows.items():
        which = f"{method} lambda {trace:g}" if trace else method
        which += f" annotators {noise:g}" if noise else ""
        which += f" images {images}" if images else ""
        for record in group:
            record["ged"] = mean_of(record["cases"], "ged")[0]
        figures = [_plus_minus(*mean_of(group, key)) for key in ("dice", "cm_rmse", "cm_rmse_column", "ged")]
        lines.append([labels, which, len(group), *figures, f"{mean_of(group, 'seconds')[0]:.0f}"])
    terminal.table(f"{name}: held-out cases, mean and spread over seeds", columns, lines)


def _plus_minus(mean: float, spread: float) -> str:
    return "–" if math.isnan(mean) else f"{mean:.3f} ± {spread:.3f}"
