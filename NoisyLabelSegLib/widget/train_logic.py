"""What a training is to do: from the panel's settings and the scene to a job, and its curves back into the scene."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.jobs.reports import Progressed
from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.scene.case_images import isEmpty
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.scene_case import readingFolder, sourcesOf
from NoisyLabelSegLib.scene.tables import Axes, rowsOf, showCurves
from NoisyLabelSegLib.verbs import TrainSettings
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.study_files import isStudy, writeStudy, writingCase
from NoisyLabelSegLib.widget.work import isLarge, told

SCENE, STUDY = "scene", "study"
DEFAULT_PRESET = "default"
DEFAULT_EPOCHS = 40
CURVES = "Training"
FEW_CASES = 5
"""A model that learned from fewer cases is of little use for others."""


def presets() -> dict[str, str]:
    """The names of the presets, the default first, and what each is about."""
    paths = sorted(resource_path("presets").glob("*.json"), key=lambda path: (path.stem != DEFAULT_PRESET, path.stem))
    return {path.stem: json.loads(path.read_text(encoding="utf-8")).get("about", "") for path in paths}


def epochsOf(preset: str) -> int:
    """How many epochs a preset asks for."""
    content = json.loads(resource_path(f"presets/{preset}.json").read_text(encoding="utf-8"))
    return int(content.get("epochs", DEFAULT_EPOCHS))


def curveTitles() -> dict[str, str]:
    """The figures of an epoch in words; all of them fall while a training goes well."""
    return {
        "likelihood": _("training loss"),
        "heldOutLikelihood": _("validation loss"),
    }


def aboutPreset(name: str) -> str:
    """What a preset is for, in a sentence."""
    return presets().get(name, "")


class TrainLogic:
    """Between settings() and forget() there may be a temporary study with the cases of the scene."""

    def __init__(self, scene: Any, case: CaseLogic, openedStudy: Callable[[], Study | None] = lambda: None) -> None:
        self._scene, self._case, self._openedStudy = scene, case, openedStudy
        self._study: tempfile.TemporaryDirectory[str] | None = None
        self._curves: dict[str, list[float | None]] = {}
        self._steps: list[float] = []
        self._before: list[dict[str, Any]] = []
        """The rows of the curves that were in the scene before this training."""

    def problem(self, parameters: Any) -> str:
        """Why there can be no training now, as a sentence; empty when there can."""
        problem: str = ""
        if parameters.trainingSource == SCENE and not self._case.annotators:
            problem = _("Open a case with annotators first, or learn from a study.")
        elif parameters.trainingSource == SCENE and not self._foldersToTrainOn():
            problem = _("A training needs images, and the scene has labels only.")
        elif parameters.trainingSource == STUDY and not isStudy(parameters.trainingStudy):
            problem = _("Choose a study.json, or the folder that holds it.")
        elif not parameters.runFolder:
            problem = _("Choose a folder for the model.")
        return problem

    @property
    def isLarge(self) -> bool:
        """Whether it takes long to write the scene for a training."""
        images = [(folder.image, len(sourcesOf(folder))) for folder in CaseFolder.all(self._scene)]
        voxels = sum(image.GetImageData().GetNumberOfPoints() * count for image, count in images if image is not None)
        return isLarge(voxels, 1)

    def preparing(self, parameters: Any, *, resume: bool) -> Generator[str, None, TrainSettings]:
        """What the worker is to do; writes the cases of the scene to files where it is to learn from them."""
        self.forget()
        self._curves, self._steps = {}, []
        table = self._curveFolder.find(Role.CURVES, label=CURVES)
        self._before = [] if table is None else rowsOf(table)
        overrides = {
            "epochs": parameters.epochs,
            "trace": parameters.traceWeight,
            "device": parameters.device,
            "seed": parameters.seed,
        }
        if parameters.rank:
            overrides.update(confusion="low-rank", rank=parameters.rank)
        study = yield from self._studyFile(parameters)
        return TrainSettings(
            study=str(study),
            out=parameters.runFolder,
            preset=parameters.preset,
            overrides=overrides,
            resume=resume,
        )

    def addToCurves(self, news: Progressed) -> Any:
        """Adds the figures of a finished epoch and returns the chart node, or None where there is nothing to draw.

        A training that begins anew, because it went wrong, takes the place of what was drawn before.
        """
        if not news.metrics:
            return None
        kept = sum(step < news.done for step in self._steps)
        self._steps = self._steps[:kept]
        self._curves = {name: values[:kept] for name, values in self._curves.items()}
        for name in dict.fromkeys([*self._curves, *news.metrics]):
            self._curves.setdefault(name, [None] * len(self._steps)).append(news.metrics.get(name))
        self._steps.append(float(news.done))
        return self._show(self._steps, self._curves, last=max(float(news.total), 1.0))

    @property
    def hasCurves(self) -> bool:
        return bool(self._steps)

    def takeCurvesBack(self) -> bool:
        """Brings back the curves from before this training; says whether there are any."""
        if not self._steps:
            return bool(self._before)
        if not self._before:
            self._curveFolder.remove()
            return False
        columns = {name: [row[name] for row in self._before] for name in self._before[0]}
        epochs = columns.pop("epoch")
        self._show(epochs, columns, last=max(epochs))
        return True

    def _show(self, epochs: Sequence[float], curves: Mapping[str, Sequence[float | None]], *, last: float) -> Any:
        if "likelihood" in curves:  # the whole loss, which is in the log, is so large that these would look flat
            curves = {name: values for name, values in curves.items() if name != "loss"}
        axes = Axes(_("Epoch"), _("Loss (nats per pixel)"), last, curveTitles())
        return showCurves(self._curveFolder, CURVES, ("epoch", epochs), curves, axes)

    def remark(self, parameters: Any) -> str:
        """What to know before a training on the cases of the scene, as a sentence; empty where there is nothing."""
        remark: str = ""
        if parameters.trainingSource != SCENE or not self._case.annotators:
            return remark
        loaded, study = len(self._foldersToTrainOn()), self._openedStudy()
        if study is not None and len(study.cases) > loaded:
            remark = _(
                "Of the {total} cases of study {study}, {loaded} would be used: those that are loaded. Choose A study "
                "on disk to use all."
            ).format(loaded=loaded, total=len(study.cases), study=study.name)
        elif loaded < FEW_CASES:
            one = _("A model that learns from one case only gives poor estimates of others.")
            few = _("A model that learns from {loaded} cases only gives poor estimates of others.")
            remark = one if loaded == 1 else few.format(loaded=loaded)
        return remark

    def openedStudyFile(self) -> str:
        """The path of the study that is open, where it has a file; else empty."""
        study = self._openedStudy()
        file = None if study is None else study.folder / "study.json"
        return str(file) if file is not None and file.is_file() else ""

    def _foldersToTrainOn(self) -> list[CaseFolder]:
        folders = [folder for folder in CaseFolder.all(self._scene) if folder.nodes(Role.IMAGE)]
        return [folder for folder in folders if sourcesOf(folder) and not isEmpty(folder.image)]

    @property
    def _curveFolder(self) -> CaseFolder:
        return CaseFolder(self._scene, "Training")

    def forget(self) -> None:
        """Removes the temporary study; safe to call at any time."""
        if self._study is not None:
            self._study.cleanup()
            self._study = None

    def _studyFile(self, parameters: Any) -> Generator[str, None, Path]:
        if parameters.trainingSource == STUDY:
            return Path(parameters.trainingStudy)
        self._study = tempfile.TemporaryDirectory(prefix="noisylabelseg-train-")
        classes = self._case.classes
        cases = []
        for folder in self._foldersToTrainOn():
            saying = _("Writing {case} for the training...").format(case=folder.case)
            found = yield from told(saying, readingFolder(folder, classes=classes))
            cases.append((yield from told(saying, writingCase(found.case, Path(self._study.name)))))
        if not cases:
            raise UserError("There is no case with annotators in the scene", remedy="open one, or learn from a study")
        return writeStudy(cases, Path(self._study.name), name="scene", classes=classes)
