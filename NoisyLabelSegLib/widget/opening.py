"""Studies, folders, scans with SEG objects and the demo case: from files, or from nothing, to the open case."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError, naming
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.loading import loadingCase, openStudy
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.verbs import ScansSettings
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.handed_over import HandedOver, NewestInBackground
from NoisyLabelSegLib.widget.work import Runner, Work, isLarge, told

DEMO_SIZE = (96, 96, 24)
DEMO_SEED = 1


class Opening:
    """Remembers the study that was opened last, so that its other cases can be chosen."""

    def __init__(self, scene: Any, case: CaseLogic, runner: Runner, background: NewestInBackground) -> None:
        self._scene, self._case, self._runner, self._background = scene, case, runner, background
        self._study: Study | None = None
        self._imported: tempfile.TemporaryDirectory[str] | None = None

    def cases(self) -> list[tuple[str, str]]:
        """Case and study names of all that can be opened: the cases in the scene, then those of the study."""
        loaded = [(folder.case, folder.study) for folder in CaseFolder.all(self._scene) if folder.nodes(Role.IMAGE)]
        study = [] if self._study is None else [(case.id, self._study.name) for case in self._study.cases]
        return list(dict.fromkeys([*loaded, *study]))

    def openedStudy(self) -> Study | None:
        """The study that was opened last and whose cases are offered."""
        return self._study

    def openCase(self, case: str, study: str) -> None:
        """Opens a case by name, loading it where it is not in the scene yet."""
        self._background.cancel()
        folder = CaseFolder(self._scene, case, study)
        if folder.image is None and self._study is not None:
            self._load(self._study, case)
        else:
            classes = self._study.classes if self._study is not None and self._study.name == study else ()
            self._case.openFolder(folder, classes)

    def openPath(self, path: Path) -> None:
        """Opens a study file, or any folder of images and labels: its first case."""
        self._background.cancel()
        with naming(path):
            self._open(openStudy(path), path)

    def importPath(self, path: Path) -> None:
        """Opens a folder with an LIDC scan and its XML, or with DICOM SEG objects and the series they refer to.

        Another process reads it; a case that is opened meanwhile ends this.
        """
        self._background.ask(lambda handed: self._importing(handed, path))

    def _importing(self, handed: HandedOver, path: Path) -> Work:
        """Lets another process make a study of the files; its first case is opened then."""
        yield _("Reading {name}...").format(name=path.name)
        settings = ScansSettings(source=str(path), out=str(handed.answer))
        progress = _("Reading scans: {done} of {total}...")
        self._background.handOver(handed, settings, lambda: self._imports(handed.answer, path), progress=progress)

    def _imports(self, made: Path, path: Path) -> Work:
        """Opens the study that was made; the one before is not needed any more."""
        yield ""
        self.close()
        self._imported = tempfile.TemporaryDirectory(prefix="noisylabelseg-import-", ignore_cleanup_errors=True)
        self._open(Study.read(made.rename(Path(self._imported.name) / "study")), path)

    @property
    def isImporting(self) -> bool:
        """Whether another process still reads scans."""
        return self._background.running

    def finish(self) -> None:
        """Waits for a large case that is still being loaded."""
        self._runner.finish()

    def leaveScene(self) -> None:
        self._background.close()
        self._runner.cancel()

    def close(self) -> None:
        """Removes what was written for an import; cases that were loaded stay in the scene."""
        if self._imported is not None:
            self._imported.cleanup()
            self._imported, self._study = None, None

    def openDemo(self) -> None:
        """Makes a phantom brain with lesions and five annotators who err in different ways, and opens it."""
        from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study

        self._background.cancel()
        settings = SimulationSettings(cases=1, seed=DEMO_SEED, size=DEMO_SIZE)
        with tempfile.TemporaryDirectory(prefix="noisylabelseg-demo-") as folder:
            made = simulate_study(phantom_recipe("lesions", settings), Path(folder) / "demo", settings)
            self._load(made.study, made.study.cases[0].id)
            self.finish()  # before the files go

    def _open(self, study: Study, path: Path) -> None:
        if not study.cases:
            raise UserError("holds no case", file=path, remedy="choose another")
        self._study = study
        self._load(study, study.cases[0].id)

    def _load(self, study: Study, id: str) -> None:
        case = study.case(id)
        large = isLarge(math.prod(case.geometry.shape), len(case.annotators), len(study.classes))
        self._runner.run(self._loading(study, case), large=large)

    def _loading(self, study: Study, case: Case) -> Work:
        work = loadingCase(self._scene, case, study.classes, study=study.name, annotators=study.annotators)
        isNew = not CaseFolder(self._scene, case.id, study.name).nodes()
        try:
            with naming(study.folder / case.id):
                folder = yield from told(_("Loading {step}..."), work)
        except (GeneratorExit, UserError):
            if isNew:  # half a case is of no use
                CaseFolder(self._scene, case.id, study.name).remove()
            raise
        self._case.openFolder(folder, study.classes)
