"""Jobs on a disk that is full: a sentence, and nothing left."""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.verbs import ReviewSettings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_a_full_disk_is_a_sentence_and_leaves_nothing(do: Any, large_study: Path, small_disk: Path) -> None:
    heard = do(ReviewSettings(study=str(large_study), truth="majority", out=str(small_disk / "out")))
    words = rf"{re.escape(str(small_disk))}/out/\S+: cannot be written \(No space left on device\); check"
    assert re.match(words, heard.ending.sentence)
    assert heard.ending.exit_code == 2
    assert list(small_disk.iterdir()) == []


def test_a_full_disk_for_temporary_files_keeps_the_job_from_starting(
    do: Any, study: Path, small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small_disk / "filling").write_bytes(bytes(256 * 1024))
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    heard = do(ReviewSettings(study=str(study), truth="majority", out=str(tmp_path / "out")))
    assert heard.ending.sentence.startswith("The worker could not be started (No space left on device")
    assert [path.name for path in small_disk.iterdir()] == ["filling"]
