"""The paper's annotators on digits err as much as the authors' own examples do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.simulation import Scan, read_panel, solve_each

AUTHORS = {"good": 1.0, "over": 0.652, "under": 0.326, "wrong": 0.658, "blank": 0.0}


@pytest.fixture
def scans(shared_data) -> list[Scan]:
    digits = np.load(shared_data / "mnist-paper-annotators" / "mnist_paper_annotators.npz")["gt"]
    return [Scan(str(k), (digit > 10).astype(np.uint8), (1.0, 1.0)) for k, digit in enumerate(digits)]


def test_mean_dice_is_that_of_the_authors_examples(scans):
    for annotator in solve_each(read_panel("paper", ("background", "digit")).annotators, scans, 0):
        scores = [dice(annotator.draw(scan, 0), scan.truth) for scan in scans]
        assert np.mean(scores) == pytest.approx(AUTHORS[annotator.name], abs=0.02)


def test_the_wrong_one_is_thicker_and_broken_as_the_authors_is(scans, shared_data):
    data = np.load(shared_data / "mnist-paper-annotators" / "mnist_paper_annotators.npz")
    wrong = solve_each(read_panel("paper", ("background", "digit")).annotators, scans, 0)[3]
    drawn = [wrong.draw(scan, 0).astype(bool) for scan in scans]
    kept = np.mean(
        [(labels & (scan.truth > 0)).sum() / scan.truth.sum() for labels, scan in zip(drawn, scans, strict=True)]
    )
    truth = data["gt"] > 10
    authors = np.mean([(data["wrong"][k] & truth[k]).sum() / truth[k].sum() for k in range(len(truth))])
    assert kept == pytest.approx(authors, abs=0.06)
    added = np.mean(
        [(labels & (scan.truth == 0)).sum() / scan.truth.sum() for labels, scan in zip(drawn, scans, strict=True)]
    )
    assert added > 0.4
    pieces = [
        ndimage.label(labels)[1] - ndimage.label(scan.truth)[1] for labels, scan in zip(drawn, scans, strict=True)
    ]
    assert np.mean(np.array(pieces) > 0) > 0.5
