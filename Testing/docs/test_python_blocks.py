"""Every block of Python in README and docs runs, page by page, on small arrays and a small study.

Blocks for the Python console of the Slicer application need Slicer and Qt; of them only the syntax is checked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, write_labels
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion import voting as of_voting
from Testing.docs.test_commands import PAGES, blocks

SLICER = ("slicer.", "qt.QTimer", "app.scene")
RUN_ELSEWHERE = ("tutorial.md",)  # by the test of the tutorial


def runnable(page: Path) -> list[str]:
    return [block for block in blocks(page, "python") if not any(word in block for word in SLICER)]


@pytest.fixture
def names(tmp_path: Path) -> dict[str, Any]:
    """What the blocks take for granted: labels of four readers, a truth, predictions, and a study named my-study."""
    truth = np.zeros((4, 24, 24), np.uint8)
    truth[1:3, 6:16, 6:16] = 1
    readers = [np.roll(truth, shift, axis=2) for shift in (0, 1, 2, 0)]
    truth[1, 6:9, 6:9] = 2
    grid, cases = Geometry.plain(truth.shape), tmp_path / "my-study"
    for number, labels in enumerate(readers, start=1):
        write_labels(cases / f"reader{number}.nrrd", labels, grid)
    drawn = {f"reader{number}": Annotation(cases / f"reader{number}.nrrd") for number in range(1, 5)}
    Study("study", ("background", "nodule"), tuple(drawn), (Case("one", (), drawn),)).write(cases)
    matrices = np.full((2, 3, 3, *truth.shape), 1 / 3)
    return {
        **{f"reader{number}": labels for number, labels in enumerate(readers, start=1)},
        "labels": [*readers],
        "truth": truth,
        "prediction": readers[0],
        "matrices": matrices,
        "probabilities": np.full((3, *truth.shape), 1 / 3),
        "predicted_labels": readers[:2],
        "real_labels": readers[2:],
        "Votes": Votes,
        **vars(of_voting),
    }


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if runnable(page) and page.name not in RUN_ELSEWHERE],
    ids=lambda page: page.name,
)
def test_every_block_of_the_page_runs(
    page: Path, names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if page.name == "metrics.md":
        names["labels"] = names["labels"][:2]
    if page.name == "review.md":
        names["labels"], names["truth"] = names["reader2"], names["reader1"]
    for block in runnable(page):
        exec(compile(block, page.name, "exec"), names)


def test_few_pages_need_slicer() -> None:
    needing = {page.name for page in PAGES if len(runnable(page)) < len(blocks(page, "python"))}
    assert needing <= {"jobs.md", "panel.md", "scene.md"}
