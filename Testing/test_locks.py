"""Two runs never write the same output at once, and a killed run stands in nobody's way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file, output_folder, write_text

ROOT = Path(__file__).resolve().parents[1]
HOLDS = """
import sys, time
from pathlib import Path
from NoisyLabelSegLib.output import output_file, output_folder
with (output_folder if sys.argv[2] == "folder" else output_file)(Path(sys.argv[1])) as partial:
    (partial / "half.txt" if sys.argv[2] == "folder" else partial).write_text("half")
    print("writing", flush=True)
    time.sleep(60)
"""


def writing(path: Path, kind: str = "folder") -> subprocess.Popen[str]:
    """Another process, in the middle of writing to `path`."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(path), kind], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    return process


def test_a_folder_that_another_run_writes_is_refused_and_left_alone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    other = writing(out)
    try:
        before = sorted(path.name for path in tmp_path.iterdir())
        with (
            pytest.raises(UserError, match=rf"another run \(process {other.pid}\)"),
            output_folder(out, force=True) as folder,
        ):
            (folder / "mine.txt").write_text("mine")
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        with output_folder(tmp_path / "elsewhere"):
            pass
    finally:
        other.kill()
        other.wait()


def test_what_a_killed_run_left_is_gone_after_the_next_one(tmp_path: Path) -> None:
    out = tmp_path / "out"
    other = writing(out)
    other.kill()
    other.wait()
    assert len(list(tmp_path.iterdir())) == 2, "its lock and its half-written folder"
    with output_folder(out) as folder:
        (folder / "mine.txt").write_text("mine")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert [path.name for path in out.iterdir()] == ["mine.txt"]


def test_a_half_written_file_of_a_dead_process_goes_and_that_of_a_living_one_stays(tmp_path: Path) -> None:
    living, dead = writing(tmp_path / "a.txt", "file"), writing(tmp_path / "b.txt", "file")
    try:
        dead.kill()
        dead.wait()
        write_text(tmp_path / "c.txt", "mine")
        (rest,) = tmp_path.glob(".partial-*")
        assert rest.name.startswith(f".partial-{living.pid}-")
    finally:
        living.kill()
        living.wait()


def test_half_written_files_of_other_machines_are_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / ".partial-999999999-00000000-x"
    foreign.mkdir()
    write_text(tmp_path / "a.txt", "mine")
    assert foreign.exists()


def test_a_file_that_appeared_while_another_was_written_is_kept(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="another run meanwhile"), output_file(tmp_path / "a.txt", force=False) as part:
        part.write_text("late")
        (tmp_path / "a.txt").write_text("early")
    assert (tmp_path / "a.txt").read_text() == "early"


@pytest.mark.skipif(os.name == "nt", reason="no signals there")
def test_a_lock_ends_with_an_interrupted_run(tmp_path: Path) -> None:
    other = writing(tmp_path / "out")
    other.send_signal(signal.SIGINT)
    other.wait()
    assert list(tmp_path.iterdir()) == []
