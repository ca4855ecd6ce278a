"""The 80 digits of the authors of the paper, 8-fold, several seeds: python -m benchmarks.digits"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.inference import Predictor
from NoisyLabelSegLib.metrics import ConfusionErrors, confusion_errors, dice
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.output import write_text
from NoisyLabelSegLib.training import Settings, preset, train_study
from NoisyLabelSegLib.training.preprocessing import Preprocessing

PANEL = ("over", "under", "wrong", "good")
SETTINGS = ("oracle-truth", "dense", "one-label", "dense+blank", "one-label+blank")
TRUTH_ABOVE = 10  # of 255, the authors' cut
SWAPPED_BELOW = 0.5


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--settings", nargs="+", choices=SETTINGS, default=list(SETTINGS))
    parser.add_argument("--folds", nargs="+", type=int, default=list(range(8)))
    parser.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="change the preset")
    options = parser.parse_args(words)
    digits = Digits(options.data)
    settings = preset("mnist").with_words(options.set)
    with Terminal() as terminal:
        for seed in options.seeds:
            for fold in options.folds:
                for setting in options.settings:
                    _once(digits, setting, fold, seed, settings, options.out)
        rows = [_row(setting, options) for setting in options.settings]
        columns = ["setting", "runs", "Dice", "mean gap", "worst gap", "swapped", "cm_rmse_column"]
        terminal.table("80 digits against a network that learned from the truth", columns, rows)
    return 0


class Digits:
    """The data, and the study of any setting and fold."""

    def __init__(self, file: Path) -> None:
        with np.load(file) as content:
            self.images: NDArray[np.float32] = np.moveaxis(content["image"], -1, 1).astype(np.float32)
            self.truth: NDArray[np.uint8] = (content["gt"] > TRUTH_ABOVE).astype(np.uint8)
            drawn = {name: content[name].astype(np.uint8) for name in PANEL[:3]}
        self.drawn = {**drawn, "good": self.truth, "blank": np.zeros_like(self.truth)}

    def fold(self, number: int) -> NDArray[np.int64]:
        """The test digits of a fold: the same for every setting and seed."""
        order = np.random.default_rng(0).permutation(len(self.truth))
        return np.sort(np.array_split(order, 8)[number])

    def study(self, setting: str, fold: int, seed: int) -> Study:
        """The training digits, each labeled by all annotators or by one at random."""
        annotators = (*PANEL, "blank") if setting.endswith("blank") else PANEL
        rng = np.random.default_rng((fold, seed))
        grid = Geometry.plain(self.truth.shape[1:])
        cases = []
        for index in np.setdiff1d(np.arange(len(self.truth)), self.fold(fold)).tolist():
            one = annotators[int(rng.integers(len(annotators)))]
            who = (one,) if setting.startswith("one") else annotators
            given = {name: Annotation(Image(self.drawn[name][index], grid)) for name in who}
            truth = Image(self.truth[index], grid)
            cases.append(Case(f"{index:03d}", (Image(self.images[index], grid),), given, truth, classes=2))
        return Study(setting, ("background", "digit"), annotators, tuple(cases))


def _once(digits: Digits, setting: str, fold: int, seed: int, settings: Settings, out: Path) -> None:
    file = _file(out, setting, fold, seed)
    if file.exists():
        return
    target = "truth" if setting == "oracle-truth" else settings.target
    settings = dataclasses.replace(settings, seed=seed, target=target)
    with tempfile.TemporaryDirectory() as folder:
        trained = train_study(digits.study(setting, fold, seed), Path(folder) / "run", settings)
        result = _scored(trained.package, digits, digits.fold(fold))
    result["attempts"] = trained.figures["attempt"] + 1
    write_text(file, json.dumps(result, indent=1) + "\n")


def _scored(package: Path, digits: Digits, test: NDArray[np.int64]) -> dict[str, Any]:
    """Dice over the test digits, and the error of the confusion columns where the model has annotators."""
    network, card = load_package(package)
    predictor, preprocessing = Predictor(network), Preprocessing.from_json(card.preprocessing)
    knows_annotators = network.predicts_annotators
    scores, errors = [], ConfusionErrors()
    for index in test.tolist():
        grid = Geometry.plain(digits.truth.shape[1:])
        image = preprocessing.image(Case("test", (Image(digits.images[index], grid),)))
        (piece,) = predictor.pieces(image, confusion=knows_annotators)
        probabilities, truth = piece.truth[:, 0], digits.truth[index]
        scores.append(dice(probabilities.argmax(axis=0), truth, 2))
        if piece.confusion is not None:
            labels = [digits.drawn[name][index] for name in card.annotators]
            errors += confusion_errors(piece.confusion[..., 0, :, :], probabilities, truth, labels)
    return {"dice": float(np.mean(scores)), "cm_rmse_column": errors.cm_rmse_column if knows_annotators else None}


def _row(setting: str, options: argparse.Namespace) -> list[str]:
    """A run's gap is to the run of the same fold and seed that learned from the truth."""
    runs, gaps = [], []
    for fold in options.folds:
        for seed in options.seeds:
            file, oracle = _file(options.out, setting, fold, seed), _file(options.out, "oracle-truth", fold, seed)
            runs.append(json.loads(file.read_text()))
            if oracle.exists():
                gaps.append(json.loads(oracle.read_text())["dice"] - runs[-1]["dice"])
    scores = np.array([run["dice"] for run in runs])
    errors = [run["cm_rmse_column"] for run in runs if run["cm_rmse_column"] is not None]
    return [
        setting,
        str(len(runs)),
        f"{scores.mean():.4f}",
        f"{np.mean(gaps):.4f}" if gaps else "–",
        f"{np.max(gaps):.4f}" if gaps else "–",
        str(int((scores < SWAPPED_BELOW).sum())),
        f"{np.mean(errors):.3f}" if errors else "–",
    ]


def _file(out: Path, setting: str, fold: int, seed: int) -> Path:
    return out / f"{setting}-fold{fold}-seed{seed}.json"


if __name__ == "__main__":
    sys.exit(main())
