"""Where most annotators differ from the reference alike, the sentence about the error says so."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review.compare.case import review_case
from NoisyLabelSegLib.review.sentences import mistake_sentences

GRID = Geometry.plain((8, 16, 16))


def sentences(readers: int, marking: int) -> list[str]:
    """About the errors of reader 0, where so many of the readers marked an object that the reference lacks."""
    truth = np.zeros(GRID.shape, dtype=np.uint8)
    truth[2:6, 2:6, 2:6] = 1
    labels = {}
    for reader in range(readers):
        labels[f"reader{reader}"] = truth.copy()
        if reader < marking:
            labels[f"reader{reader}"][2:6, 9:13, 9:13] = 1
    found = review_case(labels, truth, GRID, case="case").mistakes
    return [mistake_sentences(mistake) for mistake in found if mistake.annotator == "reader0"]


def test_most_of_nine_who_marked_an_object_put_the_reference_in_question() -> None:
    (sentence,) = sentences(9, 7)
    assert sentence.endswith("7 of 9 marked this; check the reference.")


@pytest.mark.parametrize(("readers", "marking"), [(9, 4), (4, 2), (2, 2), (1, 1)])
def test_half_of_them_or_too_few_readers_do_not(readers: int, marking: int) -> None:
    (sentence,) = sentences(readers, marking)
    assert "check the reference" not in sentence
