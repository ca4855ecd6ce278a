"""The folder of an agreement: tables, figures and sentences, safe against any name."""

from __future__ import annotations

import csv
import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from NoisyLabelSegLib.agreement import AgreementSettings
from NoisyLabelSegLib.agreement.files import write_agreement
from NoisyLabelSegLib.agreement.tables import Table, latex, markdown
from NoisyLabelSegLib.cases import Study

SETTINGS = AgreementSettings(method="majority", resamples=200)
HOSTILE = "&amp;'$x^2_#{%}"


def test_everything_a_manuscript_needs_is_written(make_study: Callable[..., Study], tmp_path: Path) -> None:
    drawn = [{"a": [n, n + 1], "b": n + 1, "c": n} for n in (4, 6, 9, 12)]
    content = write_agreement(make_study(drawn), tmp_path / "out", SETTINGS)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        *("agreement.json", "tables.md", "tables.tex", "methods.md", "figures", "pairs.csv", "leave_one_out.csv"),
        *("leave_one_out_tests.csv", "bland_altman.csv", "reliability.csv", "within_readers.csv", "cases.csv"),
        *("volumes.csv", "consensus_of_groups.csv"),
    }
    assert json.loads((tmp_path / "out" / "agreement.json").read_text(encoding="utf-8")) == content
    with (tmp_path / "out" / "pairs.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["a"], row["b"]) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert float(rows[0]["dice"]) == pytest.approx(content["pairs"][0]["dice"], rel=1e-5)
    methods = (tmp_path / "out" / "methods.md").read_text(encoding="utf-8")
    assert "3 readers" in methods
    assert "read up to 4 cases again" in methods
    assert "{" not in methods
    figures = {path.stem for path in (tmp_path / "out" / "figures").glob("*.svg")}
    assert figures == {
        *("readers", "pairwise_dice", "dice_distribution", "bland_altman", "limits_of_agreement_with_mean"),
        "consensus_of_groups",
    }


def test_names_of_readers_cannot_break_a_file(make_study: Callable[..., Study], tmp_path: Path) -> None:
    drawn = [{HOSTILE: n, "=1+1": n + 1, "c": n} for n in (4, 6, 9)]
    write_agreement(make_study(drawn), tmp_path / "out", SETTINGS)
    for path in (tmp_path / "out" / "figures").glob("*.svg"):
        root = ET.fromstring(path.read_text(encoding="utf-8"))
        assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
            *("svg", "title", "rect", "g", "line", "circle", "text"),
        }
    forest = (tmp_path / "out" / "figures" / "readers.svg").read_text(encoding="utf-8")
    assert "&amp;amp;&#x27;" in forest
    with (tmp_path / "out" / "leave_one_out.csv").open(encoding="utf-8") as file:
        assert [row["reader"] for row in csv.DictReader(file)] == [HOSTILE, "'=1+1", "c"]
    assert r"\&amp;'\$x\textasciicircum{}2\_\#\{\%\}" in (tmp_path / "out" / "tables.tex").read_text(encoding="utf-8")


def test_tables_escape_what_markdown_and_latex_would_read() -> None:
    table = Table("t", "a_b", ("x|y", "n"), (("<b>1</b>", "50 %"),))
    assert r"| \<b\>1\</b\> | 50 % |" in markdown([table])
    assert r"x\|y" in markdown([table])
    assert r"$<$b$>$1$<$/b$>$ & 50 \% \\" in latex([table])
    assert r"\caption{a\_b." in latex([table])


def test_nothing_is_left_behind_when_a_file_is_missing(make_study: Callable[..., Study], tmp_path: Path) -> None:
    study = make_study([{"a": 4, "b": 5}])
    (tmp_path / "study" / "case0" / "a_0.nrrd").unlink()
    with pytest.raises(Exception, match="is missing"):
        write_agreement(study, tmp_path / "out", SETTINGS)
    assert not (tmp_path / "out").exists()


def test_one_case_of_two_readers_is_enough_for_every_file(make_study: Callable[..., Study], tmp_path: Path) -> None:
    write_agreement(make_study([{"a": 4, "b": 5}]), tmp_path / "out", SETTINGS)
    assert (tmp_path / "out" / "figures" / "bland_altman.svg").exists()
    assert not (tmp_path / "out" / "within_readers.csv").exists()


def test_repeats_of_one_reader_alone_are_enough(make_study: Callable[..., Study], tmp_path: Path) -> None:
    write_agreement(make_study([{"a": [4, 5]}, {"a": [4, 4]}]), tmp_path / "out", SETTINGS)
    assert "within readers was 0.944" in (tmp_path / "out" / "methods.md").read_text(encoding="utf-8")
    assert not (tmp_path / "out" / "figures" / "pairwise_dice.svg").exists()


def test_empty_masks_everywhere_are_agreement(make_study: Callable[..., Study], tmp_path: Path) -> None:
    content = write_agreement(make_study([{"a": 0, "b": 0}, {"a": 0, "b": 0}]), tmp_path / "out", SETTINGS)
    assert content["pairs"][0]["dice"] == 1
    assert content["pairs"][0]["both_empty"] == 2
    assert content["pairs"][0]["f1"] is None
    assert content["icc_2_1"]["value"] is None
    assert content["kappa"]["region"]["fleiss"]["value"] is None
