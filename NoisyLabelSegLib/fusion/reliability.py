"""Whether labels can tell how reliable annotators are at all."""

from __future__ import annotations

from collections.abc import Iterable

from NoisyLabelSegLib.cases import Study

ALONE = (
    "Only one annotator labeled each case, so the estimate is that annotator's labels and reliability cannot be told."
)
TWO = "There are only two annotators: where they disagree, nothing tells who is right, so reliability cannot be told."


def reliability_remark(study: Study) -> str:
    """A sentence where the study's labels cannot tell how reliable annotators are, empty where they can."""
    chosen = set(study.annotators)
    return remark_on_panels([names for case in study.cases if (names := chosen & set(case.annotators))])


def remark_on_panels(panels: Iterable[Iterable[str]]) -> str:
    """The same from the annotators of each case."""
    found = [set(panel) for panel in panels]
    if max((len(panel) for panel in found), default=0) <= 1:
        return ALONE
    return TWO if len(set().union(*found)) <= 2 else ""
