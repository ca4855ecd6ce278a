"""`reproduce`: its list, the paper's values, and that finished trainings are not repeated and stopped ones go on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.paper import trainings as module
from benchmarks.paper.consensus import bars
from benchmarks.paper.cost import full_numbers, full_operations, low_rank_numbers, low_rank_operations
from benchmarks.paper.experiments import EXPERIMENTS
from benchmarks.paper.low_rank import PIXELS
from benchmarks.paper.outcome import PUBLISHED, Outcome, plus_minus, published
from benchmarks.paper.page import main as put_into_docs
from benchmarks.paper.pictures import painted
from benchmarks.paper.reference_set import CURATED, NOISY, points, worth_in_noisy
from benchmarks.paper.studies import DATA_SETS, QUICK, Size, Wanted, study, uses_data
from benchmarks.paper.trainings import METHODS, Training, Trainings
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training import preset

PAPER = Path(__file__).resolve().parents[3] / "shared" / "paper" / "zhang-tanno-2020.tex.txt"
DIGITS = Wanted("mnist", "dense", 0, True)


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trainings:
    """Trainings of a few steps."""
    monkeypatch.setattr(module, "QUICK", ("widths=[4,8]", "batch=8", "restarts=0"))
    monkeypatch.setattr(module, "QUICK_STEPS", 24)
    monkeypatch.setitem(QUICK, "mnist", Size(20))
    return Trainings(tmp_path / "out", quick=True, data=None, terminal=Terminal())


def test_every_table_of_the_paper_is_listed_and_every_kind_of_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    page = " ".join(capsys.readouterr().out.split())
    listed = " ".join(item.of_the_paper for item in EXPERIMENTS)
    assert all(f"Table {number}" in listed for number in range(1, 8))
    for figure in ("validation accuracy", "annotation noise", "confusion matrices", "consensus", "time and space"):
        assert figure in listed
    assert all(item.name in page for item in EXPERIMENTS)
    assert "Figure 1" in page


@pytest.mark.parametrize("item", EXPERIMENTS, ids=lambda item: item.name)
def test_every_experiment_can_be_run(item: Any) -> None:
    assert (Path(module.__file__).parent / f"{item.module}.py").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name one of dense"),
        (["poem", "--out", "x"], "no table or figure 'poem'"),
        (["dense"], "--out DIR"),
        (["dense", "--out", "x", "--data", "nowhere"], "is not a folder"),
    ],
)
def test_a_command_that_cannot_be_meant_gets_a_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []


def test_every_method_of_the_papers_tables_can_be_trained_by_its_preset(tmp_path: Path) -> None:
    trainings = Trainings(tmp_path, quick=False, data=None, terminal=Terminal())
    made = study(DIGITS, tmp_path / "digits", None)
    for method in {*PUBLISHED["dense"], *PUBLISHED["one"]}:
        settings = trainings.settings(Training(Wanted("brats", "dense", 3, False), method), made)
        changes = [*METHODS[method][1], "seed=3", "device=cpu"]
        assert settings == preset("paper-brats").with_words(changes), "the paper's preset and nothing else"


@pytest.mark.skipif(not PAPER.exists(), reason="wants the text of the paper beside the repository")
def test_the_papers_values_are_those_of_its_tables() -> None:
    text = PAPER.read_text(encoding="utf-8").replace("\\textbf{", "").replace("}", "")
    rows = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("&")]
        if len(cells) >= 5:
            numbers = [float(n) for cell in cells[1:5] for n in re.findall(r"\d+\.\d+", cell)]
            rows.setdefault(tuple(numbers), cells[0])
    for labels in ("dense", "one"):
        for method, values in PUBLISHED[labels].items():
            for pair in (("mnist", "ms"), ("brats", "lidc")):
                if all(name in values for name in pair):
                    assert tuple(n for name in pair for n in values[name]) in rows, (labels, method, pair)
    for values in PUBLISHED["ged"].values():
        assert tuple(n for name in DATA_SETS for n in values[name]) in rows


def test_numbers_and_operations_are_the_papers() -> None:
    for method, numbers, operations in (
        ("coupled", full_numbers(4), full_operations(4)),
        ("low-rank", low_rank_numbers(4), low_rank_operations(4)),
    ):
        paper = PUBLISHED["low-rank"][method]
        assert (paper["parameters"], paper["flops"]) == (PIXELS * numbers, PIXELS * operations)


def test_a_training_is_measured_once_and_its_model_kept(tiny: Trainings) -> None:
    item = Training(DIGITS, "majority")
    first = tiny.record(item)
    assert 0 <= first["dice"] <= 1
    assert len(first["cases"]) == 6
    assert tiny.package(item).exists()
    assert not any((tiny.out / "runs").iterdir())
    file = tiny.out / "records" / f"{item.name}.json"
    file.write_text(json.dumps({**first, "dice": 2.0}))
    assert tiny.record(item)["dice"] == 2.0
    file.write_text(json.dumps({**first, "settings": {}}))
    with pytest.raises(UserError, match="other settings"):
        tiny.record(item)


def test_an_interrupted_training_goes_on_and_ends_as_if_it_had_not_been(
    tiny: Trainings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    item = Training(DIGITS, "coupled", curve=True)
    calls = []
    measured = module.validation_dice

    def stopped(*arguments: Any, **more: Any) -> dict[str, float]:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return measured(*arguments, **more)

    monkeypatch.setattr(module, "validation_dice", stopped)
    with pytest.raises(KeyboardInterrupt):
        tiny.record(item)
    assert len(list((tiny.out / "runs").iterdir())) == 1
    resumed = tiny.record(item)
    monkeypatch.setattr(module, "validation_dice", measured)
    whole = Trainings(tmp_path / "whole", quick=True, data=None, terminal=Terminal()).record(item)
    assert resumed["curve"] == whole["curve"]
    assert resumed["dice"] == whole["dice"]


def test_with_one_label_fusions_share_the_training_of_the_vote(tiny: Trainings) -> None:
    wanted = Wanted("mnist", "one", 0, True)
    vote, staple = (tiny.record(Training(wanted, method)) for method in ("majority", "staple"))
    assert vote["dice"] == staple["dice"]
    assert "cm_rmse" in staple
    assert "cm_rmse" not in vote
    assert {len(case.annotations) for case in tiny.study(wanted).split("train").cases} == {1}


def test_a_fifth_of_what_is_not_tested_is_for_validation(tmp_path: Path) -> None:
    made = study(DIGITS, tmp_path, None)
    counts = [len(made.split(name).cases) for name in ("train", "validate", "test")]
    assert sum(counts) == QUICK["mnist"].cases
    assert counts[1] / (counts[0] + counts[1]) == pytest.approx(0.2, abs=0.03)


def test_real_slices_have_four_readers_and_records_of_their_own(shared_data: Path, tmp_path: Path) -> None:
    wanted = Wanted("lidc", "one", 0, True)
    made = study(wanted, tmp_path, shared_data)
    assert len(made.cases) == QUICK["lidc"].cases
    assert {len(case.annotations) for case in made.split("test").cases} == {4}
    assert {len(case.annotations) for case in made.split("train").cases} == {1}
    assert all(np.asarray(case.truth()).any() for case in made.cases[:5])
    assert uses_data(wanted, shared_data)
    assert not uses_data(wanted, None)
    assert not uses_data(Wanted("lidc", "dense", 0, True, mean_dice=0.7), shared_data)


def test_what_is_written_has_the_table_and_what_differs(tmp_path: Path) -> None:
    outcome = Outcome(
        "Title", ["method", "paper", "here"], [["ours", published([82.92, 0.19], digits=2), "80.1"]], ["x."]
    )
    found = outcome.written("name", tmp_path, Terminal(json=True))
    page = (tmp_path / "name.md").read_text(encoding="utf-8")
    assert "| ours | 82.92 ± 0.19 | 80.1 |" in page
    assert "- x." in page
    assert found["rows"] == [{"method": "ours", "paper": "82.92 ± 0.19", "here": "80.1"}]


def test_means_are_written_as_in_the_paper() -> None:
    assert plus_minus([0.5, 0.7], percent=True) == "60.00 ± 14.14"
    assert plus_minus([0.12345]) == "0.1235"
    assert plus_minus([None, float("nan")]) == "–"


def test_matrices_have_the_papers_colors() -> None:
    truth, hit, extra = (
        np.array([[1.0, 1.0, 0.0, 0.0]]),
        np.array([[1.0, 0.0, 0.0, 0.0]]),
        np.array([[0.0, 0.0, 1.0, 0.0]]),
    )
    white, green, red, black = painted(truth, hit, extra)[0].tolist()
    assert (white, green, red, black) == ([1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0])


def test_what_a_curated_case_is_worth_is_read_off_the_curve_of_noisy_ones() -> None:
    curve = {4: 0.4, 8: 0.5, 16: 0.5, 32: 0.7}
    assert worth_in_noisy(0.45, curve) == "5.7"
    assert worth_in_noisy(0.39, curve) == "fewer than 4"
    assert worth_in_noisy(0.71, curve) == "more than 32"


def test_the_curve_has_at_least_four_points_of_each_kind_and_three_seeds() -> None:
    planned = list(points())
    assert len({point.name for point in planned}) == len(planned) == 3 * (len(NOISY) + 2 * len(CURATED))
    assert min(len(NOISY), len(CURATED)) >= 4
    assert {point.seed for point in planned} == {0, 1, 2}


def test_tables_and_records_are_put_into_the_docs_and_words_stay(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "a.json").write_text(json.dumps({"dice": 0.1234567, "cases": [1], "settings": {}}))
    (tmp_path / "dense.md").write_text("# Title\n\n| a |\n| --- |\n| new |\n\nWords.\n")
    page, records = tmp_path / "paper.md", tmp_path / "paper.json"
    page.write_text("Before.\n<!-- table dense -->\nold\n<!-- end -->\n<!-- table noise -->\nkept\n<!-- end -->\n")
    assert put_into_docs([str(tmp_path), str(page), str(records)]) == 0
    text = page.read_text()
    assert "| new |" in text
    assert "old" not in text
    assert "kept" in text
    assert text.startswith("Before.")
    assert json.loads(records.read_text()) == {"a": {"dice": 0.12346, "remarks": []}}


def test_groups_of_consensus_are_drawn_with_a_bar_for_each_method_and_group() -> None:
    figure = bars({"coupled": [0.1, 0.2, 0.3], "majority": [0.2, float("nan"), 0.4]})
    assert len(figure.axes[0].patches) == 6
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        METHODS["coupled"][0],
        METHODS["majority"][0],
    ]
