"""Adjudication: the regions on which annotators disagree, what was decided about each, and the truth that follows."""

from NoisyLabelSegLib.decisions.adjudication import AdjudicatedCase, adjudicate_case, labels_digest
from NoisyLabelSegLib.decisions.record import Conflict, Decision, Decisions, Region, merge_decisions
from NoisyLabelSegLib.decisions.regions import Disagreement, Disagreements, find_disagreements

__all__ = [
    "AdjudicatedCase",
    "Conflict",
    "Decision",
    "Decisions",
    "Disagreement",
    "Disagreements",
    "Region",
    "adjudicate_case",
    "find_disagreements",
    "labels_digest",
    "merge_decisions",
]
