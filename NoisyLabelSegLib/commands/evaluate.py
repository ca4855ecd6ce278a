"""`noisylabelseg evaluate`: the paper's metrics of predictions or fused truths against a study's truth."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.commands import many_cases
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failures

if TYPE_CHECKING:
    from NoisyLabelSegLib.evaluation.scores import Evaluation

SUMMARY = "Score predictions or fused truths against a study: Dice, confusion-matrix errors, GED, consensus."
EXAMPLE = """  noisylabelseg evaluate predictions lesions/study.json --split test
  noisylabelseg evaluate fused lesions --out scores.json"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("predictions", metavar="PREDICTIONS", help="the folder that predict or fuse wrote")
    parser.add_argument("study", metavar="STUDY", help="a study.json or the folder that holds it")
    parser.add_argument("--split", metavar="NAME", help="only the cases of this split")
    parser.add_argument(
        "--case",
        metavar="ID",
        help="only this case; where the study has one case, the name of the folder that fuse or predict wrote for it",
    )
    parser.add_argument("--out", metavar="FILE", help="also write all figures to this JSON file")
    parser.add_argument("--force", action="store_true", help="replace the JSON file if it exists")
    many_cases.add_options(parser)


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    from NoisyLabelSegLib.cases import Study
    from NoisyLabelSegLib.evaluation.scores import evaluate
    from NoisyLabelSegLib.evaluation.summary import summary
    from NoisyLabelSegLib.output import write_text

    study = Study.read(arguments.study)
    if arguments.split:
        study = study.only_split(arguments.split)
    if arguments.case:
        study = study.only_case(arguments.case)
    failures = Failures(arguments.keep_going)
    with many_cases.at_once(arguments) as run_all:
        scores = evaluate(arguments.predictions, study, run=run_all, failures=failures, report=terminal.progress)
    figures = summary(scores)
    if failures.found:
        figures["failed"] = [asdict(failure) for failure in failures.found]
    without_truth = [case.id for case in study.cases if case.truth_source is None]
    if _nothing_scored(scores) and not failures.found:
        why = f"The study {study.name} names no truth" if without_truth else "No predicted case has a known truth"
        raise UserError(f"{why}, so there is nothing to score against", remedy=_TRUTH)
    if len(without_truth) == len(study.cases):
        terminal.say(f"The study {study.name} names no truth, so only the predicted annotators are scored; {_TRUTH}.")
    elif without_truth:
        names = ", ".join(without_truth[:5]) + (" ..." if len(without_truth) > 5 else "")
        terminal.say(f"The study names no truth for {names}: not scored against a truth ({len(without_truth)}).")
    if arguments.out:
        write_text(arguments.out, json.dumps(figures, indent=1, ensure_ascii=False) + "\n", force=arguments.force)
    _show(figures, terminal)
    return many_cases.finished(figures, failures.found, terminal)


_TRUTH = "call the true labels truth and import again, or make a study with noisylabelseg simulate"
_NAMES = {
    "dice": "Dice",
    "cm_rmse": "CM error",
    "cm_rmse_column": "CM error, true column",
    "cm_rmse_image": "CM error, whole image",
    "ged": "GED squared",
    "ged_iou": "GED, 1 - IoU",
    "hm_iou": "matched IoU",
    "dice_soft": "soft Dice",
    "dice_max": "Dice of the best match",
    "dice_match": "matched Dice",
    "crps_volume": "CRPS of the volume, {crps_volume_unit}",
    "samples": "samples per case",
    "consensus_r": "consensus correlation",
    "ece": "calibration error",
    "brier": "Brier score",
}


def _nothing_scored(scores: Evaluation) -> bool:
    """Whether no case has a truth and no annotator's labels were predicted from anything but a fusion of themselves."""
    people = [score for case in scores.cases for score in case.annotators.values()]
    predicted = any(score.dice is not None and not score.derived for score in people)
    return not predicted and all(case.class_dice is None for case in scores.cases)


_CM_KEYS = ("cm_rmse", "cm_rmse_column", "cm_rmse_image")


def _show(figures: dict[str, Any], terminal: Terminal) -> None:
    spread, counted = figures["spread"], figures["cases_counted"]
    terminal.table(
        "All cases",
        ["figure", "key", "value", "spread", "cases"],
        [
            (name.format(**figures), key, _cell(figures[key]), _cell(spread.get(key)), counted.get(key, ""))
            for key, name in _NAMES.items()
        ],
    )
    _table("By case", "case", ("dice", *_CM_KEYS, "ged"), {case["id"]: case for case in figures["cases"]}, terminal)
    title = "By annotator (Dice of predicted to real labels)"
    _table(title, "annotator", ("cases", "dice", *_CM_KEYS), figures["annotators"], terminal)
    if len(figures["classes"]) > 1:
        _table("By class", "class", ("dice", "spread"), figures["classes"], terminal)
    for sentence in figures["remarks"]:
        terminal.say(sentence)
    for sentence in dict.fromkeys(figures["why"].values()):
        keys = ", ".join(key for key, reason in figures["why"].items() if reason == sentence)
        terminal.say(f"{keys}: {sentence}")
    if not terminal.json:
        terminal.say(json.dumps({key: figures[key] for key in _NAMES}))


def _table(title: str, first: str, keys: tuple[str, ...], rows: dict[str, dict[str, Any]], terminal: Terminal) -> None:
    terminal.table(title, [first, *keys], [(name, *(_cell(row[key]) for key in keys)) for name, row in rows.items()])


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
