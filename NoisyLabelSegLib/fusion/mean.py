"""The mean of all labels: soft probabilities, one annotator one vote."""

from __future__ import annotations

from NoisyLabelSegLib.fusion.model import Solution, most_likely, solution
from NoisyLabelSegLib.fusion.table import VoteTable


def mean(table: VoteTable, *, threshold: float | None = None) -> Solution:
    """The probability of a class is the share of annotators who chose it; see `most_likely` for the label."""
    return solution(table, table.shares, decided=most_likely(table, table.shares, threshold))
