"""Commands that cannot be meant, and that the input which all others spoil is good."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from NoisyLabelSegLib.cli import main
from Testing.spoiling import LABEL, Bad, assert_refused, good_study

BAD = {
    "unknown verb": Bad(lambda _: None, "", "guess", ("guess",)),
    "unknown kind": Bad(lambda _: None, "", "tape", ("import", "tape", "{source}", "--out", "{out}")),
    "no output folder": Bad(lambda _: None, "", "--out", ("import", "folder", "{source}")),
    "unknown benchmark": Bad(lambda _: None, "", "sprint", ("bench", "sprint")),
    "a very long path": Bad(lambda _: None, "", "path", ("fuse", "x" * 5000, "--out", "{out}")),
    "a very long study": Bad(lambda _: None, "", "path", ("check", "x/" * 2500 + "study.json")),
    "a very long output": Bad(lambda _: None, "", "", ("fuse", "{source}/" + LABEL, "--out", "x" * 5000)),
    "a very long model": Bad(lambda _: None, "", "", ("predict", "x" * 5000, "{source}", "--out", "{out}")),
    "a name that is not text": Bad(lambda _: None, "", "not a path", ("fuse", "\udcff\ud800.nrrd", "--out", "{out}")),
    "a class of half a character": Bad(
        lambda folder: _write_class(folder, "\ud800"), "study.json", "half a character", ("check", "{source}")
    ),
    "a key twice": Bad(
        lambda folder: (folder / "study.json").write_text('{"format": 1, "format": 2}', encoding="utf-8"),
        "study.json",
        "twice",
        ("check", "{source}"),
    ),
}


def _write_class(folder: Path, name: str) -> None:
    study = good_study(folder)
    study["classes"][1] = name
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_command_gets_one_sentence(bad: Bad, good_input: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert_refused(bad, good_input, capfd)


def test_the_good_input_is_accepted(good_input: Path) -> None:
    assert main(["import", "folder", str(good_input), "--out", str(good_input.parent / "out")]) == 0
    good_study(good_input)
    assert main(["check", str(good_input)]) == 0
