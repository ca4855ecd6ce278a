"""Makes the models of Resources/models: python -m benchmarks.demo_model"""

from __future__ import annotations

import argparse
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.evaluation.scores import evaluate
from NoisyLabelSegLib.evaluation.summary import summary
from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study
from NoisyLabelSegLib.inference import predict_cases
from NoisyLabelSegLib.networks.package import load_package, save_package
from NoisyLabelSegLib.progress import Report
from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study
from NoisyLabelSegLib.training import train_study
from NoisyLabelSegLib.training.settings import preset

PANEL = "paper"
LEARN_SEED, JUDGE_SEEDS = 100, (301, 302)
JUDGE_CASES = 10
"""Of each seed."""


@dataclass(frozen=True)
class Recipe:
    """What a model learns from, and what differs from the preset `quick`."""

    what: str
    cases: int = 40
    settings: tuple[str, ...] = ("epochs=20", "samples=320")


RECIPES = {"nodules": Recipe("a nodule in lung CT")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=sorted(RECIPES), help="the phantom to learn from")
    parser.add_argument("out", type=Path, help="the folder for the model")
    arguments = parser.parse_args()
    with Terminal() as terminal, tempfile.TemporaryDirectory() as folder:
        path = arguments.out / f"demo-{arguments.kind}.nlseg"
        terminal.say(make_model(arguments.kind, RECIPES[arguments.kind], Path(folder), path, terminal.progress))


def make_model(kind: str, recipe: Recipe, folder: Path, path: Path, report: Report) -> str:
    """Trains below `folder`, writes the model to `path`, and returns what its card says of it."""
    study = phantoms(kind, folder / "learn", recipe.cases, LEARN_SEED, report)
    trained = train_study(study, folder / "run", preset("quick").with_words(recipe.settings), report=report)
    return judged(trained.package, path, kind, recipe, folder, report)


def judged(package: Path, path: Path, kind: str, recipe: Recipe, folder: Path, report: Report) -> str:
    """Judges the package, writes it again with a card that says how good it is and for what, and returns that."""
    scores = [judge(package, kind, folder / str(seed), seed, report) for seed in JUDGE_SEEDS]
    learned, voted = (sum(column) / len(scores) for column in zip(*scores, strict=True))
    count = JUDGE_CASES * len(JUDGE_SEEDS)
    says = (
        f"A demonstration, for research: finds {recipe.what} in phantoms made by noisylabelseg simulate {kind}, and "
        f"what the five annotators of the panel {PANEL} would draw. On {count} phantoms that it has not seen its "
        f"Dice to the truth is {learned:.3f}; the majority vote of the five annotators has {voted:.3f}. "
        "It has never seen a patient: do not use it on one."
    )
    network, card = load_package(package)
    unseen = {"phantoms": count, "seeds": list(JUDGE_SEEDS), "dice": learned, "majorityDice": voted}
    card = replace(card, metrics={**card.metrics, "unseen": unseen}, intended_use=says, license="Apache-2.0")
    save_package(path, network, card)
    return says


def phantoms(kind: str, folder: Path, cases: int, seed: int, report: Report) -> Study:
    """A study of one split, labeled by everybody."""
    settings = SimulationSettings(cases=cases, seed=seed, panel=PANEL, shares=(1.0, 0.0, 0.0))
    return simulate_study(phantom_recipe(kind, settings), folder, settings, report=report).study


def judge(model: Path, kind: str, folder: Path, seed: int, report: Report) -> tuple[float, float]:
    """Dice to the truth of unseen phantoms: the model's, and that of the majority vote of all five annotators."""
    unseen = phantoms(kind, folder / "judge", JUDGE_CASES, seed, report)
    predict_cases(model, unseen.cases, folder / "predicted", report=report)
    fuse_study(unseen, folder / "voted", FusionPlan("majority"), report=report)
    figures: list[dict[str, Any]] = [summary(evaluate(folder / name, unseen)) for name in ("predicted", "voted")]
    return figures[0]["dice"], figures[1]["dice"]


if __name__ == "__main__":
    main()
