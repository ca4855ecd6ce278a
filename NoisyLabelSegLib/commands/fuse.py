"""`noisylabelseg fuse`: many outlines to one estimate of the truth, and how far to trust each annotator."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands import many_cases
from NoisyLabelSegLib.commands.assignments import assigned
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.verbs import FuseSettings
from NoisyLabelSegLib.verbs.fuse import fused_table, fusion_result
from NoisyLabelSegLib.words import counted

if TYPE_CHECKING:
    from NoisyLabelSegLib.fusion.annotators import AnnotatorTable

SUMMARY = "Estimate the truth from several annotators' labels, and how far to trust each of them."
EXAMPLE = """  noisylabelseg fuse my-study --out fused
  noisylabelseg fuse reader1.nrrd reader2.nrrd reader3.nrrd --method majority --out fused
  noisylabelseg fuse my-study --method staple --set compatible=itk --jobs 4 --out fused

Next:  noisylabelseg review my-study --truth fused --out review"""

_MOST_REMARKS = 10  # that are shown; all of them are in annotators.json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from NoisyLabelSegLib.fusion import DEFAULT, METHODS
    from NoisyLabelSegLib.fusion.methods import ATLAS_METHODS

    sentences = "; ".join(
        f"{name}: {method.sentence[0].lower()}{method.sentence[1:-1]}"
        for name, method in {**METHODS, **ATLAS_METHODS}.items()
    )
    parser.add_argument(
        "input", nargs="+", metavar="STUDY", help="a study.json or the folder that holds it, or one case's label files"
    )
    parser.add_argument("--method", default=DEFAULT, metavar="NAME", help=f"{sentences} (default %(default)s)")
    parser.add_argument(
        "--out", required=True, metavar="DIR", help="folder for <case id>/truth.nrrd and annotators.csv"
    )
    parser.add_argument("--force", action="store_true", help="replace files of an earlier fusion in DIR")
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="OPTION=VALUE",
        help="an option of the method, as in docs/fusion.md: compatible=itk, threshold=0.4, regions=[[1,2],[2]]",
    )
    parser.add_argument(
        "--only", "--annotators", dest="only", default="", metavar="NAMES", help="use only these, joined by commas"
    )
    parser.add_argument(
        "--relabel",
        nargs="+",
        action="extend",
        default=[],
        metavar="READER:OLD=NEW",
        help="labels of label files that mean the same class: anna:7=1, or 7=1 for all readers",
    )
    parser.add_argument("--split", metavar="NAME", help="fuse only the cases of this split")
    parser.add_argument(
        "--case",
        metavar="ID",
        help="fuse only this case; with label files, what their case is called (default: the stem of the first file)",
    )
    parser.add_argument(
        "--each-case",
        action="store_true",
        help="judge annotators in every case anew instead of over the whole study: for names that stand for different "
        "people in different cases, as LIDC's readers do",
    )
    parser.add_argument("--confusion", action="store_true", help="write each annotator's confusion_<name>.nrrd, too")
    many_cases.add_options(parser)


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    settings = FuseSettings(
        labels=tuple(arguments.input),
        out=arguments.out,
        method=arguments.method,
        options=assigned(arguments.set, "OPTION=VALUE"),
        annotators=tuple(name for name in arguments.only.split(",") if name),
        split=arguments.split or "",
        case=arguments.case or "",
        each_case=arguments.each_case,
        confusion=arguments.confusion,
        force=arguments.force,
        relabel=tuple(arguments.relabel),
        keep_going=arguments.keep_going,
    )
    with many_cases.at_once(arguments) as run_all:
        table = fused_table(settings, terminal.progress, terminal.say, run_all)
    result = fusion_result(settings, table)
    _show(table, terminal)
    several = len(table.cases) > 1  # the name of a single case of label files is that of the first annotator, too
    remarks = [f"{case.id}: {remark}" if several else remark for case in table.cases for remark in case.remarks]
    for remark in remarks[:_MOST_REMARKS]:
        terminal.say(remark)
    if len(remarks) > _MOST_REMARKS:
        terminal.say(
            f"{counted(len(remarks) - _MOST_REMARKS, 'more remark is', 'more remarks are')} in annotators.json."
        )
    if table.left_out:
        terminal.say(f"Nobody labeled {', '.join(table.left_out)}: left out.")
    terminal.say(_last_line(arguments, result["cases"]))
    return many_cases.finished(result, table.failed, terminal)


def _last_line(arguments: argparse.Namespace, cases: list[str]) -> str:
    """What was written; for a study, also what comes next."""
    from NoisyLabelSegLib.cases.estimates import TRUTH
    from NoisyLabelSegLib.cases.inputs import is_study

    if not is_study(arguments.input):
        return f"Wrote {Path(arguments.out) / cases[0] / TRUTH}."
    written = f"{Path(arguments.out) / '<case id>' / TRUTH} for {len(cases)} case{'s' if len(cases) > 1 else ''}"
    return f"Wrote {written}. Next: noisylabelseg review {arguments.input[0]} --truth {arguments.out} --out review"


_FIGURES = {
    "dice": "Dice",
    "dice_leave_one_out": "Dice without own labels",
    "sensitivity": "sensitivity",
    "precision": "precision",
    "specificity": "specificity",
    "estimated_sensitivity": "estimated sensitivity",
    "estimated_specificity": "estimated specificity",
}
"""The columns of the printed table."""


def _show(table: AnnotatorTable, terminal: Terminal) -> None:
    """One line per annotator and class; what a class was taken for instead, where there are several."""
    from NoisyLabelSegLib.metrics.figures import NEAR_MM

    several = len(table.classes) > 2
    columns = ["annotator", *(["class"] if several else []), "cases", *_FIGURES.values()]
    cells = [
        [
            *(row[key] for key in ("annotator", *(["class"] if several else []), "cases")),
            *(_figure(row, key, interval=not several) for key in _FIGURES),
            *([_taken_for(row, table.classes)] if several else []),
        ]
        for row in table.class_rows()
    ]
    title = "Annotators against the estimated truth (means over cases)"
    terminal.table(title, [*columns, *(["labeled instead as"] if several else [])], cells)
    terminal.say(
        "Dice, sensitivity and precision are counted against the truth that was written, specificity within "
        f"{NEAR_MM:g} mm (pixels, for images without spacing) of anything marked. Dice without own labels is against "
        "the fusion of the others' labels. "
        "Estimated figures are what the method itself expects."
    )
    if any(row["dice_low"] is not None for row in table.rows()) and not several:
        terminal.say(f"In brackets: {table.interval}; annotators.csv has those of all figures.")
    if table.reliability:
        terminal.say(table.reliability)


def _figure(row: dict[str, Any], name: str, *, interval: bool) -> str:
    if row[name] is None:
        return "–"
    if not interval or name != "dice" or row["dice_low"] is None:
        return f"{row[name]:.3f}"
    return f"{row[name]:.3f} ({row['dice_low']:.3f} to {row['dice_high']:.3f})"


def _taken_for(row: dict[str, Any], classes: Sequence[str]) -> str:
    """Which other labels the class was given, most frequent first, in percent of its voxels."""
    if row["class"] not in classes:
        return ""
    shares = {title: row[f"marked_as_{title}"] or 0.0 for title in classes if title != row["class"]}
    listed = sorted(shares, key=lambda title: -shares[title])
    return ", ".join(f"{title} {100 * shares[title]:.1f} %" for title in listed if shares[title] >= 0.0005)
