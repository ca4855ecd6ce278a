"""The table that decided the default setting of STAPLE: Dice to the truth on generated cases, over seeds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.fusion_cases import generate
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.progress import Progress

SUMMARY = "Dice to the truth of every fusion method and setting on the generated cases."

CASES = ("a", "b", "c", "s")
SETTINGS: dict[str, tuple[str, Mapping[str, Any]]] = {
    "majority": ("majority", {}),
    "STAPLE as ITK": ("staple", {"compatible": "itk"}),
    "all background, prior estimated": ("staple", {"background": "itk", "caution": 0}),
    "union, prior from votes": ("staple", {"background": "union", "prior": "votes", "caution": 0}),
    "union, prior estimated": ("staple", {"background": "union", "caution": 0}),
    "disputed, no caution": ("staple", {"caution": 0}),
    "disputed, caution 0.3 (default)": ("staple", {}),
    "disputed, caution 1": ("staple", {"caution": 1}),
    "SIMPLE": ("simple", {}),
    "Spatial STAPLE": ("spatial-staple", {}),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seeds", type=int, default=5, metavar="N", help="how many seeds (default %(default)s)")


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    seeds = range(options.seeds)
    work = [(name, seed) for name in CASES for seed in seeds]
    scores: dict[str, dict[str, list[float]]] = {setting: {name: [] for name in CASES} for setting in SETTINGS}
    for done, (name, seed) in enumerate(work):
        terminal.progress(Progress("fuse", done, len(work)))
        for setting, score in _scores(name, seed).items():
            scores[setting][name].append(score)
    rows = [[setting, *(_cell(scores, setting, name) for name in CASES)] for setting in SETTINGS]
    terminal.table(
        f"Dice to the truth, mean over {len(seeds)} seeds (worst difference to majority)", ["setting", *CASES], rows
    )
    return scores


def _scores(name: str, seed: int) -> dict[str, float]:
    case = generate(name, seed)
    votes = Votes(case.labels, classes=case.classes)
    return {
        setting: dice(votes.fuse(method, **options).labels, case.truth, case.classes)
        for setting, (method, options) in SETTINGS.items()
    }


def _cell(scores: dict[str, dict[str, list[float]]], setting: str, name: str) -> str:
    reached = np.array(scores[setting][name])
    worst = (reached - scores["majority"][name]).min()
    return f"{reached.mean():.4f} ({worst:+.4f})"
