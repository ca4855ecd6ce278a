"""`noisylabelseg review`: what each annotator gets wrong, where, and which label to add next."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands import many_cases
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.verbs import ReviewSettings
from NoisyLabelSegLib.verbs.review import review_result, written_review

SUMMARY = "Compare every annotator with a truth: error maps, statistics, mistakes, which label to add next, a report."
EXAMPLE = """  noisylabelseg review my-study --truth staple --out review
  noisylabelseg review my-study --truth fused-folder --out review --cost professor=5 --cost trainee=1

Next:  open review/report.html in a browser"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument(
        "--truth",
        required=True,
        metavar="DIR_OR_METHOD",
        help="a folder laid out <case id>/truth.nrrd (from fuse or predict), the name of a fusion method to make the "
        "truth on the fly, or 'study' for the truth that the study names",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for error maps, tables and reports")
    parser.add_argument(
        "--case",
        metavar="ID",
        help="only this case; where the study has one case, the name of the folder that fuse or predict wrote for it",
    )
    parser.add_argument("--force", action="store_true", help="replace files of an earlier review in DIR")
    parser.add_argument(
        "--identify", action="store_true", help="name study and cases in the reports, where they may name patients"
    )
    parser.add_argument(
        "--pseudonyms", action="store_true", help="hide the names of all others in each annotator's own report"
    )
    parser.add_argument(
        "--smallest-mistake", type=float, metavar="MM3", help="leave out mistakes below this size (default 10)"
    )
    parser.add_argument(
        "--smallest-depth", type=float, metavar="MM", help="leave out border mistakes no deeper than this (default 1)"
    )
    parser.add_argument(
        "--smallest-object", type=float, metavar="MM3", help="do not count objects below this size (default 3)"
    )
    parser.add_argument("--pictures", type=int, metavar="N", help="slices shown in a report (default 6)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the bootstrap intervals (default 0)")
    parser.add_argument(
        "--cost",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="what a label by this annotator costs (default 1); suggestions go by what a label settles for its cost",
    )
    many_cases.add_options(parser)


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    given = {
        name: value
        for name in ("smallest_mistake", "smallest_depth", "smallest_object", "pictures", "seed")
        if (value := getattr(arguments, name)) is not None
    }
    settings = ReviewSettings(
        study=arguments.study,
        truth=arguments.truth,
        out=arguments.out,
        options=given,
        costs=dict(_cost(text) for text in arguments.cost),
        identify=arguments.identify,
        pseudonyms=arguments.pseudonyms,
        force=arguments.force,
        case=arguments.case or "",
        keep_going=arguments.keep_going,
    )
    with many_cases.at_once(arguments) as run_all:
        review = written_review(settings, terminal.progress, run_all)
    result = review_result(settings, review, terminal.say)
    terminal.say(f"Report: {arguments.out}/report.html")
    return many_cases.finished(result, review.failed, terminal)


def _cost(text: str) -> tuple[str, float]:
    name, _, number = text.rpartition("=")
    try:
        return name, float(number)
    except ValueError as error:
        raise UserError(f"{text!r} is not a cost", remedy="write NAME=NUMBER, as in professor=5") from error
