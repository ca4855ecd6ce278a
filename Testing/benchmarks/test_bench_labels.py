"""The comparison of image, labels and both together."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import bench_labels
from benchmarks.labeled_predictions import LabeledCase, Predictions, words_of
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import DEFAULT
from NoisyLabelSegLib.fusion.combination import FORM
from NoisyLabelSegLib.fusion.label_agreement import LabelAgreement

NAME = "digits, paper"


def record(seed: int, together: float) -> dict[str, object]:
    figures = {"image alone": 0.5, "labels alone": 0.7, "together": together}
    kind = {"fusion": DEFAULT, "form": FORM, "words": list(words_of("digits"))}
    return {"study": NAME, "seed": seed, **kind, "rows": {"all": figures}}


def labeled(names: tuple[str, ...]) -> LabeledCase:
    truth = np.zeros((4, 6), dtype=np.uint8)
    truth[1:3, 1:5] = 1
    p = np.stack([0.9 - 0.8 * truth, 0.1 + 0.8 * truth]).astype(np.float16)
    labels = {name: np.roll(truth, place, axis=1) for place, name in enumerate(names)}
    confusion = np.array([[0.9, 0.2], [0.1, 0.8]], dtype=np.float16)[:, :, None, None] * np.ones((4, 6), np.float16)
    return LabeledCase(p, dict.fromkeys(names, confusion), labels, truth)


def test_a_row_has_the_mean_and_spread_over_seeds() -> None:
    found = bench_labels.summarized([record(1, 0.8), record(2, 0.9)])
    image, labels, together = found[NAME, "all"]
    assert (image, labels) == ((0.5, 0.0), (pytest.approx(0.7), pytest.approx(0.0)))
    assert together == (pytest.approx(0.85), pytest.approx(0.1 / 2**0.5))


def test_a_finished_training_is_read_and_one_with_another_form_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "digits-paper-seed1.json"
    file.write_text(json.dumps(record(1, 0.8)))
    assert bench_labels.measure(NAME, 1, tmp_path, None)["rows"]["all"]["together"] == 0.8
    file.write_text(json.dumps({**record(1, 0.8), "form": FORM - 1}))
    with pytest.raises(UserError, match="other settings"):
        bench_labels.measure(NAME, 1, tmp_path, None)


def test_simulated_annotators_are_compared_with_the_truth_and_readers_with_each_other() -> None:
    case = labeled(("good", "over", "under"))
    rows = list(bench_labels._rows(case, held_out_reader=False))
    assert [(row, used) for row, used, _ in rows] == [
        ("all", ["good", "over", "under"]),
        ("all but good", ["over", "under"]),
        ("one", ["good"]),
        ("one", ["over"]),
        ("one", ["under"]),
    ]
    assert "all but good" not in {row for row, *_ in bench_labels._rows(labeled(("a", "b")), held_out_reader=False)}
    readers = list(bench_labels._rows(case, held_out_reader=True))
    assert all(reference is not case.labels[name] for _, used, reference in readers for name in used)


def test_predictions_that_were_kept_give_the_same_scores(tmp_path: Path) -> None:
    found = Predictions([labeled(("good", "over"))], LabelAgreement({"good": 0.9, "over": 0.8}, 0.7), 1.0)
    found.write(tmp_path / "kept.npz")
    again = Predictions.read(tmp_path / "kept.npz")
    assert again.agreement == found.agreement
    scores = bench_labels.score(found, held_out_reader=False)
    assert bench_labels.score(again, held_out_reader=False) == scores
    assert scores["all"]["image alone"] == 1
    assert scores["one"]["labels alone"] == pytest.approx((1 + 0.75) / 2)
