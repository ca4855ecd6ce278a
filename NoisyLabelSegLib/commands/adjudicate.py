"""`noisylabelseg adjudicate`: lists disagreements, and applies what was decided about them."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.verbs import AdjudicateSettings, carry_out
from NoisyLabelSegLib.words import counted

SUMMARY = "List the disagreements of annotators, or apply the decisions about them and write the adjudicated truth."
EXAMPLE = """  noisylabelseg adjudicate my-study --truth majority --out disagreements
  noisylabelseg adjudicate my-study --truth majority --decisions decisions.json --out adjudicated
  noisylabelseg adjudicate my-study --truth majority --decisions anna.json bert.json --out merged

Next:  noisylabelseg review my-study --truth adjudicated --out review"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument(
        "--truth",
        required=True,
        metavar="DIR_OR_METHOD",
        help="the reference: a folder laid out <case id>/truth.nrrd, the name of a fusion method, or 'study'",
    )
    parser.add_argument(
        "--decisions",
        nargs="+",
        default=[],
        metavar="FILE",
        help="decisions.json from the panel or a report; several files are merged and their conflicts listed; "
        "without this option the disagreements are listed and nothing is decided",
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="folder for truths, disagreements and decisions")
    parser.add_argument("--force", action="store_true", help="replace files of an earlier adjudication in DIR")
    parser.add_argument(
        "--agreed-share",
        type=float,
        metavar="SHARE",
        help="without --decisions: voxels on which at least this share of the annotators agree need no decision",
    )
    parser.add_argument(
        "--sign-off", default="", metavar="NAME", help="write the truths into the study, signed off by this person"
    )


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    settings = AdjudicateSettings(
        study=arguments.study,
        truth=arguments.truth,
        decisions=tuple(arguments.decisions),
        out=arguments.out,
        agreed_share=arguments.agreed_share,
        sign_off=arguments.sign_off,
        force=arguments.force,
    )
    result = carry_out(settings, terminal.progress, terminal.say)
    decided = result["disagreements"] - result["undecided"]
    found = f"{counted(result['disagreements'], 'disagreement')} in {counted(result['cases'], 'case')}"
    terminal.say(f"Decided: {decided} of {found}.")
    if result["study"]:
        terminal.say(f"Signed off by {arguments.sign_off}: {result['study']} names the truths.")
    return result
