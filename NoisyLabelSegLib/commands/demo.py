"""`noisylabelseg demo`: the whole story on a phantom study, offline, on a CPU."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal

SUMMARY = "See it work: make a study, fuse it, train the coupled networks, review the annotators."
EXAMPLE = "  noisylabelseg demo --out demo-output"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="demo-output", metavar="DIR", help="where it goes (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another seed makes other brains")
    parser.add_argument("--force", action="store_true", help="replace an earlier demo in DIR")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.experiments.demo import run_demo
    from NoisyLabelSegLib.output import output_folder

    with output_folder(arguments.out, force=arguments.force) as folder:
        demo = run_demo(folder, seed=arguments.seed, report=terminal.progress, say=terminal.say)
    terminal.table(
        "Held-out cases against the known truth: Dice (best 1) and error of the confusion matrices (best 0)",
        ["truth by", "Dice", "confusion error", "seconds"],
        [(row.method, _cell(row.dice), _cell(row.confusion_error), f"{row.seconds:.1f}") for row in demo.rows],
    )
    for sentence in demo.sentences:
        terminal.say(sentence)
    learned, fused = demo.row("coupled networks"), demo.row("staple")
    terminal.say(
        f"Learned truth: Dice {_cell(learned.dice)}; STAPLE, from the same one label a scan: {_cell(fused.dice)}."
    )
    terminal.say(f"Open {arguments.out}/review/report.html to see who errs where.")
    terminal.say(f"The study is {arguments.out}/study, the model {arguments.out}/run/model.nlseg.")
    terminal.say(
        f"Next: noisylabelseg predict {arguments.out}/run/model.nlseg IMAGE --out DIR, or import your own data."
    )
    return {
        "out": arguments.out,
        "methods": {row.method: {"dice": row.dice, "cm_rmse_column": row.confusion_error} for row in demo.rows},
    }


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
