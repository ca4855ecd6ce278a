"""Commands that cannot be meant, and that the input which all others spoil is good."""

from __future__ import annotations

from pathlib import Path

import pytest

from NoisyLabelSegLib.cli import main
from Testing.spoiling import Bad, assert_refused, good_study

BAD = {
    "unknown verb": Bad(lambda _: None, "", "guess", ("guess",)),
    "unknown kind": Bad(lambda _: None, "", "tape", ("import", "tape", "{source}", "--out", "{out}")),
    "no output folder": Bad(lambda _: None, "", "--out", ("import", "folder", "{source}")),
    "unknown benchmark": Bad(lambda _: None, "", "sprint", ("bench", "sprint")),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_command_gets_one_sentence(bad: Bad, good_input: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert_refused(bad, good_input, capfd)


def test_the_good_input_is_accepted(good_input: Path) -> None:
    assert main(["import", "folder", str(good_input), "--out", str(good_input.parent / "out")]) == 0
    good_study(good_input)
    assert main(["check", str(good_input)]) == 0
