"""The trainings behind the tables and figures: each by the paper's preset, each with one record, each resumable."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch

from benchmarks.accuracy_scores import fusion_errors
from benchmarks.paper.scores import score
from benchmarks.paper.studies import Wanted, study, uses_data
from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.training import Settings, preset, train_study
from NoisyLabelSegLib.training.preprocessing import Preprocessing

METHODS: dict[str, tuple[str, tuple[str, ...]]] = {
    "mean": ("Naive CNN on mean labels", ("target=mean",)),
    "majority": ("Naive CNN on mode labels", ("target=majority",)),
    "probabilistic-unet": ("Probabilistic U-Net", ("target=probabilistic-unet",)),
    "separate": ("Separate CNNs on annotators", ("target=separate",)),
    "staple": ("STAPLE", ("target=staple",)),
    "spatial-staple": ("Spatial STAPLE", ("target=spatial-staple",)),
    "global": ("The method with global CMs", ("confusion=global",)),
    "no-trace": ("The method without trace", ("trace=0",)),
    "coupled": ("The method", ()),
    "low-rank": ("The method, rank 1", ("confusion=low-rank", "rank=1")),
    "oracle-cm": ("Oracle (the method with known CMs)", ("target=oracle-cm",)),
    "phiseg": ("PHiSeg", ("target=phiseg",)),
    "conditioned": ("Annotator-conditioned network", ("target=conditioned",)),
    "agreed": ("Agreed pixels, the rest filled in", ("target=agreed",)),
    "default": ("Preset default", ()),
}
"""Title in the paper's words, and what changes in its preset; `default` has the settings of another preset."""

Row = TypeVar("Row", bound=Hashable)

FUSED = ("staple", "spatial-staple")
QUICK = (
    "widths=[8,16,32,64,64]",
    "learning_rate=2e-3",
    "batch=4",
    "patch=32",
    "coarsen=false",
    "foreground=0.9",
    "restarts=0",
)
QUICK_STEPS = 300
QUICK_SAYS = (
    f"--quick: channels 8-16-32-64-64, learning rate 0.002, batches of 4, crops of 32 pixels, about {QUICK_STEPS} "
    "steps, one seed. These figures show that the command works, not what the method reaches."
)


@dataclass(frozen=True)
class Training:
    """One training: a study by its properties, a method of METHODS, and further changes of the settings."""

    wanted: Wanted
    method: str
    changes: tuple[str, ...] = ()
    curve: bool = False
    """Whether the Dice on the validation cases is measured after every epoch."""

    @property
    def name(self) -> str:
        more = "".join("-" + word.replace("=", "") for word in self.changes)
        return f"{self.wanted.name}-{self.method}{more}{'-curve' if self.curve else ''}"

    @property
    def taught(self) -> Training:
        """With one label a case every fusion is that label: the training is that of the vote."""
        alike = self.wanted.labels == "one" and self.method in FUSED
        return replace(self, method="majority") if alike else self


@dataclass
class Trainings:
    """Reads the record of a training, or trains, scores and writes it; a training that was stopped goes on."""

    out: Path
    quick: bool
    data: Path | None
    terminal: Terminal
    studies: dict[Wanted, Study] = field(default_factory=dict, repr=False)

    def seeds(self) -> Sequence[int]:
        return (0,) if self.quick else (0, 1, 2)

    def records(self, trainings: Iterable[Training]) -> list[dict[str, Any]]:
        """The records in order."""
        items = list(trainings)
        for item in steps(list(dict.fromkeys(item.taught for item in items)), "train", self.terminal.progress):
            self.record(item)
        return [self.record(item) for item in items]

    def groups(self, wanted: Mapping[Row, Sequence[Training]]) -> dict[Row, list[dict[str, Any]]]:
        """The records of every row of a table; all are trained in one go, so that the time left is that of all."""
        found = iter(self.records(item for group in wanted.values() for item in group))
        return {row: [next(found) for _ in group] for row, group in wanted.items()}

    def record(self, item: Training) -> dict[str, Any]:
        file = self.out / "records" / f"{self._name(item)}.json"
        made = self.study(item.wanted)
        settings = self.settings(item, made)
        if file.exists():
            found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
            if Settings.from_json(found["settings"]) != settings:  # a setting that came later has its default
                raise UserError("was measured with other settings", file=file, remedy="choose another --out")
            return found
        if item.taught != item:
            found = {**self.record(item.taught), "settings": settings.to_json(), **_described(item)}
        else:
            found = {**self._trained(item, made, settings), **_described(item), "settings": settings.to_json()}
        if item.method in FUSED:
            found |= fusion_errors(item.method, made, item.wanted.labels, item.wanted.seed)
        write_text(file, json.dumps(found) + "\n")
        return found

    def settings(self, item: Training, made: Study) -> Settings:
        """The paper's preset for the data set, changed by the method and nothing else; shortened with --quick."""
        default = item.method == "default"
        base = preset("default" if default else f"paper-{item.wanted.data_set}")
        words = [*METHODS[item.method][1], *item.changes, f"seed={item.wanted.seed}", "device=cpu"]
        if self.quick:
            words = [*QUICK, *words]
            words += ["samples=60"] if default else []
            images = 60 if default else _images(made)
            words.append(f"epochs={max(3, round(QUICK_STEPS * 4 / images))}")
        return base.with_words(words)

    def study(self, wanted: Wanted) -> Study:
        if wanted not in self.studies:
            self.studies[wanted] = study(wanted, self.out / "studies" / wanted.name, self.data)
        return self.studies[wanted]

    def _name(self, item: Training) -> str:
        """Real data and what stands in for them have records of their own."""
        return f"{item.name}-real" if uses_data(item.wanted, self.data) else item.name

    def package(self, item: Training) -> Path:
        """The model of a training, which is kept beside its record."""
        self.record(item.taught)
        return self.out / "models" / f"{self._name(item.taught)}.nlseg"

    def _trained(self, item: Training, made: Study, settings: Settings) -> dict[str, Any]:
        run, start = self.out / "runs" / self._name(item), time.monotonic()
        watch = partial(validation_dice, made=made, settings=settings) if item.curve else None
        goes_on = (run / "settings.json").exists()
        trained = train_study(made, run, settings, resume=goes_on, force=not goes_on, watch=watch)
        seconds = time.monotonic() - start
        found = score(trained.package, made, item.wanted.seed)
        history = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
        model = self.out / "models" / f"{self._name(item)}.nlseg"
        model.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(trained.package, model)
        shutil.rmtree(run)
        curve = [entry["validation_dice"] for entry in history] if item.curve else None
        return {**found, "seconds": seconds, "curve": curve, "remarks": list(trained.remarks)}


@torch.no_grad()
def validation_dice(network: SegmentationNetwork, made: Study, settings: Settings) -> dict[str, float]:
    """The Dice of p to the truth of the validation cases, slice by slice as the network sees them."""
    preprocessing, scores = Preprocessing.of(settings), []
    for case in made.split("validate").cases:
        image = torch.from_numpy(np.ascontiguousarray(np.moveaxis(preprocessing.image(case), 1, 0)))
        found = network.predict(image).truth.argmax(dim=1).numpy()
        truth = case.truth()
        assert truth is not None, "every study of the paper has one"
        scores.append(dice(found.reshape(truth.shape), truth, len(made.classes)))
    return {"validation_dice": float(np.mean(scores))}


def _described(item: Training) -> dict[str, Any]:
    return {**asdict(item.wanted), "method": item.method, "changes": list(item.changes)}


def _images(made: Study) -> int:
    """How many images an epoch has: 2D cases, or the slices of volumes."""
    cases = made.split("train").cases
    return sum(1 if case.geometry.dimension == 2 else case.geometry.shape[0] for case in cases)
