"""The studies of the experiments on image and labels: how real data become studies, and what is held out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.accuracy_studies import make_study
from NoisyLabelSegLib.errors import UserError

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


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
