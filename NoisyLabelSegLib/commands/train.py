"""`noisylabelseg train`: learns the truth and every annotator's errors from a study."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError

if TYPE_CHECKING:
    from NoisyLabelSegLib.training import Settings

SUMMARY = "Train the coupled networks on a study: the truth, and what each annotator gets wrong."
EXAMPLE = """  noisylabelseg train my-study --out my-run --preset quick
  noisylabelseg train my-study --out my-run --resume
  noisylabelseg train my-study --out baseline --set target=majority epochs=20
  torchrun --nproc-per-node 4 -m NoisyLabelSegLib train my-study --out my-run"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument("--out", metavar="RUN", required=True, help="folder for checkpoints, metrics and model.nlseg")
    parser.add_argument(
        "--preset", metavar="NAME", help="a named recipe (see docs/method.md), or a JSON file of your own"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same model on a CPU")
    parser.add_argument("--set", nargs="+", action="extend", default=[], metavar="KEY=VALUE", help="change any setting")
    parser.add_argument("--resume", action="store_true", help="go on where the run in RUN stopped")
    parser.add_argument("--force", action="store_true", help="start anew in a folder that holds a run")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.training import train_study

    study = Study.read(arguments.study)
    folder = Path(arguments.out)
    trained = train_study(
        study,
        folder,
        _settings(arguments, folder),
        resume=arguments.resume,
        force=arguments.force,
        report=terminal.progress,
        say=terminal.say,
    )
    return {"model": str(trained.package), "metrics": trained.figures, "remarks": list(trained.remarks)}


def _settings(arguments: argparse.Namespace, folder: Path) -> Settings:
    """The preset, or on --resume what the run was started with, changed by --seed and --set."""
    from NoisyLabelSegLib.training.presets import checked, preset, stored_settings

    base = preset(arguments.preset or "default")
    if arguments.resume and not arguments.preset:
        base = stored_settings(folder)
    words = list(arguments.set) + ([] if arguments.seed is None else [f"seed={arguments.seed}"])
    try:
        return checked(base.with_words(words))
    except ValueError as error:
        raise UserError(f"--set: {error}") from error
