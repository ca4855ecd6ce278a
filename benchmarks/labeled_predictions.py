"""What a trained network predicts for held-out cases, with the labels of those cases: kept in a file and read again."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy_protocol import SIMULATED, Run
from benchmarks.accuracy_runs import settings_of, simulated_study
from benchmarks.accuracy_studies import make_study
from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.combination import LabeledPrediction
from NoisyLabelSegLib.fusion.label_agreement import LabelAgreement
from NoisyLabelSegLib.inference import PredictionOutputs, load_model
from NoisyLabelSegLib.inference.given_labels import labels_of
from NoisyLabelSegLib.inference.model import Model
from NoisyLabelSegLib.output import output_file
from NoisyLabelSegLib.training import Settings, preset, train_study

LIDC = "lidc"
LIDC_WORDS = ("widths=[16,32,64]", "patch=0", "coarsen=false", "samples=200", "epochs=13")
"""What differs from the preset `default`: as for the other studies, about 320 steps."""
MOST_LIDC_CASES = 60

Labels = NDArray[np.uint8]
Half = NDArray[np.float16]


@dataclass(frozen=True)
class LabeledCase:
    """p (L, *shape), annotator to A (L, L, *shape) and to labels (*shape), and the truth (*shape) where it is known."""

    p: Half
    confusion: Mapping[str, Half]
    labels: Mapping[str, Labels]
    truth: Labels

    def prediction(self, agreement: LabelAgreement | None) -> LabeledPrediction:
        return LabeledPrediction(self.p, self.confusion, self.labels, agreement=agreement)


@dataclass(frozen=True)
class Predictions:
    """The held-out cases of one training, and what the model card says about the agreement of labels."""

    cases: Sequence[LabeledCase]
    agreement: LabelAgreement | None
    cpu_seconds: float

    def write(self, file: Path) -> None:
        about = {"agreement": self.agreement and self.agreement.to_json(), "cpu_seconds": self.cpu_seconds}
        arrays: dict[str, NDArray[Any]] = {"about": np.array(json.dumps(about))}
        for number, case in enumerate(self.cases):
            arrays |= {f"{number}/p": case.p, f"{number}/truth": case.truth}
            arrays |= {f"{number}/confusion/{name}": field for name, field in case.confusion.items()}
            arrays |= {f"{number}/labels/{name}": drawn for name, drawn in case.labels.items()}
        with output_file(file) as part, part.open("wb") as stream:
            np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]

    @classmethod
    def read(cls, file: Path) -> Predictions:
        with np.load(file, allow_pickle=False) as content:
            arrays = dict(content.items())
        about = json.loads(str(arrays.pop("about")))
        by_case: dict[int, dict[str, NDArray[Any]]] = {}
        for key, array in arrays.items():
            number, name = key.split("/", 1)
            by_case.setdefault(int(number), {})[name] = array
        cases = [
            LabeledCase(found["p"], _below(found, "confusion/"), _below(found, "labels/"), found["truth"])
            for _, found in sorted(by_case.items())
        ]
        return cls(cases, LabelAgreement.from_json(about["agreement"]), about["cpu_seconds"])


def words_of(study: str) -> tuple[str, ...]:
    """What differs from the preset `default`."""
    return LIDC_WORDS if study == LIDC else SIMULATED[study].words


def predictions(study: str, panel: str, seed: int, data: Path | None, keep: Path | None) -> Predictions:
    """Those of a study and a seed: read from the folder `keep` if they are there, else trained, and kept there."""
    file = None if keep is None else keep / f"{study}-{panel}-seed{seed}.npz"
    if file is not None and file.exists():
        return Predictions.read(file)
    start = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        made, settings = _study(study, panel, seed, Path(folder), data)
        package = train_study(made, Path(folder) / "run", settings).package
        model = load_model(package, "cpu")
        held_out = made.split("test").cases
        cases = [_labeled(model, case) for case in (held_out[:MOST_LIDC_CASES] if study == LIDC else held_out)]
        agreement = LabelAgreement.from_json(model.card.metrics.get("labelAgreement"))
        found = Predictions(cases, agreement, time.process_time() - start)
    if file is not None:
        found.write(file)
    return found


def _study(study: str, panel: str, seed: int, folder: Path, data: Path | None) -> tuple[Study, Settings]:
    if study != LIDC:
        run = Run(study, panel, "all", "coupled", seed)
        return simulated_study(run, folder), settings_of(run)
    if data is None:
        raise UserError("The study lidc needs real data", remedy="name their folder with --data")
    settings = preset("default").with_words([*LIDC_WORDS, f"seed={seed}"])
    return make_study(LIDC, "dense", seed, folder, data), settings


def _labeled(model: Model, case: Case) -> LabeledCase:
    truth = case.truth()
    assert truth is not None, "a phantom's truth is known, and on LIDC a fusion stands for it"
    with model.run(case, PredictionOutputs(labels=True)) as found:
        confusion = {
            each.name: each.confusion.astype(np.float16) for each in found.annotators() if each.confusion is not None
        }
        return LabeledCase(found.probabilities.astype(np.float16), confusion, labels_of(case), truth)


def _below(found: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): array for name, array in found.items() if name.startswith(prefix)}
