"""Writing leaves the whole result or nothing, and never touches what is not its own."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import csv_text, output_file, output_folder, remove_partials, write_text

ROOT = Path(__file__).resolve().parents[1]


def test_a_failed_write_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "result.txt"
    target.write_text("old")
    with pytest.raises(RuntimeError), output_file(target) as partial:
        partial.write_text("half")
        raise RuntimeError("the program fails here")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_is_replaced_only_when_allowed(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "one")
    with pytest.raises(UserError, match="--force"):
        write_text(tmp_path / "a.txt", "two", force=False)
    write_text(tmp_path / "a.txt", "three")
    assert (tmp_path / "a.txt").read_text() == "three"


@pytest.mark.parametrize("force", [False, True])
def test_a_folder_in_the_place_of_a_file_is_refused_and_kept(tmp_path: Path, force: bool) -> None:
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(UserError, match="is a folder, not a file"):
        write_text(tmp_path / "a.txt", "one", force=force)
    assert (tmp_path / "a.txt").is_dir()


def test_a_cancelled_folder_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), output_folder(tmp_path / "out") as folder:
        (folder / "half.txt").write_text("half")
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_holds_something_is_refused_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="not empty"), output_folder(tmp_path):
        pytest.fail("the work began")


def test_force_replaces_its_own_files_and_keeps_the_others(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "case").mkdir(parents=True)
    (out / "mine.txt").write_text("mine")
    (out / "case" / "truth.txt").write_text("old")
    with output_folder(out, force=True) as folder:
        (folder / "case").mkdir()
        (folder / "case" / "truth.txt").write_text("new")
    assert (out / "mine.txt").read_text() == "mine"
    assert (out / "case" / "truth.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with output_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("a")
    assert (tmp_path / "out" / "a.txt").read_text() == "a"


def test_a_place_that_cannot_be_written_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a file where a folder is needed")
    with pytest.raises(UserError, match="file: is a file, not a folder"), output_folder(tmp_path / "file" / "out"):
        pytest.fail("the work began")
    with pytest.raises(UserError, match="file: is a file, not a folder"):
        write_text(tmp_path / "file" / "a.txt", "a")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="only Linux has such a place")
def test_a_place_where_nothing_can_be_made_is_said_in_words() -> None:
    with pytest.raises(UserError, match="/proc/x: cannot be written"), output_folder("/proc/x"):
        pytest.fail("the work began")


def test_an_error_of_the_work_itself_passes_unchanged(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), output_folder(tmp_path / "out"):
        (tmp_path / "absent.txt").read_text()


def test_an_error_names_the_file_where_people_would_have_found_it(tmp_path: Path) -> None:
    with pytest.raises(UserError) as error, output_folder(tmp_path / "out") as folder:
        raise UserError("cannot be written", file=folder / "case" / "truth.nrrd", remedy="free some space")
    assert error.value.sentence == f"{tmp_path / 'out' / 'case' / 'truth.nrrd'}: cannot be written; free some space."
    with pytest.raises(UserError) as error, output_folder(tmp_path / "out"):
        raise UserError("is missing", file=tmp_path / "image.nrrd")
    assert error.value.sentence == f"{tmp_path / 'image.nrrd'}: is missing."


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_between_two_files_waits_until_both_are_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, interrupt: signal.Signals
) -> None:
    replace, out = os.replace, tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")

    def replace_and_interrupt(source: Path, target: Path) -> None:
        replace(source, target)
        signal.raise_signal(interrupt)

    def cancel(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(interrupt, cancel)
    try:
        with pytest.raises(KeyboardInterrupt), output_folder(out, force=True) as folder:
            for name in ("a.txt", "b.txt"):
                (folder / name).write_text(name)
            monkeypatch.setattr(os, "replace", replace_and_interrupt)
        assert signal.getsignal(interrupt) is cancel
    finally:
        signal.signal(interrupt, previous)
    assert sorted(path.name for path in out.iterdir()) == ["a.txt", "b.txt", "mine.txt"]


KILLED = """
import os, signal, sys
from pathlib import Path
from NoisyLabelSegLib.output import output_folder
replace, allowed = os.replace, int(sys.argv[2])
def replace_and_die(source, target):
    global allowed
    if not allowed:
        os.kill(os.getpid(), signal.SIGKILL)
    allowed -= 1
    replace(source, target)
with output_folder(sys.argv[1], force=True) as folder:
    (folder / "case").mkdir()
    for name in ("a.txt", "b.txt", "case/c.txt"):
        (folder / name).write_text("new")
    os.replace = replace_and_die
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
class TestKilledBetweenTwoFiles:
    """`renames` is how many renames the process did before it was killed; the first says that all is written."""

    @pytest.fixture
    def out(self, tmp_path: Path) -> Path:
        out = tmp_path / "results" / "out"
        (out / "case").mkdir(parents=True)
        for name in ("a.txt", "b.txt", "case/c.txt", "mine.txt"):
            (out / name).write_text("old")
        return out

    @staticmethod
    def kill(out: Path, renames: int) -> int:
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(out), str(renames)], cwd=ROOT)
        assert process.wait() == -signal.SIGKILL
        return process.pid

    @staticmethod
    def found(out: Path) -> dict[str, str]:
        assert [path.name for path in out.parent.iterdir()] == ["out"], "nothing is left beside the folder"
        return {str(path.relative_to(out)): path.read_text() for path in out.rglob("*.txt")}

    @pytest.mark.parametrize("renames", range(4))
    def test_clearing_up_after_it_leaves_the_folder_as_before_or_complete(self, out: Path, renames: int) -> None:
        remove_partials(out, self.kill(out, renames))
        content = "new" if renames else "old"
        assert self.found(out) == {"a.txt": content, "b.txt": content, "case/c.txt": content, "mine.txt": "old"}

    def test_the_next_to_write_there_moves_the_rest_first(self, out: Path) -> None:
        self.kill(out, 2)
        with output_folder(out, force=True) as folder:
            (folder / "a.txt").write_text("newer")
        assert self.found(out) == {"a.txt": "newer", "b.txt": "new", "case/c.txt": "new", "mine.txt": "old"}

    def test_the_rest_is_dropped_when_the_folder_was_deleted_meanwhile(self, out: Path) -> None:
        self.kill(out, 2)
        shutil.rmtree(out)
        with output_folder(out) as folder:
            (folder / "a.txt").write_text("newer")
        assert self.found(out) == {"a.txt": "newer"}


def test_only_the_dead_process_loses_what_it_had_half_written(tmp_path: Path) -> None:
    out = tmp_path / "out"
    mine = [tmp_path / ".out.partial-12-x", tmp_path / ".partial-12-x", out / "case" / ".partial-12-x"]
    others = [tmp_path / ".out.partial-123-x", out / "case" / ".partial-1-x", tmp_path / "deep" / ".partial-12-x"]
    for folder in [*mine, *others]:
        folder.mkdir(parents=True)
    remove_partials(out, 12)
    assert not any(folder.exists() for folder in mine)
    assert all(folder.exists() for folder in others)
    remove_partials(tmp_path / "nowhere" / "out", 12)


def test_a_table_without_rows_still_has_a_header() -> None:
    assert csv_text([], ("case", "annotator", "kind")) == "case,annotator,kind\n"


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1+1"])
def test_a_text_in_a_table_is_never_a_formula(name: str) -> None:
    assert csv_text([{"annotator": name, "value": -2.5}]) == f"annotator,value\n'{name},-2.5\n"


def test_nothing_is_written_through_a_link_to_another_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "case").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(UserError, match="case: is a link to another folder"),
        output_folder(tmp_path / "out", force=True) as folder,
    ):
        (folder / "case").mkdir()
        (folder / "case" / "truth.txt").write_text("new")
    assert not any((tmp_path / "elsewhere").iterdir())
    assert {path.name for path in tmp_path.iterdir()} == {"elsewhere", "out"}


@pytest.mark.parametrize("there", [True, False])
def test_an_output_that_is_a_link_fills_the_folder_it_leads_to(tmp_path: Path, there: bool) -> None:
    if there:
        (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / "disk")
    with output_folder(tmp_path / "out") as folder:
        (folder / "a.txt").write_text("a")
    assert (tmp_path / "out").is_symlink()
    assert (tmp_path / "disk" / "a.txt").read_text() == "a"
    assert {path.name for path in tmp_path.iterdir()} == {"disk", "out"}


def test_a_disk_that_is_full_at_once_keeps_nothing(small_disk: Path) -> None:
    with contextlib.suppress(OSError):
        (small_disk / "filler").write_bytes(bytes(1 << 20))
    with pytest.raises(UserError, match="No space left"), output_folder(small_disk / "out", key="a key"):
        pytest.fail("there is no room for the key")
    assert [path.name for path in small_disk.iterdir()] == ["filler"]
