"""A settings file does the same on the command line as in Slicer's worker."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, write_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.verbs import FuseSettings


def test_a_settings_file_runs_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = np.zeros((4, 4), dtype=np.uint8)
    labels[1:3, 1:3] = 1
    files = tuple(str(tmp_path / f"{name}.nrrd") for name in "abc")
    for file in files:
        write_labels(file, labels, Geometry.plain(labels.shape))
    settings = FuseSettings(labels=files, method="majority", out=str(tmp_path / "out"))
    (tmp_path / "job.json").write_text(settings.to_json())
    assert main(["run", str(tmp_path / "job.json"), "--json"]) == 0
    events: list[dict[str, Any]] = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert events[0] == {"event": "started", "verb": "run"}
    assert events[-1]["cases"] == ["a"]
    assert (tmp_path / "out" / "a" / "truth.nrrd").exists()


def test_a_problem_of_the_settings_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "job.json").write_text(FuseSettings(study=str(tmp_path / "none"), out=str(tmp_path / "out")).to_json())
    assert main(["run", str(tmp_path / "job.json")]) == 2
    assert capsys.readouterr().err.strip() == (
        f"{tmp_path / 'job.json'}: {tmp_path / 'none'} does not exist; choose another study."
    )
