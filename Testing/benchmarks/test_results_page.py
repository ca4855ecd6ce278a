"""The page of results: tables come from the records, words stay."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.results_page import main


def record(folder: Path, name: str, **more: Any) -> None:
    plain = {"labels": "dense", "method": "coupled", "seed": 0, "seconds": 60.0, "cases": []}
    varied = {"trace": None, "mean_dice": None, "images": None}
    (folder / f"{name}-seed{more.get('seed', 0)}.json").write_text(json.dumps({**plain, **varied, **more}))


def test_tables_are_renewed_and_words_stay(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text("Before.\n<!-- table lesions -->\nold\n<!-- end -->\nBetween.\n<!-- table noise --><!-- end -->\n")
    for seed, dice in enumerate((0.5, 0.7)):
        record(tmp_path, "a", study="lesions", seed=seed, dice=dice, cm_rmse=0.1, cm_rmse_column=0.2)
        record(tmp_path, "other", study="lesions", method="mean", seed=seed, dice=dice - 0.01 * (1 + seed))
    record(tmp_path, "b", study="lesions", mean_dice=0.6, dice=0.9)
    main([str(tmp_path), str(page)])
    text = page.read_text()
    assert text.startswith("Before.\n<!-- table lesions -->\n\n| labels | method |")
    assert "| dense | coupled | 2 | 0.600 ± 0.141 | – | 0.100 ± 0.000 | 0.200 ± 0.000 | 60 |" in text
    assert "| dense | mean | 2 | 0.585 ± 0.134 | +0.015 ± 0.007 | – | – | 60 |" in text
    assert "| 0.6 | 0.900 |" in text
    assert "old" not in text
    assert "Between." in text


def test_an_annotators_labels_are_compared_with_their_own_and_with_the_others(tmp_path: Path) -> None:
    page = tmp_path / "results.md"
    page.write_text("<!-- table bubil --><!-- end -->")
    cases = [{"to_annotators": [[0.9, 0.7], [0.6, 0.8 + 0.02 * number]]} for number in range(8)]
    record(tmp_path, "c", study="bubil-smc", dice=0.9, cases=cases)
    record(tmp_path, "d", study="bubil-smc", dice=0.9, cases=cases[:4], images=2)
    main([str(tmp_path), str(page)])
    few, everything = page.read_text().splitlines()[-4:-2]
    assert few.startswith("| bubil-smc | 2 | 4 | 0.865 | 0.650 (p = 0.0")
    assert everything.startswith("| bubil-smc | all | 8 | 0.885 | 0.650 (p = 0.00")
    assert "| 0.650 (p = 0.00" in everything.split("all")[1]
