"""`noisylabelseg train`: learns the truth and every annotator's errors from a study."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.assignments import assigned
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.training.settings import preset_names
from NoisyLabelSegLib.verbs import TrainSettings, carry_out

SUMMARY = "Train the coupled networks on a study: the truth, and what each annotator gets wrong."
EXAMPLE = """  noisylabelseg train my-study --out my-run --preset quick
  noisylabelseg train my-study --out my-run --resume
  noisylabelseg train my-study --out baseline --set target=majority epochs=20
  torchrun --nproc-per-node 4 -m NoisyLabelSegLib train my-study --out my-run

Next:  noisylabelseg predict my-run/model.nlseg my-study --out predicted --annotators"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument("--out", metavar="RUN", required=True, help="folder for checkpoints, metrics and model.nlseg")
    parser.add_argument(
        "--preset",
        metavar="NAME",
        help=f"a recipe: {', '.join(preset_names())} (docs/method.md says what each is for), or a JSON file of your "
        "own; without it, default, which needs no tuning",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same model on a CPU")
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="KEY=VALUE",
        help="change any setting of docs/method.md, such as epochs=20 patch=128",
    )
    parser.add_argument("--resume", action="store_true", help="go on where the run in RUN stopped")
    parser.add_argument("--force", action="store_true", help="start anew in a folder that holds a run")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    overrides = assigned(arguments.set, "key=value")
    if arguments.seed is not None:
        overrides["seed"] = arguments.seed
    settings = TrainSettings(
        study=arguments.study,
        out=arguments.out,
        preset=arguments.preset or "",
        overrides=overrides,
        resume=arguments.resume,
        force=arguments.force,
    )
    return carry_out(settings, terminal.progress, terminal.say)
