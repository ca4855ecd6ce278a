from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Study, read_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.simulation.annotators import shipped_panels
from NoisyLabelSegLib.simulation.phantoms import PHANTOMS


def run_elsewhere(*words: str | Path) -> None:
    command = [sys.executable, "-m", "NoisyLabelSegLib", "simulate", *map(str, words)]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert completed.returncode == 0, completed.stderr


@pytest.fixture
def simulate(capsys):
    """Runs the verb and returns its exit code, its last event and what it wrote to stderr."""

    def run(*words: str | Path) -> tuple[int, dict, str]:
        code = main(["simulate", *map(str, words), "--json"])
        written = capsys.readouterr()
        return code, json.loads(written.out.splitlines()[-1]), written.err

    return run


@pytest.fixture
def digits(tmp_path_factory) -> Path:
    """A folder with an idx file of twelve strokes, so that the tests need no package for digits."""
    drawn = np.zeros((12, 28, 28), dtype=np.uint8)
    for number, digit in enumerate(drawn):
        digit[5:23, 6 + number : 10 + number] = 255
        digit[5 + number : 9 + number, 4:24] = 200
    folder = tmp_path_factory.mktemp("digits")
    header = b"\0\0\x08\x03" + np.array(drawn.shape, dtype=">u4").tobytes()
    (folder / "images-idx3-ubyte").write_bytes(header + drawn.tobytes())
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.parametrize("kind", ["mnist", "lesions"])
def test_the_same_seed_makes_the_same_bytes_in_another_process(kind, tmp_path, simulate, digits):
    words = (kind, "--cases", "3", *(("--digits", digits) if kind == "mnist" else ("--size", "32,32,8")))
    run_elsewhere(*words, "--seed", "5", "--out", tmp_path / "one")
    for name, seed in (("two", "5"), ("three", "6")):
        assert simulate(*words, "--seed", seed, "--out", tmp_path / name)[0] == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    assert contents(tmp_path / "one") != contents(tmp_path / "three")


def test_a_study_of_lesions_has_everything_it_names(tmp_path, simulate):
    code, event, _ = simulate("lesions", "--cases", "4", "--size", "40,40,8", "--out", tmp_path / "s")
    assert code == 0
    study = Study.read(tmp_path / "s")
    study.require_files()
    assert study.annotators == ("good", "over", "under", "wrong", "blank")
    assert {case.split for case in study.cases} == {"train", "validate", "test"}
    case = study.cases[0]
    assert case.image().shape == (1, 8, 40, 40)
    assert case.geometry.spacing == (4.4, 4.4, 12.0)
    assert np.array_equal(case.labels("good"), case.truth())
    assert event["annotator_dice"]["over"] == pytest.approx(0.652, abs=0.02)
    assert 0 < event["threshold_dice"] <= event["threshold_dice_per_case"] < 1


def test_one_label_per_image_is_shared_fairly(tmp_path, simulate, digits):
    assert simulate("mnist", "--digits", digits, "--cases", "10", "--labels", "one", "--out", tmp_path / "s")[0] == 0
    study = Study.read(tmp_path / "s")
    names = [name for case in study.cases for name in case.annotations]
    assert sorted(names) == sorted(list(study.annotators) * 2)


def test_splits_can_stay_dense_while_the_rest_is_sparse(tmp_path, simulate, digits):
    words = ("mnist", "--digits", digits, "--cases", "10", "--labels", "0.5", "--dense-splits", "test")
    assert simulate(*words, "--out", tmp_path / "s")[0] == 0
    study = Study.read(tmp_path / "s")
    assert all(len(case.annotations) == 5 for case in study.split("test").cases)
    counts = [len(case.annotations) for case in study.split("train", "validate").cases]
    assert 1 <= min(counts) < 5


def test_an_existing_folder_is_not_touched_without_force(tmp_path, simulate, digits):
    words = ("mnist", "--digits", digits, "--cases", "2", "--mean-dice", "0.8", "--out", tmp_path / "s")
    assert simulate(*words)[0] == 0
    code, _, said = simulate(*words)
    assert code == 2
    assert "--force" in said
    assert simulate(*words, "--force")[0] == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("mnist", "--cases", "0"), "at least one"),
        (("mnist", "--labels", "half"), "missing rate"),
        (("lesions", "--panel", "nobody"), "paper"),
        (("lesions", "--panel", "missing.json"), "does not exist"),
        (("mnist", "--splits", "0.5,0.1,0.1"), "sum to 1"),
        (("mnist", "--size", "64"), "28 x 28"),
        (("lesions", "--size", "a,b"), "list of numbers"),
        (("lesions", "--spacing", "-1"), "above 0"),
        (("mnist", "--seed", "-1"), "negative"),
        (("mnist", "--digits", "nowhere"), "not a folder"),
        (("lesions", "--above", "10"), "belongs to the kind mnist"),
        (("nodules", "--image", "a.nrrd"), "belongs to the kind annotators"),
        (("annotators",), "one --truth for every --image"),
        (("stars",), "invalid choice"),
    ],
)
def test_bad_wishes_get_one_sentence_and_leave_nothing(words, problem, tmp_path, simulate):
    code, event, said = simulate(*words, "--out", tmp_path / "s")
    assert code == 2
    assert event["event"] == "error"
    assert problem in said
    assert len(said.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_wishes_that_the_digits_cannot_meet_are_refused(tmp_path, simulate, digits):
    words = ("mnist", "--digits", digits, "--out", tmp_path / "s")
    assert "only 12 digits" in simulate(*words, "--cases", "13")[2]
    code, _, said = simulate(*words, "--cases", "2", "--mean-dice", "0.9", "--panel", "paper")
    assert code == 2
    assert "closest is" in said
    assert not list(tmp_path.iterdir())


def test_labels_are_stored_as_small_whole_numbers(tmp_path, simulate, digits):
    assert simulate("mnist", "--digits", digits, "--cases", "2", "--out", tmp_path / "s")[0] == 0
    labels = read_labels(tmp_path / "s" / "mnist_000" / "annotator_over.nrrd").array
    assert labels.dtype == np.uint8
    assert set(np.unique(labels)) == {0, 1}


def test_help_names_the_panels_and_which_is_taken_unasked(capsys):
    with pytest.raises(SystemExit):
        main(["simulate", "--help"])
    page = " ".join(capsys.readouterr().out.split())
    assert ", ".join(shipped_panels()) in page
    for kind, phantom in PHANTOMS.items():
        assert re.search(rf"default: .*\b{phantom.panel} for [^;]*\b{kind}\b", page)


def test_one_case_is_not_called_cases(tmp_path, digits, capsys):
    assert main(["simulate", "mnist", "--digits", str(digits), "--cases", "1", "--out", str(tmp_path / "s")]) == 0
    assert f"1 case in {tmp_path / 's'}" in capsys.readouterr().out


def test_a_tumor_is_accepted_in_both_spellings(tmp_path: Path) -> None:
    options = ["--cases", "1", "--size", "40,40,4", "--out", str(tmp_path / "study")]
    assert main(["simulate", "tumor", *options]) == 0
    assert Study.read(tmp_path / "study").classes[0] == "background"
