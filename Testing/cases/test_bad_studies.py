"""Study files that are damaged, or name what is not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from Testing.spoiling import IMAGE, LABEL, SHIFTED, Bad, assert_refused, good_study, labels, to_2d

CHECK = ("check", "{source}")


def study(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        written = good_study(folder)
        change(written)
        (folder / "study.json").write_text(json.dumps(written), encoding="utf-8")

    return spoil


def study_with(spoil: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def both(folder: Path) -> None:
        good_study(folder)
        spoil(folder)

    return both


def study_text(data: bytes) -> Callable[[Path], Any]:
    return lambda folder: (folder / "study.json").write_bytes(data)


BAD = {
    "no study": Bad(lambda _: None, "study.json", "does not exist", CHECK),
    "an empty study": Bad(study_text(b""), "study.json", "JSON", CHECK),
    "study cut short": Bad(study_text(b'{"format": "noisylabel'), "study.json", "line 1", CHECK),
    "study that is not UTF-8": Bad(study_text('{"name": "Größe"}'.encode("latin-1")), "study.json", "UTF-8", CHECK),
    "an image instead of a study": Bad(
        lambda _: None, IMAGE, "is not a study file; give a study.json", ("check", f"{{source}}/{IMAGE}")
    ),
    "study nested too deeply": Bad(study_text(b"[" * 100_000), "study.json", "nested", CHECK),
    "study that is a list": Bad(study_text(b"[]"), "study.json", "object", CHECK),
    "study of another version": Bad(
        study(lambda s: s.update(format="noisylabelseg-study/9")), "study.json", "/9", CHECK
    ),
    "path that leaves the study": Bad(
        study(lambda s: s["cases"][0].update(truth="../../secret.nrrd")), "study.json", "leaves", CHECK
    ),
    "absolute path": Bad(
        study(lambda s: s["cases"][0].update(images=["/etc/passwd"])), "study.json", "absolute", CHECK
    ),
    "duplicate ids": Bad(study(lambda s: s["cases"][1].update(id="case1")), "study.json", "case1", CHECK),
    "id too long for a folder": Bad(
        study(lambda s: s["cases"][1].update(id="五" * 100)), "study.json", "more than 200 bytes", CHECK
    ),
    "unknown annotator": Bad(study(lambda s: s.update(annotators=["reader1"])), "study.json", "reader2", CHECK),
    "missing file": Bad(study_with(lambda f: (f / LABEL).unlink()), LABEL, "missing", CHECK),
    "label beyond the classes": Bad(study_with(labels(np.uint8(2))), LABEL, "2 classes", CHECK),
    "study with another grid": Bad(study_with(labels(np.uint8(1), grid=SHIFTED)), LABEL, "grid", CHECK),
    "study with mixed 2D and 3D": Bad(study_with(to_2d), LABEL, "2D", CHECK),
    "study with a folder as label": Bad(
        study_with(lambda f: [(f / LABEL).unlink(), (f / LABEL).mkdir()]), LABEL, "DICOM", CHECK
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_study_gets_one_sentence(bad: Bad, good_input: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert_refused(bad, good_input, capfd)
