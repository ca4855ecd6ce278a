"""A reader study from hand-out to report, with one late and one broken hand-in, by the commands that people type."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, write_labels
from NoisyLabelSegLib.cli import main


def decision(table: Path, choice: str) -> dict[str, object]:
    """A decision about the first disagreement of the table."""
    with table.open(encoding="utf-8") as file:
        row = next(csv.DictReader(file))
    center = [float(row[f"center_{axis}"]) for axis in "ras"]
    return {"case": row["case"], "region": {"center_ras": center}, "choice": choice, "by": "Dr. X"}


@pytest.mark.usefixtures("scans")
def test_three_readers_are_handed_out_collected_compared_and_reported(
    tmp_path: Path, read: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    study, packages = tmp_path / "study", tmp_path / "packages"
    words = ["--readers", "anna, bert,carla", "--repeats", "0.25", "--seed", "5", "--out", str(packages)]
    assert main(["handout", str(study), *words]) == 0
    assert "do not send it to readers" in capsys.readouterr().out
    key = json.loads((packages / "key.json").read_text(encoding="utf-8"))

    read(packages / "anna", 50, noise=10)
    read(packages / "bert", 60, noise=10)
    spoilt = key["readers"]["bert"][0]
    write_labels(
        packages / "bert" / spoilt["pseudonym"] / "labels.nrrd", np.ones((5, 5, 5), np.uint8), Geometry.plain((5, 5, 5))
    )
    assert main(["collect", str(packages), "--out", str(study)]) == 0
    told = capsys.readouterr().out
    assert f"bert, {spoilt['pseudonym']} (case {spoilt['case']}): labels cannot be used" in told
    rows = (study / "progress.csv").read_text(encoding="utf-8").splitlines()
    assert rows[0].startswith("reader,readings,finished")
    assert rows[1].startswith("anna,10,10,0,0,0,0,0,15")
    assert rows[3].startswith("carla,10,0,0,10,0,0,0")

    read(packages / "carla", 40, noise=10)
    read(packages / "bert", 60, noise=10)
    late = [str(packages / "carla"), str(packages / "bert")]
    assert main(["collect", *late, "--out", str(study)]) == 0
    rows = (study / "progress.csv").read_text(encoding="utf-8").splitlines()
    assert [row.split(",")[2] for row in rows[1:]] == ["10", "10", "10"]
    assert main(["check", str(study)]) == 0

    assert main(["agree", str(study), "--out", str(tmp_path / "agreement"), "--resamples", "200"]) == 0
    content = json.loads((tmp_path / "agreement" / "agreement.json").read_text(encoding="utf-8"))
    assert (content["cases"], content["patients"]) == (8, 4)
    assert content["within_readers"]["overall"]["cases"] > 2
    assert content["within_readers"]["overall"]["dice"] > 0.9
    assert set(content["leave_one_out"]) == {"senior", "anna", "bert", "carla"}
    assert content["leave_one_out"]["senior"]["cases"] == 0
    row = next(row for row in content["bland_altman"] if (row["a"], row["b"]) == ("bert", "carla"))
    assert row["bias"] > 0

    words = ["adjudicate", str(study), "--truth", "majority"]
    assert main([*words, "--out", str(tmp_path / "disagreements")]) == 0
    decisions = tmp_path / "disagreements" / "decisions.json"
    content = json.loads(decisions.read_text(encoding="utf-8"))
    content["decisions"] = [decision(tmp_path / "disagreements" / "disagreements.csv", choice="annotator:anna")]
    graded = {
        "case_number": 3,
        "region": {"center_ras": [0, 0, 0]},
        "grade": "disagree",
        "error_of": "bert",
        "by": "=Dr. X",
    }
    content["decisions"].append(graded)  # as a report saves it
    decisions.write_text(json.dumps(content), encoding="utf-8")
    assert main([*words, "--decisions", str(decisions), "--out", str(tmp_path / "adjudicated")]) == 0

    with (tmp_path / "adjudicated" / "grades.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["case"], row["annotator"], row["grade"]) == ("Miller_2", "bert", "disagree")

    words = ["review", str(study), "--truth", str(tmp_path / "adjudicated"), "--pseudonyms"]
    assert main([*words, "--out", str(tmp_path / "review")]) == 0
    text = (tmp_path / "review" / "report.html").read_text(encoding="utf-8")
    for words_of_report in ("adjudicated majority", "senior, anna, bert, carla", "Disagreements decided by", "Dr. X"):
        assert words_of_report in text
    own = (tmp_path / "review" / "report_anna.html").read_text(encoding="utf-8")
    assert not [name for name in ("Miller", "bert", "carla", "senior") if name in own]
