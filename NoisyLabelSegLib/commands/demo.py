"""`noisylabelseg demo`: all steps on a phantom study, offline, on a CPU."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands.terminal import Terminal

if TYPE_CHECKING:
    from NoisyLabelSegLib.demo.run import Demo, Row

SUMMARY = "See it work in about 2 minutes: make a study, fuse it, train the coupled networks, review the annotators."
EXAMPLE = """  noisylabelseg demo --out demo-output
  noisylabelseg demo --out small --cases 6 --epochs 1

Next:  open demo-output/review/report.html, or demo-output/demo.mrb in Slicer"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="demo-output", metavar="DIR", help="where it goes (default %(default)s)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="N", help="another seed makes other brains (default %(default)s)"
    )
    parser.add_argument(
        "--cases",
        type=int,
        metavar="N",
        help="how many brains; fewer are quicker and teach less (default 30, at least 3)",
    )
    parser.add_argument(
        "--epochs", type=int, metavar="N", help="how long to train; less is quicker and teaches less (default 10)"
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier demo in DIR")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.demo.run import CASES, run_demo
    from NoisyLabelSegLib.output import output_folder

    with output_folder(arguments.out, force=arguments.force) as folder:
        demo = run_demo(
            folder,
            seed=arguments.seed,
            cases=CASES if arguments.cases is None else arguments.cases,
            training=[] if arguments.epochs is None else [f"epochs={arguments.epochs}"],
            report=terminal.progress,
            say=terminal.say,
        )
    for sentence in demo.sentences:
        terminal.say(sentence)
    terminal.table(
        "Held-out scans against the known truth: Dice (best 1) and error of the confusion matrices (best 0)",
        ["truth by", "Dice", "confusion error", "seconds"],
        [(_name(row), _cell(row.dice), _cell(row.confusion_error), f"{row.seconds:.1f}") for row in demo.rows],
    )
    for line in _last_lines(demo, arguments.out):
        terminal.say(line)
    return {
        "out": arguments.out,
        "methods": {
            row.method: {
                "dice": row.dice,
                "cm_rmse_column": row.confusion_error,
                "seconds": row.seconds,
                "remark": row.remark,
            }
            for row in demo.rows
        },
        "annotators": demo.sentences,
    }


def _last_lines(demo: Demo, out: str) -> list[str]:
    """What was learned and what to open."""
    scene = f", {out}/demo.png, and {out}/demo.mrb in 3D Slicer"
    without = " (no Slicer scene was made, because slicer-core is not installed)"
    predict = f"noisylabelseg predict {out}/run/model.nlseg SCAN --out DIR"
    return [
        *(_success(demo) if demo.learned else _failure(demo)),
        f"Open {out}/review/report.html in a browser{scene if demo.has_scene else without}.",
        f"Next: {predict}, or noisylabelseg import --help for your own data.",
    ]


def _success(demo: Demo) -> list[str]:
    from NoisyLabelSegLib.demo.run import LEARNED, ORACLE

    learned, fused, oracle = demo.row(LEARNED), demo.row("staple"), demo.row(ORACLE)
    others = f"STAPLE {_cell(fused.dice)}, the same network trained on the known truth {_cell(oracle.dice)}"
    errors = f"{_cell(learned.confusion_error)} (root mean square), those of STAPLE by {_cell(fused.confusion_error)}"
    return [
        f"Truth: the coupled networks, trained on one label per scan, reach Dice {_cell(learned.dice)} ({others}).",
        f"Annotators: the estimated confusion matrices are off by {errors}.",
    ]


def _failure(demo: Demo) -> list[str]:
    from NoisyLabelSegLib.demo.run import FUSIONS, LEARNED, THRESHOLD

    best = max((demo.row(method) for method in (THRESHOLD, *FUSIONS)), key=lambda row: row.dice or 0.0)
    compared = f"a Dice of {_cell(demo.row(LEARNED).dice)}, no more than {best.method} ({_cell(best.dice)})"
    instead = "The report and the scene show the known truth of the phantoms instead of an estimate"
    return [
        f"This training was too short to learn anything useful: the coupled networks reach {compared}.",
        f"{instead}. Leave out --cases and --epochs for the whole demo.",
    ]


def _name(row: Row) -> str:
    return f"{row.method} ({row.remark})" if row.remark else row.method


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
