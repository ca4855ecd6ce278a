"""`bench asking`: how many labels it takes to a good truth, with and without the suggestions of the review."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion.em import weigh_background
from NoisyLabelSegLib.fusion.model import Solution
from NoisyLabelSegLib.fusion.staple import staple
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.metrics.overlap import dice_of_sizes
from NoisyLabelSegLib.progress import steps
from NoisyLabelSegLib.review import suggest
from NoisyLabelSegLib.review.active.suggestions import AnnotatorModels, fill_blank_doubts, vote_doubt
from NoisyLabelSegLib.simulation import Scan, SimulatedAnnotator

SUMMARY = "Labels needed for a fused truth of a given Dice: asked for by the ranking, at random, and case by case."

SEEDS, CASES, SHAPE = 20, 16, (40, 40)
TARGETS = (0.80, 0.85, 0.90)
CALIBRATION = 2
"""So many cases have everybody's label from the start: without any overlap nobody's skill can be known."""
AT_A_TIME = 2
ANNOTATORS = (
    SimulatedAnnotator("good1", "shaky", 0.8),
    SimulatedAnnotator("good2", "shaky", 1.0),
    SimulatedAnnotator("good3", "shaky", 1.2),
    SimulatedAnnotator("bad1", "wrong", 2.5),
    SimulatedAnnotator("bad2", "under", 2.5),
)
NAMES = tuple(annotator.name for annotator in ANNOTATORS)

Question = tuple[int, int]
"""A case and an annotator, by number."""


def run(terminal: Terminal, options: argparse.Namespace) -> dict[str, Any]:
    del options
    curves: dict[str, list[list[float]]] = {name: [] for name in STRATEGIES}
    for seed in steps(range(SEEDS), "asking", terminal.progress):
        cases = [_simulate(seed, number) for number in range(CASES)]
        for name, choose in STRATEGIES.items():
            curves[name].append(_curve(cases, choose, np.random.default_rng(seed)))
    labels = np.arange(CALIBRATION * len(NAMES), CASES * len(NAMES) + 1, AT_A_TIME)
    means = {name: np.mean(rows, axis=0) for name, rows in curves.items()}
    terminal.table(
        f"Mean Dice of the fused truth over {SEEDS} seeds ({CASES} cases, three good and two bad annotators)",
        ["labels", *STRATEGIES],
        [[int(n), *(f"{mean[i]:.3f}" for mean in means.values())] for i, n in enumerate(labels) if i % 2 == 0],
    )
    needed = {
        target: {name: float(np.mean([_needed(row, labels, target) for row in rows])) for name, rows in curves.items()}
        for target in TARGETS
    }
    terminal.table(
        "Labels needed for a Dice",
        ["Dice", *STRATEGIES, "ranking / random", "ranking / in turn"],
        [
            [target, *(f"{n:.1f}" for n in row.values()), *(f"{row['ranking'] / row[other]:.2f}" for other in _RIVALS)]
            for target, row in needed.items()
        ],
    )
    return {"labels": labels.tolist(), "curves": {k: v.tolist() for k, v in means.items()}, "needed": needed}


@dataclass(frozen=True)
class _Case:
    """Everybody's `votes` (P, R) and the `truth` (P,) of `counts` (P,) pixels each."""

    votes: NDArray[np.int16]
    truth: NDArray[np.int16]
    counts: NDArray[np.float64]

    def table(self, known: NDArray[np.bool_]) -> VoteTable:
        """The votes of those who were asked."""
        return VoteTable(self.votes, self.counts).without(np.flatnonzero(~known))


@dataclass(frozen=True)
class _State:
    """Which labels there are, (cases, annotators) bool, and what is fused from them."""

    cases: Sequence[_Case]
    known: NDArray[np.bool_]
    tables: Sequence[VoteTable]
    pooled: VoteTable
    fused: Solution

    @classmethod
    def of(cls, cases: Sequence[_Case], known: NDArray[np.bool_]) -> _State:
        tables = [case.table(here) for case, here in zip(cases, known, strict=True)]
        pooled = VoteTable.pooled([table for table, here in zip(tables, known, strict=True) if here.any()])
        return cls(cases, known, tables, pooled, staple(pooled))

    def dice(self) -> float:
        """The mean Dice of the fused truth; a case without any label has none."""
        decided = dict(zip(map(tuple, self.pooled.votes.tolist()), self.fused.decided.tolist(), strict=True))
        scores = []
        for case, table, here in zip(self.cases, self.tables, self.known, strict=True):
            marked = np.array([here.any() and decided[tuple(votes)] > 0 for votes in table.votes.tolist()])
            true = case.truth > 0
            both, one, other = (int(case.counts[part].sum()) for part in (marked & true, marked, true))
            scores.append(float(dice_of_sizes(both, one, other)))
        return float(np.mean(scores))


def _simulate(seed: int, number: int) -> _Case:
    """A picture of a few blobs that cover a fifth of it, drawn by everyone."""
    smooth = ndimage.gaussian_filter(np.random.default_rng([seed, number]).normal(size=SHAPE), 4, mode="constant")
    truth = (smooth > np.quantile(smooth, 0.78)).astype(np.uint8)
    scan = Scan(f"case{number}", truth, (1.0, 1.0))
    table = Votes([*(annotator.draw(scan, seed) for annotator in ANNOTATORS), truth], classes=2).table
    return _Case(table.votes[:, :-1], table.votes[:, -1], table.counts)


def _curve(cases: Sequence[_Case], choose: Choose, random: np.random.Generator) -> list[float]:
    """The Dice after every round of questions, from the calibration cases to all labels."""
    known = np.zeros((CASES, len(NAMES)), dtype=bool)
    known[:CALIBRATION] = True
    curve = []
    while True:
        state = _State.of(cases, known)
        curve.append(state.dice())
        if known.all():
            return curve
        for case, annotator in choose(state, random):
            known[case, annotator] = True


def _by_ranking(state: _State, _random: np.random.Generator) -> list[Question]:
    counts = weigh_background(state.pooled, "union")
    panel = AnnotatorModels.from_counts(
        state.pooled.confusion_counts(state.fused.posterior, counts), counts @ state.fused.posterior
    )
    doubts = [
        vote_doubt(str(number), table.votes, table.counts, panel, NAMES) for number, table in enumerate(state.tables)
    ]
    best = [item for item in suggest(fill_blank_doubts(doubts), panel, NAMES) if not item.again][:AT_A_TIME]
    return [(int(item.case), NAMES.index(item.annotator)) for item in best]


def _at_random(state: _State, random: np.random.Generator) -> list[Question]:
    """Any label that is not there yet."""
    chosen = random.permutation(np.argwhere(~state.known))[:AT_A_TIME]
    return [(int(case), int(annotator)) for case, annotator in chosen]


def _in_turn(state: _State, random: np.random.Generator) -> list[Question]:
    """A case with the fewest labels, somebody at random: what a careful head of a study does without the ranking."""
    questions = random.permutation(np.argwhere(~state.known))
    fewest = np.argsort(state.known.sum(axis=1)[questions[:, 0]], kind="stable")[:AT_A_TIME]
    return [(int(case), int(annotator)) for case, annotator in questions[fewest]]


def _needed(curve: Sequence[float], labels: NDArray[Any], target: float) -> int:
    return int(labels[np.argmax(np.array(curve) >= target)])


Choose = Callable[[_State, np.random.Generator], list[Question]]
STRATEGIES: dict[str, Choose] = {"ranking": _by_ranking, "random": _at_random, "in turn": _in_turn}
_RIVALS = ("random", "in turn")
