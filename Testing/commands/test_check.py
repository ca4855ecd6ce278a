"""`noisylabelseg check` names every file that cannot be used, not only the first."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cli import main
from Testing.spoiling import IMAGE, LABEL, SHIFTED, good_study, labels


def test_every_bad_file_is_named_once(good_input: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good_study(good_input)
    labels(np.uint8(1), grid=SHIFTED)(good_input)
    (good_input / "case1" / "reader2.nrrd").write_text("no image")
    (good_input / "case2" / "image.nrrd").unlink()
    assert main(["check", str(good_input)]) == 2
    said = capsys.readouterr()
    files = [line.split(": ")[0] for line in said.out.splitlines()]
    assert files == [str(good_input / name) for name in ("case2/image.nrrd", LABEL, "case1/reader2.nrrd")]
    assert said.err == "3 files of the study small cannot be used; correct those named above.\n"


def test_one_bad_file_is_the_sentence_itself(good_input: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good_study(good_input)
    (good_input / IMAGE).unlink()
    assert main(["check", str(good_input)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(f"{good_input / IMAGE}: is missing")


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ({"tumor": {}}, "codes for tumor, which is not one of its classes"),
        ({"foreground": {"category": "Tissue"}}, "codes of the class foreground are not DICOM codes"),
        (["Tissue"], "are not an object of classes"),
    ],
)
def test_codes_that_dicom_does_not_know_are_refused(
    codes: object, said: str, good_input: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good_study(good_input)
    file = good_input / "study.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**content, "classes": ["background", "foreground"], "codes": codes}), encoding="utf-8")
    assert main(["check", str(good_input)]) == 2
    assert said in capsys.readouterr().err


def test_bad_codes_do_not_hide_bad_files(good_input: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good_study(good_input)
    file = good_input / "study.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**content, "codes": {"tumor": {}}}), encoding="utf-8")
    (good_input / IMAGE).unlink()
    assert main(["check", str(file)]) == 2
    missing, codes = capsys.readouterr().out.splitlines()
    assert missing.startswith(f"{good_input / IMAGE}: is missing")
    assert codes.startswith(f"{file}: The study has codes for tumor")
