"""The sentences say what the numbers say, on annotators whose errors are known."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review import (
    AnnotatorSummary,
    MistakeKind,
    Suggestion,
    annotator_sentence,
    class_sentence,
    mistake_sentences,
    review_case,
    sentences,
    suggestion_sentence,
    summarize,
    trend_sentence,
)
from NoisyLabelSegLib.review.active.evidence import DoubtfulRegion
from NoisyLabelSegLib.simulation import Scan, SimulatedAnnotator

Ball = Callable[..., NDArray[np.uint8]]
GRID = Geometry.plain((16, 48, 48), (0.8, 0.8, 2.0))


def summary_of(
    name: str, drawn: NDArray[np.uint8], truth: NDArray[np.uint8], grid: Geometry = GRID
) -> AnnotatorSummary:
    return summarize(review_case({name: drawn}, truth, grid, mistakes=False).statistics)


def lesions(seed: int) -> NDArray[np.uint8]:
    """Four balls of 3 to 6 mm at random places of a grid of quarters."""
    random = np.random.default_rng(seed)
    z, y, x = np.indices(GRID.shape)
    truth = np.zeros(GRID.shape, np.uint8)
    for cy, cx in ((12, 12), (12, 36), (36, 12), (36, 36)):
        cz, radius = random.integers(5, 11), random.uniform(3, 6)
        cy, cx = cy + random.integers(-2, 3), cx + random.integers(-2, 3)
        truth |= ((z - cz) * 2.0) ** 2 + ((y - cy) * 0.8) ** 2 + ((x - cx) * 0.8) ** 2 <= radius**2
    return truth


@pytest.mark.parametrize("seed", range(20))
def test_simulated_annotators_get_the_sentence_that_says_so(seed: int) -> None:
    scan = Scan("case", lesions(seed), GRID.spacing_zyx)
    expected = {"over": "over draws", "under": "under draws", "blank": "blank marks nothing", "good": "good agrees"}
    said = {}
    for kind in expected:
        drawn = SimulatedAnnotator(kind, kind).draw(scan, seed)
        said[kind] = annotator_sentence(summary_of(kind, drawn, scan.truth))
        assert expected[kind] in said[kind]
    assert "outside the border" in said["over"]
    assert "inside the border" in said["under"]


def test_the_sentence_of_the_issue(ball: Ball) -> None:
    truth = ball(GRID, (8, 24, 24), 8) | ball(GRID, (4, 6, 6), 2.5)
    drawn = ball(GRID, (8, 24, 24), 9.6)
    sentence = annotator_sentence(summary_of("Reader 2", drawn, truth))
    assert re.fullmatch(
        r"Reader 2 draws 1\.\d mm outside the border and missed 1 of 2 objects \(largest \d+ mm³\)\.", sentence
    )


def test_corners_have_sentences_of_their_own() -> None:
    nothing, something = np.zeros((4, 20, 20), np.uint8), np.zeros((4, 20, 20), np.uint8)
    something[1:3, 4:8, 4:8] = 1
    elsewhere = np.roll(something, 10, axis=1)
    grid = Geometry.plain((4, 20, 20))
    assert (
        annotator_sentence(summary_of("r", nothing, nothing, grid)) == "r marks nothing, and there is nothing to mark."
    )
    assert (
        annotator_sentence(summary_of("r", something, nothing, grid))
        == "r marked 32 mm³ where there is nothing to mark."
    )
    assert annotator_sentence(summary_of("r", elsewhere, something, grid)) == (
        "r found none of the objects to mark (1); false positive objects: 1."
    )


def test_a_picture_without_spacing_is_measured_in_pixels() -> None:
    truth, drawn = np.zeros((2, 40, 40), np.uint8)
    truth[10:30, 10:30] = 1
    drawn[8:32, 8:32] = 1
    assert annotator_sentence(summary_of("r", drawn, truth, Geometry.plain((40, 40)))).startswith(
        "r draws 2.0 px outside"
    )


def test_every_combination_fills_every_gap() -> None:
    for group in sentences._ANNOTATOR.values():
        for template in group.values():
            gaps = set(re.findall(r"{(\w+)}", template))
            assert gaps <= {"annotator", "distance", "apart", "objects", "missed", "largest", "invented"}
            assert template.endswith(".")
            assert template.startswith("{annotator}")


def test_the_class_stands_in_front() -> None:
    truth = np.ones((3, 3), np.uint8)
    assert class_sentence(summary_of("r", truth, truth, Geometry.plain((3, 3)))) == (
        "foreground: r agrees with the reference in every voxel."
    )


def test_mistakes_are_told_with_place_and_company(ball: Ball) -> None:
    truth, drawn = ball(GRID, (8, 24, 20), 8), ball(GRID, (8, 24, 26), 8)
    review = review_case({"a": drawn, "b": drawn}, truth, GRID)
    wide = next(item for item in review.mistakes if item.kind is MistakeKind.TOO_WIDE)
    assert re.fullmatch(
        r"Drew the border of foreground up to 4\.\d mm too wide, \d+ mm³ too much\. "
        r"It lies on the patient's left side of the object\. Slices 5 to 13 of 16\. Made by b too\.",
        mistake_sentences(wide),
    )


def test_everything_shown_passes_through_the_translator() -> None:
    seen: list[str] = []

    def translate(template: str) -> str:
        seen.append(template)
        return f"«{template}»"

    truth = np.ones((3, 3), np.uint8)
    sentence = annotator_sentence(summary_of("r", truth, truth, Geometry.plain((3, 3))), translate=translate)
    assert sentence == "«r agrees with the reference in every voxel.»"
    assert seen == ["{annotator} agrees with the reference in every voxel."]


def test_a_suggestion_names_whom_what_and_why() -> None:
    suggestion = Suggestion("c7", "anna", doubt=500, settles=300, cost=1, again=False)
    assert suggestion_sentence(suggestion, "case 7") == (
        "Ask anna to label case 7: this should settle 60 % of the 500 mm³ in doubt."
    )
    region = DoubtfulRegion(40, (0, 0, 0), slice=12, slices=40)
    assert suggestion_sentence(suggestion, "case 7", [region]).endswith("in doubt. Look near slice 12 first.")
    sure = Suggestion("c7", "anna", doubt=0, settles=0, cost=1, again=False)
    assert suggestion_sentence(sure, "case 7") == "Nothing in case 7 is in doubt; anna need not label it."


def test_the_trend_is_told_only_when_there_are_cases_enough() -> None:
    truth = np.ones((3, 3), np.uint8)
    assert trend_sentence(summary_of("r", truth, truth, Geometry.plain((3, 3)))) == ""
    rows = []
    for wrong in range(8, 0, -1):
        drawn = np.ones((10, 10), np.uint8)
        drawn.flat[: 5 * wrong] = 0
        rows += review_case({"r": drawn}, np.ones((10, 10), np.uint8), Geometry.plain((10, 10))).statistics
    assert re.fullmatch(r"r is getting better: Dice rises by 0\.\d\d per ten cases\.", trend_sentence(summarize(rows)))
    assert "getting worse" in trend_sentence(summarize(rows[::-1]))


def test_one_label_says_nothing_about_reliability() -> None:
    truth = np.ones((3, 3), np.uint8)
    alone = replace(summary_of("r", truth, truth, Geometry.plain((3, 3))), fused_from=1)
    assert annotator_sentence(alone) == (
        "r's labels are the only ones, so they are the reference and reliability cannot be told."
    )


def test_the_annotator_whom_a_fusion_of_two_follows_is_not_called_right() -> None:
    truth = np.ones((3, 3), np.uint8)
    followed = replace(summary_of("r", truth, truth, Geometry.plain((3, 3))), fused_from=2)
    assert annotator_sentence(followed) == (
        "The reference fused from two annotators equals r's labels; reliability cannot be told from two."
    )
    assert annotator_sentence(replace(followed, fused_from=3)) == (
        "r agrees in every voxel with the estimated truth, which was fused from these labels, too."
    )
