"""A caller that dies: its worker does not work on for nobody, and clears up after both."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.verbs import ReviewSettings

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

ROOT = Path(__file__).resolve().parents[2]
CALLER = """
import sys, tempfile
from NoisyLabelSegLib.jobs import Job
from NoisyLabelSegLib.verbs import read_settings
tempfile.tempdir = sys.argv[2]
job = Job(read_settings(sys.argv[1]), interpreter=sys.argv[3:])
job.progressed.connect(lambda news: print(news.done, flush=True))
job.start()
job.wait()
"""


@pytest.mark.parametrize("behind_a_launcher", [False, True])
def test_the_worker_of_a_caller_that_is_killed_stops_and_clears_up(
    large_study: Path,
    tmp_path: Path,
    temporary: Path,
    launcher: list[str],
    eventually: Any,
    processes: Any,
    behind_a_launcher: bool,
) -> None:
    settings = tmp_path / "job.json"
    out = tmp_path / "results" / "out"
    settings.write_text(ReviewSettings(study=str(large_study), out=str(out), truth="majority").to_json())
    interpreter = launcher if behind_a_launcher else [sys.executable]
    command = [sys.executable, "-c", CALLER, str(settings), str(temporary), *interpreter]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as caller:
        assert caller.stdout is not None
        assert any(int(line) > 0 for line in caller.stdout)
        assert len(processes.naming(temporary / "noisylabelseg-job-")) == 1 + behind_a_launcher
        caller.send_signal(signal.SIGKILL)
    eventually(lambda: not processes.naming(temporary))
    assert list(temporary.iterdir()) == []
    assert list(out.parent.iterdir()) == []
