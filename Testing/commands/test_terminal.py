"""What a verb says into a log file, where no bar can move."""

from __future__ import annotations

import pytest

from NoisyLabelSegLib.commands.terminal import SECONDS_BETWEEN_LINES, Terminal
from NoisyLabelSegLib.progress import Progress


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_log_gets_a_line_every_few_seconds_from_within_the_first_step_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock()
    with Terminal(clock=clock) as terminal:
        for second in range(61):
            clock.now = float(second)
            done, part = divmod(second, 20)
            terminal.progress(Progress("train", done, 3, {"loss": 0.5} if part == 0 else {}, part=part / 20))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 60 / SECONDS_BETWEEN_LINES
    assert lines[0].startswith("train: 8 %")
    assert lines[3] == "train: 33 %, about 40 s left, loss 0.5"
    assert lines[-1].startswith("train: 100 %")


def test_the_time_that_is_left_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    terminal = Terminal(clock=clock)
    for second in (0, 10, 200):
        clock.now = float(second)
        terminal.progress(Progress("fuse", second // 10, 100))
    assert capsys.readouterr().out.splitlines() == ["fuse: 1 %, about 16 min left", "fuse: 20 %, about 13 min left"]


def test_short_work_leaves_a_log_as_it_was_and_events_stay_events(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    terminal = Terminal(clock=clock)
    terminal.progress(Progress("fuse", 0, 1))
    terminal.progress(Progress("fuse", 1, 1))
    assert capsys.readouterr().out == ""
    clock.now = 60.0
    Terminal(json=True, clock=clock).progress(Progress("fuse", 0, 1))
    assert capsys.readouterr().out.startswith('{"event": "progress"')


def test_names_from_files_cannot_control_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    name = "\x1b[2Jreader\x9b1m\u202e\x07\ud800 – é"
    terminal = Terminal()
    terminal.say(name)
    terminal.error(name)
    terminal.table(name, [name], [[name]])
    shown = capsys.readouterr()
    assert shown.err == "?[2Jreader?1m??? – é\n"
    assert shown.out.count("?[2Jreader?1m??? – é") == 4


def test_a_table_that_is_too_wide_goes_on_below_and_breaks_no_word(capsys: pytest.CaptureFixture[str]) -> None:
    columns = ["annotator", "Dice", *(f"estimated sensitivity {number}" for number in range(12))]
    rows = [["Ann", "0.916 (0.906 to 0.926)", *["0.927"] * 12], ["Bob", "0.5", *["0.1"] * 12]]
    Terminal().table("Figures", columns, rows)
    printed = capsys.readouterr().out.splitlines()
    assert max(map(len, printed)) <= 160
    assert sum("annotator" in line for line in printed) == 2
    assert sum("Ann" in line for line in printed) == 2
    assert sum(line.count("sensitivity") for line in printed) == 12
    assert sum("0.916 (0.906 to 0.926)" in line for line in printed) == 1


def test_a_table_that_fits_is_one(capsys: pytest.CaptureFixture[str]) -> None:
    Terminal().table("Cases", ["annotator", "note"], [["Ann", "several words that may be wrapped " * 8]])
    printed = capsys.readouterr().out
    assert printed.count("annotator") == 1
    assert max(map(len, printed.splitlines())) <= 160
