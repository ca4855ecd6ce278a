"""Plots as data come back as they were, and anything else is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from NoisyLabelSegLib.agreement.plot_files import plots_text, read_plots
from NoisyLabelSegLib.agreement.plots import GRAY, Axes, Cell, Dot, Plot, Stroke
from NoisyLabelSegLib.errors import UserError


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    marks = [Dot(0.1, -2.5, 3), Stroke(0, 0, 1, 1, GRAY, dashed=True), Cell(1, -1, 0.5, "0.50")]
    axes = Axes(
        "b minus <a>", "ml", "", (0.0, 1.0), (-3.0, 2.0), [(0.0, "0")], [(-1.0, "a – b")], marks, legend=[("a", 0)]
    )
    plots = [Plot("one", "One", [axes, axes], 2)]
    (tmp_path / "plots.json").write_text(plots_text(plots), encoding="utf-8")
    assert read_plots(tmp_path / "plots.json") == plots


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"format": "noisylabelseg-plots/1"}',
        '{"format": "noisylabelseg-plots/2", "plots": []}',
        '{"format": "noisylabelseg-plots/1", "plots": [{"name": "x", "panels": [{"marks": [{"mark": "eval"}]}]}]}',
        '{"format": "noisylabelseg-plots/1", "plots": [{"panels": [], "unknown": 1}]}',
    ],
)
def test_other_files_are_refused_in_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "plots.json").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"plots\.json: holds no plots of agreement; measure the agreement again"):
        read_plots(tmp_path / "plots.json")
