"""All cases of the opened study at once: fused or reviewed by a worker, into a folder."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.fusion import DEFAULT, METHODS
from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.jobs.pollers import Poller
from NoisyLabelSegLib.verbs import FuseSettings, ReviewSettings

REPORT = "report.html"


class StudyLogic:
    """Needs a study with a file: that is what the worker reads."""

    def __init__(self, openedStudy: Callable[[], Study | None]) -> None:
        self._openedStudy = openedStudy

    def problem(self, folder: str) -> str:
        """Why nothing can be done now, empty where it can."""
        if not self._file():
            return str(_("Open a study with a study.json first (noisylabelseg import makes one)."))
        return "" if folder else str(_("Choose a folder for the results."))

    def fusing(self, folder: str, method: str, poller: Poller) -> Generator[str, None, Job]:
        """The job that fuses every case into FOLDER/fused."""
        yield _("Starting...")
        chosen = method if method in METHODS else DEFAULT
        return Job(
            FuseSettings(study=self._file(), out=str(self.fused(folder)), method=chosen, force=True), poller=poller
        )

    def reviewing(self, folder: str, method: str, poller: Poller) -> Generator[str, None, Job]:
        """The job that reviews every case into FOLDER/review: against the fused truths, or else against a fusion."""
        yield _("Starting...")
        chosen = method if method in METHODS else DEFAULT
        truth = str(self.fused(folder)) if self.fused(folder).is_dir() else chosen
        settings = ReviewSettings(study=self._file(), truth=truth, out=str(Path(folder) / "review"), force=True)
        return Job(settings, poller=poller)

    def fused(self, folder: str) -> Path:
        return Path(folder) / "fused"

    def report(self, folder: str) -> Path:
        return Path(folder) / "review" / REPORT

    def _file(self) -> str:
        study = self._openedStudy()
        file = None if study is None else study.folder / "study.json"
        return str(file) if file is not None and file.is_file() else ""
