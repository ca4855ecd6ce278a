"""The protocol of the accuracy benchmark: what it trains, what it holds out, and that a finished training is kept."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks import accuracy_lidc, accuracy_runs
from benchmarks.accuracy_experts import counted, expert_study, mean_matrix
from benchmarks.accuracy_protocol import CHOOSING_SEEDS, FOLDS, HELD_OUT, METHODS, PANELS, SEEDS, SIMULATED, Run, plan
from benchmarks.accuracy_records import Records, rounded
from benchmarks.accuracy_runs import measure, settings_of, simulated_study
from benchmarks.lidc_nodules import NoduleSlices
from benchmarks.paired import comparison
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training.learners import LEARNERS

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
TINY = ("widths=[4,8]", "epochs=1", "samples=8")


def test_every_training_has_a_key_of_its_own_and_settings_that_hold() -> None:
    runs = list(dict.fromkeys(plan()))
    assert len({run.key for run in runs}) == len(runs)
    for run in runs:
        settings = settings_of(run)
        assert settings.problems() == []
        assert settings.learner in LEARNERS
        assert settings.seed == run.seed


def test_seeds_that_settings_were_chosen_on_are_not_reported() -> None:
    assert not set(SEEDS) & set(CHOOSING_SEEDS)
    assert {run.seed for run in plan() if run.study in SIMULATED} == set(SEEDS)


def test_the_main_rows_have_five_seeds_and_the_default_every_study_panel_and_kind_of_labels() -> None:
    runs = set(plan())
    for study, design in SIMULATED.items():
        for panel in PANELS:
            for seed in SEEDS:
                for method in ("coupled", "majority", design.best_staple[panel]):
                    assert Run(study, panel, "all", method, seed) in runs
                for method in ("coupled", "majority"):
                    assert Run(study, panel, "one", method, seed) in runs


def test_every_method_is_compared_on_lesions() -> None:
    measured = {run.method for run in plan() if run.study == "lesions"}
    assert measured == set(METHODS)


def test_twenty_cases_are_held_out_with_everybodys_labels(tmp_path: Path) -> None:
    study = simulated_study(Run("digits", "imperfect", "one", "coupled", 21), tmp_path)
    held_out, train = study.split("test").cases, study.split("train").cases
    assert (len(held_out), len(train)) == (HELD_OUT, SIMULATED["digits"].train)
    assert {len(case.annotations) for case in held_out} == {len(study.annotators)}
    assert {len(case.annotations) for case in train} == {1}


@pytest.mark.parametrize("study", SIMULATED)
def test_nobody_is_perfect_in_the_panel_without_a_perfect_annotator(study: str) -> None:
    from NoisyLabelSegLib.simulation.annotators import read_panel

    panel = read_panel(SIMULATED[study].panels["imperfect"], ("background", "a", "b", "c"))
    assert all(annotator.kind != "good" and annotator.has_strength for annotator in panel.annotators)


def test_a_training_is_measured_once_and_other_settings_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = {**SIMULATED, "digits": SIMULATED["digits"].__class__(**{**vars(SIMULATED["digits"]), "words": TINY})}
    monkeypatch.setattr(accuracy_runs, "SIMULATED", changed)
    words = ["bench", "accuracy", "--study", "digits", "--method", "coupled", "--panel", "paper", "--labels", "one"]
    out = ["--out", str(tmp_path / "out"), "--work", str(tmp_path / "work"), "--most", "1"]
    assert main([*words, *out, "--seeds", str(SEEDS[0])]) == 0
    file = tmp_path / "out" / "digits.jsonl"
    record = json.loads(file.read_text())
    assert len(record["dice"]) == HELD_OUT
    assert 0 < record["matrices"]["cm_rmse_column"] < 1
    assert record["identity"]["cm_rmse_column"] != record["matrices"]["cm_rmse_column"]
    file.write_text(json.dumps({**record, "attempts": 7}) + "\n")
    assert main([*words, *out, "--seeds", str(SEEDS[0])]) == 0
    assert json.loads(file.read_text())["attempts"] == 7, "kept"
    monkeypatch.setattr(accuracy_runs, "SIMULATED", SIMULATED)
    capsys.readouterr()
    assert main([*words, *out, "--seeds", str(SEEDS[0])]) == 2
    assert "other settings" in " ".join(capsys.readouterr().err.split())


def test_records_are_one_line_a_training_and_one_file_a_study(tmp_path: Path) -> None:
    records = Records(tmp_path)
    for study, seed in (("a", 1), ("b", 1), ("a", 2)):
        records.add({"study": study, "panel": "p", "labels": "all", "method": "m", "seed": seed, "dice": [seed]})
    assert {file.name: len(file.read_text().splitlines()) for file in tmp_path.iterdir()} == {
        "a.jsonl": 2,
        "b.jsonl": 1,
    }
    kept = Records(tmp_path).get("a/p/all/m/2")
    assert kept is not None
    assert kept["dice"] == [2]
    (tmp_path / "a.jsonl").write_text("{}\n")
    with pytest.raises(UserError, match="not a record"):
        Records(tmp_path)


def test_figures_are_rounded_and_what_is_not_a_number_is_null() -> None:
    assert rounded({"a": [0.123456789, float("nan"), 3]}) == {"a": [0.12346, None, 3]}


def test_an_interval_widens_with_the_rows_and_a_training_that_differs() -> None:
    same = [np.full(20, 0.1) + np.linspace(-0.01, 0.01, 20)] * 3
    assert comparison(same, rows=1).word == "ahead"
    one, many = comparison(same, rows=1), comparison(same, rows=60)
    assert many.low < one.low < 0.1 < one.high < many.high
    mixed = [*same[:2], -same[0]]
    assert comparison(mixed, rows=60).word == "level"
    assert comparison([-each for each in same], rows=60).word == "behind"


def test_matrices_are_counted_against_the_consensus_of_the_others() -> None:
    mine, others = np.array([1, 0, 0, 0]), np.array([1, 1, 0, 0])
    table = counted([mine.astype(np.uint8), *[others.astype(np.uint8)] * 2], 0)
    assert table.tolist() == [[1.0, 0.5], [0.0, 0.5]]


def test_a_mean_matrix_weighs_pixels_by_the_probability_of_the_class() -> None:
    field = np.zeros((2, 2, 2))
    field[:, 0], field[:, 1] = [[1, 1], [0, 0]], [[0, 1], [1, 0]]
    matrix = mean_matrix(field, np.array([[0.5, 0.5], [0.75, 0.25]]))
    assert matrix.tolist() == [[1.0, 0.25], [0.0, 0.75]]


@pytest.mark.skipif(not DATA.is_dir(), reason="wants the real data beside the repository")
def test_every_image_of_the_experts_is_held_out_in_one_fold() -> None:
    studies = [expert_study("cfos-wue1", fold, DATA) for fold in range(FOLDS)]
    held_out = [case.id for study in studies for case in study.cases if case.split == "test"]
    assert sorted(held_out) == sorted(case.id for case in studies[0].cases)
    assert len(held_out) == 18
    assert all(case.truth_source is None and len(case.annotations) == 5 for case in studies[0].cases)


@pytest.mark.skipif(not DATA.is_dir(), reason="wants the real data beside the repository")
def test_lidc_is_scored_on_whole_slices_and_trained_on_one_slot_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = accuracy_lidc._read(DATA, "test")
    few = NoduleSlices(test.image[:40], test.masks[:40], test.patient[:40], test.ids[:40])
    monkeypatch.setattr(accuracy_lidc, "_read", lambda _data, _part: few)
    study = accuracy_lidc.nodule_study("one", 21, DATA)
    assert {len(case.annotations) for case in study.cases} == {1}
    run = Run("lidc", "readers", "one", "probabilistic-unet", 21, ("widths=[4,8]", "epochs=1", "samples=8"))
    found = measure(run, tmp_path, DATA)
    assert 0 < found["ged_iou_50"] < 2
    assert len(found["cases"]["ged_iou_16"]) == found["slices"]


@pytest.mark.parametrize("words", [[], ["--study", "lidc"]])
def test_real_data_are_asked_for_before_anything_is_trained(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "accuracy", "--out", str(tmp_path / "out"), *words]) == 2
    assert "name their folder with --data" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()


def test_nobody_works_without_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "accuracy", "--jobs", "0"]) == 2
    assert "leaves nobody to work" in capsys.readouterr().err
