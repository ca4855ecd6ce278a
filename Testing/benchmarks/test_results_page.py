"""The page of results: its tables are those of the records, and words stay."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks.accuracy_protocol import SEEDS
from benchmarks.accuracy_records import Records
from benchmarks.results_page import main, tables

REPOSITORY = Path(__file__).resolve().parents[2]


def add(records: Records, study: str, method: str, seed: int, dice: float, **more: Any) -> None:
    values = [dice - 0.01, dice, dice + 0.01]
    place = {"study": study, "panel": "imperfect", "labels": "all", "method": method, "seed": seed}
    records.add({**place, "dice": values, **more})


def test_tables_are_renewed_and_words_stay(tmp_path: Path) -> None:
    records, page = Records(tmp_path), tmp_path / "results.md"
    page.write_text("Before.\n<!-- table main -->\nold\n<!-- end -->\nBetween.\n<!-- table short --><!-- end -->\n")
    for seed in (41, 42):
        add(records, "lesions", "coupled", seed, 0.8)
        add(records, "lesions", "majority", seed, 0.7)
        add(records, "lesions", "mean", seed, 0.85)
    main([str(tmp_path), str(page)])
    text = page.read_text()
    assert text.startswith("Before.\n<!-- table main -->\n\n| labels | panel |")
    assert "majority vote; one label: as it comes | 2 | 0.700 ± 0.000 | +0.100 (+0.100 to +0.100) | ahead |" in text
    assert "mean of the labels | 2 | 0.850 ± 0.000 | -0.050 (-0.050 to -0.050) | behind |" in text
    assert "0.800 ± 0.000 | 0.700 (ahead) | 0.850, mean of the labels (behind) | 2 |" in text
    assert "old" not in text
    assert "Between." in text


def test_only_seeds_that_both_have_are_compared(tmp_path: Path) -> None:
    records = Records(tmp_path)
    add(records, "digits", "coupled", 41, 0.9)
    add(records, "digits", "majority", 42, 0.1)
    assert "| 1 | 0.100 | – | – |" in tables(list(records))["main"]


def test_what_is_missing_is_counted(tmp_path: Path) -> None:
    records = Records(tmp_path)
    add(records, "digits", "coupled", SEEDS[0], 0.9)
    lines = tables(list(records))["missing"].splitlines()
    digits = next(line for line in lines if line.startswith("| digits |"))
    assert re.match(r"\| digits \| 1 of \d+ \| majority, ", digits)


@pytest.mark.parametrize("name", ["short", "main", "matrices", "lidc", "missing"])
def test_without_records_a_table_says_so(name: str) -> None:
    found = tables([])[name]
    assert found == "*(not run yet)*" or (name == "missing" and "0 of" in found)


def test_the_page_in_the_repository_is_what_the_records_say(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/results.md").read_text(encoding="utf-8")
    copy = tmp_path / "results.md"
    copy.write_text(page, encoding="utf-8")
    main([str(REPOSITORY / "docs/results"), str(copy)])
    assert copy.read_text(encoding="utf-8") == page
    assert set(re.findall(r"<!-- table (\S+) -->", page)) == set(re.findall(r"<!-- table (\S+) -->\n\n[|*]", page))
