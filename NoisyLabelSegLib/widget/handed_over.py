"""Work that another process does for the panel, and the files between the two."""

from __future__ import annotations

import tempfile
from pathlib import Path

from NoisyLabelSegLib.jobs.job import Job


class HandedOver:
    """The job, once it is started, and the temporary folder that its question and answer are in."""

    def __init__(self, what: str) -> None:
        self.job: Job | None = None
        self._folder = tempfile.TemporaryDirectory(prefix=f"noisylabelseg-{what}-", ignore_cleanup_errors=True)

    @property
    def question(self) -> Path:
        return Path(self._folder.name) / "question"

    @property
    def answer(self) -> Path:
        return Path(self._folder.name) / "answer"

    def cancel(self) -> None:
        """The folder goes when the worker has stopped."""
        if self.job is not None and self.job.is_running():
            self.job.cancel()
        else:
            self.forget()

    def close(self) -> None:
        if self.job is not None and self.job.is_running():
            self.job.close()
        self.forget()

    def forget(self) -> None:
        self._folder.cleanup()
