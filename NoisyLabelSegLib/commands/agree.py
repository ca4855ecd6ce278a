"""`noisylabelseg agree`: how far readers agree, as tables and figures for a manuscript."""

from __future__ import annotations

import argparse
import importlib.util
from typing import Any

from NoisyLabelSegLib.commands import many_cases
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError, installing
from NoisyLabelSegLib.failures import Failure
from NoisyLabelSegLib.verbs.agree import AgreeSettings, agreement_result
from NoisyLabelSegLib.words import counted

SUMMARY = "Measure how far readers agree: tables, figures and a methods paragraph for a manuscript."
EXAMPLE = """  noisylabelseg agree my-study --out agreement
  noisylabelseg agree my-study --tolerance 1 --method majority --jobs 4 --out agreement

Next:  open agreement/tables.md and agreement/figures"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = AgreeSettings(study="", out="")
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument(
        "--out",
        required=True,
        metavar="DIR",
        help="folder for agreement.json, tables (CSV, Markdown, LaTeX) and figures",
    )
    parser.add_argument("--force", action="store_true", help="replace files of the same name in DIR")
    parser.add_argument(
        "--method", default="", metavar="NAME", help="fusion method of the consensus (default: that of fuse)"
    )
    parser.add_argument("--split", default="", metavar="NAME", help="only the cases of this split")
    parser.add_argument(
        "--tolerance",
        type=float,
        default=defaults.tolerance,
        metavar="MM",
        help="surface Dice counts borders no further apart than this as equal (default %(default)s mm)",
    )
    parser.add_argument(
        "--margin",
        type=float,
        default=defaults.margin,
        metavar="MM",
        help="kappa and alpha look at voxels within this of any reader's mark (default %(default)s mm)",
    )
    parser.add_argument(
        "--match-iou",
        type=float,
        default=defaults.match_iou,
        metavar="IOU",
        help="objects are the same above this IoU (default %(default)s)",
    )
    parser.add_argument(
        "--resamples", type=int, default=defaults.resamples, metavar="N", help="of the bootstrap (default %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the bootstrap (default %(default)s)")
    parser.add_argument(
        "--png", action="store_true", help="draw the figures as PNG files too (needs the extra figures)"
    )
    many_cases.add_options(parser)


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    settings = AgreeSettings(
        study=arguments.study,
        out=arguments.out,
        method=arguments.method,
        split=arguments.split,
        tolerance=arguments.tolerance,
        margin=arguments.margin,
        match_iou=arguments.match_iou,
        resamples=arguments.resamples,
        seed=arguments.seed,
        force=arguments.force,
        keep_going=arguments.keep_going,
    )
    draw = _png_writer() if arguments.png else None
    with many_cases.at_once(arguments) as run_all:
        result = agreement_result(settings, terminal.progress, terminal.say, run_all, draw)
    _show(result, terminal)
    terminal.say(f"Wrote {arguments.out}/agreement.json, tables.md, tables.tex, methods.md and figures.")
    return many_cases.finished(result, [Failure(**failure) for failure in result["failed"]], terminal)


def _png_writer() -> Any:
    if importlib.util.find_spec("matplotlib") is None:
        raise UserError("PNG figures need the Python package matplotlib", remedy=installing("figures"))
    from NoisyLabelSegLib.commands.png import write_png

    return write_png


def _show(result: dict[str, Any], terminal: Terminal) -> None:
    from NoisyLabelSegLib.agreement.tables import cell

    found = {
        **result["leave_one_out"],
        "all pairs of readers": result["overall"],
        "within readers": (result["within_readers"] or {}).get("overall"),
    }
    digits = {"dice": 3, "surface_dice": 3, "hd95": 2, "assd": 2}
    rows = [
        [name, row["cases"], *(cell(row, key, places) for key, places in digits.items())]
        for name, row in found.items()
        if row and row["cases"]
    ]
    length = result["length_unit"]
    columns = ["reader", "cases", "Dice", "surface Dice", f"HD95 ({length})", f"ASSD ({length})"]
    terminal.table("Readers against the consensus of the others, and pairs of readings", columns, rows)
    terminal.say("In brackets: 95 % interval, patients resampled.")
    if result["icc_2_1"]["value"] is not None:
        terminal.say(f"ICC(2,1): {cell(result, 'icc_2_1', 3)} over {counted(result['icc_2_1']['cases'], 'case')}.")
