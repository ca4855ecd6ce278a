"""What tests of jobs with real work share: a small training, and a look at what a job has left."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.jobs import Job

TINY = {"widths": [4, 8], "samples": 0, "epochs": 12, "batch": 4, "device": "cpu"}
SECONDS = 900.0
"""Far longer than anything here takes on a busy machine; only a failing test waits for it."""
RUN_FILES = {"checkpoint.pt", "metrics.jsonl", "settings.json"}
"""What a training that has not finished leaves, at the most."""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, hidden ones too; empty where there is none."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def wait_for_news(job: Job, heard: Any, count: int) -> None:
    """Waits until a job has said so much, or has ended."""
    while len(heard.news) < count and job.is_running():
        time.sleep(0.001)
