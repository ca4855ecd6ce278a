"""A report says how its reference was made, where the folder of the reference tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.review.reference import WITH_LABELS, describe_reference


def test_a_prediction_with_labels_says_whose_labels_were_used(small_study: Study, tmp_path: Path) -> None:
    used = {case.id: {"annotators": ["careful", "wide"], "fusion_weight": 0.8} for case in small_study.cases}
    for case in small_study.cases:
        (tmp_path / case.id).mkdir()
    (tmp_path / "combination.json").write_text(json.dumps({"cases": used}), encoding="utf-8")
    reference = describe_reference(str(tmp_path), small_study)
    assert (reference.methods, reference.annotators) == ((WITH_LABELS,), ("careful", "wide"))
    assert reference.cases == len(small_study.cases)


@pytest.mark.parametrize(
    "text", ["[]", '{"cases": [1]}', "no JSON", '{"cases": {"a": 3}}', '{"cases": {"a": {"annotators": 5}}}']
)
def test_a_folder_that_tells_nothing_usable_is_not_believed(small_study: Study, tmp_path: Path, text: str) -> None:
    (tmp_path / "combination.json").write_text(text, encoding="utf-8")
    assert describe_reference(str(tmp_path), small_study).annotators == ()
