"""The demo tells its story: a small one here, the whole one is `make demo`."""

from __future__ import annotations

from pathlib import Path

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.experiments.demo import FUSIONS, run_demo


def test_a_small_demo_leaves_study_fusions_model_predictions_and_report(tmp_path: Path) -> None:
    said: list[str] = []
    demo = run_demo(tmp_path, cases=6, training=["epochs=1", "widths=[4,8]"], say=said.append)
    study = Study.read(tmp_path / "study")
    assert all(len(case.annotations) == 1 for case in study.cases)
    assert [row.method for row in demo.rows] == ["one intensity threshold (all cases)", *FUSIONS, "coupled networks"]
    assert all(row.dice is not None and 0 <= row.dice <= 1 for row in demo.rows)
    for name in ("run/model.nlseg", "review/report.html", *(f"{method}/annotators.csv" for method in FUSIONS)):
        assert (tmp_path / name).is_file(), name
    assert (tmp_path / "learned" / study.cases[0].id / "truth.nrrd").is_file()
    assert "blank marks nothing" in " ".join(demo.sentences)
    assert said[0].startswith("6 phantom brains")
