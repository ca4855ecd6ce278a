"""The table of accuracy: what it trains, that a finished run is not repeated, and how real data become studies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy_studies import make_study, with_fewer_images
from benchmarks.bench_accuracy import METHODS, Run, curves, measure, plan
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training import preset

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
TINY = ["widths=[4,8]", "epochs=1", "samples=8"]


def test_every_run_has_a_file_of_its_own() -> None:
    runs = [*curves(), *(run for name in ("mnist", "tumour", "lidc", "bubil-smc") for run in plan(name))]
    assert len({run.name for run in runs}) == len(runs)


def test_every_method_changes_what_it_says_and_nothing_else() -> None:
    base = preset("default")
    for method, words in METHODS.items():
        settings = Run("mnist", "dense", method, 0).settings(base)
        assert settings == base.with_words(words), method


@pytest.mark.parametrize("method", ["coupled", "staple"])
def test_a_run_is_measured_once(tmp_path: Path, method: str) -> None:
    run, base = Run("mnist", "one", method, 0), preset("default").with_words(TINY)
    first = measure(run, base, tmp_path, DATA)
    assert 0 <= first["dice"] <= 1
    assert 0 < first["cm_rmse_column"] < 1
    assert len(first["cases"]) == 20
    file = tmp_path / f"{run.name}.json"
    file.write_text(json.dumps({**first, "dice": 2.0}))
    assert measure(run, base, tmp_path, DATA)["dice"] == 2.0
    with pytest.raises(UserError, match="other settings"):
        measure(run, base.with_words(["overlap=0"]), tmp_path, DATA)


def test_trainings_run_side_by_side_and_none_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "accuracy", "--study", "mnist", "--seeds", "0", "--jobs", "2", "--out", str(tmp_path / "records")]
    words += ["--method", "staple", "--method", "spatial-staple", "--method", "majority", "--set", *TINY]
    assert main(words) == 0
    assert "spatial-staple" in capsys.readouterr().out
    records = {file.stem: json.loads(file.read_text()) for file in (tmp_path / "records").glob("*.json")}
    assert len(records) == 6
    vote, *fused = (records[f"mnist-one-{name}-seed0"] for name in ("majority", "staple", "spatial-staple"))
    for record in fused:  # one label is its own fusion: the same network, with the matrices of the fusion beside it
        assert record["dice"] == vote["dice"]
        assert record["seconds"] == vote["seconds"]
        assert record["cm_rmse"] > 0
    assert "cm_rmse" not in vote


def test_nobody_works_without_a_job(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "accuracy", "--jobs", "0"]) == 2
    assert "leaves nobody to work" in capsys.readouterr().err


def test_training_cases_keep_one_label_and_test_cases_all(tmp_path: Path) -> None:
    study = make_study("mnist", "one", 0, tmp_path / "study", DATA)
    counts = {split: {len(case.annotations) for case in study.split(split).cases} for split in ("train", "test")}
    assert counts == {"train": {1}, "test": {5}}


def test_data_that_are_not_there_are_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="lidc-nodules-2d"):
        make_study("lidc", "dense", 0, tmp_path / "study", tmp_path)


@pytest.mark.skipif(not DATA.is_dir(), reason="wants the real data beside the repository")
@pytest.mark.parametrize(("name", "cases"), [("bubil-smc", 17), ("bubil-fib", 24), ("lidc", 906)])
def test_real_annotators_become_a_study(tmp_path: Path, name: str, cases: int) -> None:
    study = make_study(name, "dense", 0, tmp_path, DATA)
    assert len(study.cases) <= cases
    assert {case.split for case in study.cases} == {"train", "test"}
    first = study.cases[0]
    assert {labels.shape for labels in map(first.labels, study.annotators) if labels is not None} == {
        first.image().shape[1:]
    }


@pytest.mark.skipif(not DATA.is_dir(), reason="wants the real data beside the repository")
@pytest.mark.parametrize("name", ["bubil-smc", "bubil-fib"])
def test_every_cell_is_held_out_by_one_of_three_seeds(tmp_path: Path, name: str) -> None:
    studies = [make_study(name, "dense", seed, tmp_path, DATA) for seed in (0, 1, 2)]
    held_out = [case.id for study in studies for case in study.split("test").cases]
    assert sorted(held_out) == sorted(case.id for case in studies[0].cases)
    fewer = with_fewer_images(studies[0], 4)
    assert len(fewer.split("train").cases) == 4
    assert fewer.split("test") == studies[0].split("test")


@pytest.mark.skipif(not DATA.is_dir(), reason="wants the real data beside the repository")
def test_blocks_of_one_patient_are_held_out_whole_with_all_labels(tmp_path: Path) -> None:
    study = make_study("ms", "one", 0, tmp_path / "ms", DATA)
    counts = {split: {len(case.annotations) for case in study.split(split).cases} for split in ("train", "test")}
    assert counts == {"train": {1}, "test": {5}}
    assert study.cases[0].image().shape[:2] == (4, 4), "four contrasts, four slices"
    splits = [case.split for case in study.cases]
    assert splits[::2] == splits[1::2], "both cases of a block"
    assert {name for case in study.split("train").cases for name in case.annotators} == set(study.annotators)
    assert all(np.asarray(case.truth()).any() for case in study.cases)
    assert 1 < len(study.split("test").cases) < len(study.split("train").cases)


@pytest.mark.parametrize("words", [[], ["--study", "lidc"], ["--study", "curves"]])
def test_real_data_are_asked_for_before_anything_is_trained(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "accuracy", "--out", str(tmp_path / "out"), *words]) == 2
    assert "name their folder with --data" in " ".join(capsys.readouterr().err.split())
    assert not (tmp_path / "out").exists()
