"""A study's figures: means, intervals, reliability, tests, and what is missing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.agreement import AgreementSettings, agree_study
from NoisyLabelSegLib.agreement.summary import summary
from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.reliability import icc, loam

SETTINGS = AgreementSettings(method="majority", tolerance_mm=1.0, resamples=200)
WIDTHS = [(4, 5, 6), (8, 8, 9), (10, 12, 13), (6, 6, 6), (14, 15, 16), (3, 4, 4)]


def bars(widths: list[tuple[int, ...]], names: str = "abc") -> list[dict[str, int]]:
    return [dict(zip(names, row, strict=True)) for row in widths]


def test_the_contract_of_agreement_json(make_study: Callable[..., Study]) -> None:
    content = summary(agree_study(make_study(bars(WIDTHS)), SETTINGS))
    pair = content["pairs"][0]
    assert (pair["a"], pair["b"], pair["cases"]) == ("a", "b", 6)
    assert pair["dice"] == pytest.approx(np.mean([2 * min(x, y) / (x + y) for x, y, _ in WIDTHS]))
    assert 0 < pair["surface_dice"] <= 1
    volumes = np.array(WIDTHS) * 10
    expected = icc(volumes)
    assert content["icc_2_1"]["value"] == pytest.approx(expected.icc_2_1.value)
    assert content["icc_2_1"]["low"] == pytest.approx(expected.icc_2_1.low)
    assert content["icc_3_1"]["high"] == pytest.approx(expected.icc_3_1.high)
    assert content["loam"]["value"] == pytest.approx(loam(volumes))
    assert set(content["leave_one_out"]) == {"a", "b", "c"}
    assert content["leave_one_out"]["b"]["dice"] > content["leave_one_out"]["c"]["dice"]
    assert json.loads(json.dumps(content, allow_nan=False)) == content


def test_differences_in_size_are_second_minus_first(make_study: Callable[..., Study]) -> None:
    content = summary(agree_study(make_study(bars(WIDTHS)), SETTINGS))
    row = next(row for row in content["bland_altman"] if (row["a"], row["b"]) == ("a", "c"))
    differences = 10 * np.array([c - a for a, _, c in WIDTHS])
    assert row["bias"] == pytest.approx(differences.mean())
    assert row["lower"] == pytest.approx(differences.mean() - 1.959964 * differences.std(ddof=1), abs=1e-4)
    assert row["p_holm"] >= row["p"]


def test_cases_of_one_patient_are_not_independent(make_study: Callable[..., Study]) -> None:
    alone = summary(agree_study(make_study(bars(WIDTHS * 3), name="alone"), SETTINGS))
    patients = [f"p{number % 6}" for number in range(18)]
    together = summary(agree_study(make_study(bars(WIDTHS * 3), patients, name="together"), SETTINGS))
    assert (alone["patients"], together["patients"]) == (18, 6)
    for key in ("dice", "surface_dice"):
        width = alone["overall"][f"{key}_high"] - alone["overall"][f"{key}_low"]
        assert together["overall"][f"{key}_high"] - together["overall"][f"{key}_low"] > 1.3 * width
    assert together["icc_2_1"]["value"] == alone["icc_2_1"]["value"]
    assert together["icc_2_1"]["low"] != alone["icc_2_1"]["low"]
    assert together["bland_altman"][0]["p"] > alone["bland_altman"][0]["p"]
    assert together["bland_altman"][0]["bias_low"] < alone["bland_altman"][0]["bias_low"]


def test_a_reader_who_is_missing_somewhere_is_left_out_there_only(make_study: Callable[..., Study]) -> None:
    drawn = bars(WIDTHS)
    del drawn[0]["c"]
    content = summary(agree_study(make_study(drawn), SETTINGS))
    assert [row["cases"] for row in content["pairs"]] == [6, 5, 5]
    assert content["icc_2_1"]["cases"] == 5
    assert content["icc_2_1"]["value"] == pytest.approx(icc(np.array(WIDTHS[1:])).icc_2_1.value)
    assert content["leave_one_out"]["a"]["cases"] == 6


def test_one_case_has_figures_and_no_intervals(make_study: Callable[..., Study]) -> None:
    content = summary(agree_study(make_study(bars(WIDTHS[:1])), SETTINGS))
    assert content["pairs"][0]["dice"] == pytest.approx(8 / 9)
    assert content["pairs"][0]["dice_low"] is None
    assert content["icc_2_1"] == {"value": None, "low": None, "high": None, "cases": 1}
    assert content["bland_altman"][0]["p"] is None
    assert any("one patient" in remark for remark in content["remarks"])


def test_readings_within_a_reader_stand_beside_those_between(make_study: Callable[..., Study]) -> None:
    drawn = [{"a": [8, 8], "b": 12}, {"a": [10, 11], "b": 14}, {"a": 9, "b": 13}]
    content = summary(agree_study(make_study(drawn), SETTINGS))
    within = content["within_readers"]
    assert within["readers"]["a"]["cases"] == 2
    assert within["readers"]["a"]["dice"] == pytest.approx((1 + 20 / 21) / 2)
    assert within["readers"]["a"]["repeatability"] == pytest.approx(1.959964 * np.sqrt(2 * 50 / 2), abs=1e-4)
    assert within["overall"]["dice"] > content["overall"]["dice"]
    assert summary(agree_study(make_study(bars(WIDTHS), name="once"), SETTINGS))["within_readers"] is None


def test_a_study_of_one_reader_has_only_figures_within(make_study: Callable[..., Study]) -> None:
    content = summary(agree_study(make_study([{"a": [8, 9]}, {"a": [5, 5]}]), SETTINGS))
    assert content["pairs"] == []
    assert content["overall"]["dice"] is None
    assert content["within_readers"]["overall"]["cases"] == 2


def test_classes_are_averaged_and_told_apart(tmp_path: Path) -> None:
    files = {}
    for name, shift in (("a", 0), ("b", 1)):
        labels = np.zeros((12, 12), np.uint8)
        labels[1:5, 1:5] = 1
        labels[6:10, 6 + shift : 10 + shift] = 2
        files[name] = Annotation(tmp_path / f"{name}.nrrd")
        write_labels(files[name].source, labels, Geometry.plain((12, 12)))
    study = Study("two", ("background", "liver", "tumor"), ("a", "b"), (Case("one", (), files),), tmp_path)
    content = summary(agree_study(study, SETTINGS))
    assert content["by_class"]["liver"]["pairs"][0]["dice"] == 1
    assert content["by_class"]["tumor"]["pairs"][0]["dice"] == pytest.approx(0.75)
    assert content["pairs"][0]["dice"] == pytest.approx(0.875)
    assert content["pairs"][0]["hits"] == 2


def test_a_study_that_was_read_once_is_refused(make_study: Callable[..., Study]) -> None:
    with pytest.raises(UserError, match="was read twice"):
        agree_study(make_study([{"a": 5}, {"b": 6}]), SETTINGS)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"method": "voodoo"}, "no fusion method"),
        ({"tolerance_mm": -1}, "tolerance"),
        ({"margin_mm": float("nan")}, "margin"),
        ({"match_iou": 1.0}, "IoU"),
        ({"resamples": 5}, "100 resamples"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    make_study: Callable[..., Study], change: dict[str, float], words: str
) -> None:
    with pytest.raises(UserError, match=words):
        agree_study(make_study(bars(WIDTHS)), AgreementSettings(**change))


def test_differences_that_grow_with_size_are_pointed_out(make_study: Callable[..., Study]) -> None:
    growing = [(n, n + n // 4, n + n // 2) for n in range(1, 13)]
    content = summary(agree_study(make_study(bars(growing)), SETTINGS))
    assert any("grow with area" in remark for remark in content["remarks"])
    assert not any("grow" in remark for remark in summary(agree_study(make_study(bars(WIDTHS), name="w")))["remarks"])
