"""The demo's study: enough scans to learn from and to be judged on, or a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from NoisyLabelSegLib.demo.study import FEWEST, make_demo_study
from NoisyLabelSegLib.errors import UserError


def test_the_fewest_scans_still_have_one_that_is_held_out(tmp_path: Path) -> None:
    made = make_demo_study(tmp_path / "study", cases=FEWEST, seed=0)
    assert [len(made.study.split(name).cases) for name in ("train", "test")] == [2, 1]


@pytest.mark.parametrize("cases", [-1, 0, FEWEST - 1])
def test_fewer_are_refused_before_anything_is_written(tmp_path: Path, cases: int) -> None:
    with pytest.raises(UserError, match="cannot be made of"):
        make_demo_study(tmp_path / "study", cases=cases, seed=0)
    assert not (tmp_path / "study").exists()
