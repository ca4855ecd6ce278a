"""The truth from image and labels together, on numbers that can be checked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import DEFAULT, fuse
from NoisyLabelSegLib.fusion.combination import LabeledPrediction
from NoisyLabelSegLib.fusion.label_agreement import LabelAgreement

GOOD = np.array([[0.9, 0.1], [0.1, 0.9]])
USELESS = np.array([[0.5, 0.5], [0.5, 0.5]])
STRONG = LabelAgreement({"a": 0.9, "b": 0.9}, 0.45)
"""A network that agrees twice as well with the annotators as they do with each other."""


def probabilities(*foreground: float) -> np.ndarray:
    return np.stack([1 - np.array(foreground), np.array(foreground)])


def test_one_label_moves_the_odds_by_the_ratio_of_its_matrix_to_the_power() -> None:
    case = LabeledPrediction(probabilities(0.4, 0.4), {"a": GOOD}, {"a": np.array([1, 0])}, agreement=STRONG)
    found = case.combine()
    power = 1.5 * 0.5**3
    odds = np.array([4 / 6 * 9**power, 4 / 6 / 9**power])
    assert found.power == pytest.approx(power)
    assert found.fusion_weight == 0
    np.testing.assert_allclose(found.probabilities[1], odds / (1 + odds), rtol=2e-3)
    assert found.labels.tolist() == [1, 0]


def test_an_annotator_who_says_nothing_about_the_truth_changes_nothing() -> None:
    p = probabilities(0.3, 0.8, 0.6)
    case = LabeledPrediction(p, {"a": USELESS}, {"a": np.array([1, 0, 0])}, agreement=STRONG)
    np.testing.assert_allclose(case.combine().probabilities, p, atol=1e-3)


def test_a_network_that_agrees_with_nobody_leaves_the_truth_to_the_default_fusion() -> None:
    labels = {name: np.array([0, 1, 1, 0, 0]) for name in ("a", "b", "c")} | {"d": np.array([1, 1, 1, 0, 0])}
    case = LabeledPrediction(probabilities(0.01, 0.01, 0.01, 0.99, 0.99), dict.fromkeys(labels, USELESS), labels)
    found = case.combine()
    assert found.fusion_weight > 0.8
    assert found.labels.tolist() == fuse(list(labels.values()), DEFAULT).labels.tolist() == [0, 1, 1, 0, 0]
    assert any("agrees less" in remark for remark in found.remarks)
    assert found.to_json()["network_dice"] < found.to_json()["annotator_dice"]


def test_fused_labels_close_to_an_annotator_whom_the_network_agrees_with_take_over_and_others_do_not() -> None:
    drawn = np.array([0, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    p = probabilities(0.3, *[0.9] * 7, 0.3, 0.3)
    near = LabeledPrediction(p, dict.fromkeys("abc", GOOD), dict.fromkeys("abc", drawn), agreement=STRONG).combine()
    assert near.fusion_weight == 1
    assert near.labels.tolist() == drawn.tolist()
    other = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 1])
    known = LabelAgreement({"a": 0.9, **dict.fromkeys("xyz", 0.6)}, 0.45)
    far = LabeledPrediction(p, dict.fromkeys("xyz", USELESS), dict.fromkeys("xyz", other), agreement=known).combine()
    assert far.fusion_weight == 0
    assert far.labels.tolist() == p.argmax(axis=0).tolist()


@pytest.mark.parametrize(("closest", "support"), [(0.5, 0.0), (0.825, 0.35), (0.9, 0.7), (0.965, 0.85), (1.0, 1.0)])
def test_the_weight_of_fused_labels_follows_their_dice_to_the_annotators_scaled_by_how_good_these_are(
    closest: float, support: float
) -> None:
    known = LabelAgreement({"a": 0.8, "b": 0.4})
    assert known.support({"a": closest, "b": 0.9}) == pytest.approx(support)
    assert known.support({"b": 1.0, "newcomer": 1.0}) == 0


def test_annotators_are_left_out_without_the_others_being_given_again() -> None:
    labels = {"a": np.array([1, 0, 0]), "b": np.array([0, 0, 1])}
    p = probabilities(0.45, 0.1, 0.45)
    case = LabeledPrediction(p, dict.fromkeys("ab", GOOD), labels)
    assert case.combine(["a"]).labels.tolist() == [1, 0, 0]
    assert case.combine(["b"]).labels.tolist() == [0, 0, 1]
    nobody = case.combine([])
    assert nobody.labels.tolist() == [0, 0, 0]
    assert "from the image alone" in nobody.remarks[0]


def test_without_a_card_the_labels_left_out_still_tell_how_good_the_network_is() -> None:
    truth = np.array([0, 0, 1, 1, 1, 1, 0, 0, 0, 0])
    wide = np.array([1, 1, 1, 1, 1, 1, 1, 1, 0, 0])
    labels = {"good": truth, "wide": wide, "wider": np.maximum(wide, [0] * 8 + [1, 0]), "also wide": wide}
    case = LabeledPrediction(probabilities(*np.where(truth, 0.99, 0.01)), dict.fromkeys(labels, USELESS), labels)
    without = case.combine(["wide", "wider", "also wide"])
    assert without.fusion_weight < 0.5
    assert without.labels.tolist() == truth.tolist()


def test_an_annotator_unknown_to_the_model_counts_as_the_average_annotator() -> None:
    labels = {"new": np.array([1, 0])}
    p, confusion = probabilities(0.4, 0.4), {"a": GOOD, "b": USELESS}
    found = LabeledPrediction(p, confusion, labels).combine()
    average = LabeledPrediction(p, {"new": (GOOD + USELESS) / 2}, labels).combine()
    np.testing.assert_allclose(found.probabilities, average.probabilities, atol=1e-3)
    assert any("not trained on labels of new" in remark for remark in found.remarks)


def test_only_the_box_of_what_is_marked_is_kept_and_the_rest_is_background() -> None:
    p, labels = np.zeros((2, 40, 50, 60)), np.zeros((40, 50, 60), dtype=np.uint8)
    p[0] = 1
    labels[10:12, 20:23, 30:34] = 1
    p[:, 11, 21, 36] = 0.3, 0.7
    field = np.broadcast_to(GOOD[..., None, None, None], (2, 2, 40, 50, 60))
    case = LabeledPrediction(p, {"a": field}, {"a": labels})
    assert case._p.shape == (2, 2, 3, 7)
    assert (case._p.dtype, case._confusion["a"].shape) == (np.float16, (2, 2, 2, 3, 7))
    found = case.combine()
    assert found.labels.shape == labels.shape
    assert found.probabilities[0, 0, 0, 0] == 1
    np.testing.assert_allclose(found.probabilities.sum(axis=0), 1, atol=1e-6)


def test_a_case_without_any_foreground_stays_background() -> None:
    p, labels = probabilities(0.001, 0.002), np.zeros(2, dtype=np.uint8)
    assert LabeledPrediction(p, {"a": GOOD}, {"a": labels}).combine().labels.tolist() == [0, 0]


def test_labels_that_do_not_fit_are_refused_in_a_sentence() -> None:
    p = probabilities(0.5, 0.5)
    with pytest.raises(UserError, match=r"labels of a have the shape \(3,\)"):
        LabeledPrediction(p, {"a": GOOD}, {"a": np.zeros(3, dtype=np.uint8)})
    with pytest.raises(UserError, match="labels of a are not whole numbers from 0 to 1"):
        LabeledPrediction(p, {"a": GOOD}, {"a": np.array([0, 2])})
    with pytest.raises(UserError, match="knows no annotators"):
        LabeledPrediction(p, {}, {"a": np.array([0, 1])})


def test_what_a_card_says_is_read_leniently() -> None:
    assert LabelAgreement.from_json(STRONG.to_json()) == STRONG
    assert LabelAgreement.from_json({"network": {"a": 0.4}, "annotators": None}) == LabelAgreement({"a": 0.4})
    for content in (None, {}, {"network": {}}, {"network": {"a": "x"}}, {"network": {"a": 2}}):
        assert LabelAgreement.from_json(content) is None
