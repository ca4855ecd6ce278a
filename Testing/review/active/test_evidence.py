"""What a case tells about its annotators and its doubt."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review import review_case
from NoisyLabelSegLib.review.active.evidence import all_doubts, blank_evidence, gather_evidence, panel_of

GRID = Geometry.plain((20, 20))


def test_only_what_somebody_marked_counts_for_the_skill_of_annotators() -> None:
    truth = np.zeros((20, 20), np.uint8)
    truth[5:10, 5:10] = 1
    labels = {"right": truth, "blank": 0 * truth, "wide": np.maximum(truth, np.roll(truth, 5))}
    names = ("right", "blank", "wide", "absent")
    confusion = review_case(labels, truth, GRID).confusion
    evidence = gather_evidence("c", labels, confusion, GRID, annotators=names, classes=2)
    assert evidence.confusion[0].tolist() == [[25, 0], [0, 25]]
    assert evidence.confusion[1].tolist() == [[25, 25], [0, 0]]
    assert evidence.confusion[2].tolist() == [[0, 0], [25, 25]]
    assert evidence.confusion[3].sum() == 0
    assert evidence.truth.tolist() == [25, 25]
    panel = panel_of([evidence])
    assert panel.confusion[0, 1, 1] > 0.9 > 0.2 > panel.confusion[1, 1, 1]


def test_a_sure_model_leaves_no_doubt_and_an_unsure_one_does() -> None:
    sure = np.stack([np.ones((20, 20)), np.zeros((20, 20))])
    unsure = sure.copy()
    unsure[:, :3, :3] = 0.5
    evidence = [
        blank_evidence(name, probabilities, GRID, annotators=1, classes=2)
        for name, probabilities in (("sure", sure), ("unsure", unsure))
    ]
    first, second = all_doubts(evidence, panel_of(evidence), ("r",))
    assert first.bits == 0
    assert second.bits == pytest.approx(9)
    assert evidence[1].regions[0].size == 9
