"""Runs a trained model on the open case: files for the worker, and its answer back into the scene."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases.estimates import PROBABILITIES, TRUTH, EstimateFiles, FileKind
from NoisyLabelSegLib.cases.nrrd import map_nrrd, part_by_part
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.verbs import PredictSettings
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.models import describe
from NoisyLabelSegLib.widget.study_files import writingImages
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.work import Work, told


class PredictionLogic:
    """Between settings() and forget() there is a temporary folder with the case's images and the model's answer."""

    def __init__(self, case: CaseLogic, truth: TruthLogic) -> None:
        self._case, self._truth = case, truth
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def problem(self, model: str) -> str:
        """Why the model cannot run now, as a sentence; empty when it can."""
        problem: str = ""
        if not model:
            problem = _("Choose a trained model (*.nlseg), or train one below.")
        elif not Path(model).is_file():
            problem = _("{model} does not exist; choose another model.").format(model=model)
        else:
            problem = self._mismatch(model)
        return problem

    def _mismatch(self, model: str) -> str:
        """Why the model's classes are not those of the annotators, as a sentence; empty where they are."""
        found = describe(model)
        if found is None or not self._case.annotators or not self._case.isReady:
            return ""
        known, drawn = len(found.classes) - 1, len(self._case.classes) - 1
        sentence: str = _("The model knows {known} classes, but the annotators drew {drawn}; choose another model.")
        return "" if known == drawn else sentence.format(known=known, drawn=drawn)

    def preparing(self, model: str) -> Generator[str, None, PredictSettings]:
        """Writes the images of the open case, in steps, and returns what the worker is to do with them."""
        self.forget()
        self._folder = tempfile.TemporaryDirectory(prefix="noisylabelseg-predict-", ignore_cleanup_errors=True)
        found = describe(model)
        if found is not None and not self._case.annotators:
            self._case.nameClasses(found.classes)
        yield from self._case.reading()
        images = yield from told(_("Writing the scan for the model..."), writingImages(self._case.case(), self._input))
        return PredictSettings(
            model=model,
            images=(",".join(str(path) for path in images),),
            out=str(self._output),
            expected=True,
            compressed=False,
        )

    def loading(self) -> Work:
        """Puts the predicted truth and everybody's expected errors into the scene, in steps."""
        answer = next(path for path in self._output.iterdir() if path.is_dir())
        saying = _("Loading the prediction...")
        truth = yield from told(saying, part_by_part(map_nrrd(answer / TRUTH)))
        background = yield from told(saying, part_by_part(map_nrrd(answer / PROBABILITIES)[..., 0]))
        nodes = ResultNodes(self._case.folder, self._case.geometry, self._case.classes)
        for annotator, path in EstimateFiles(answer).annotators(FileKind.EXPECTED).items():
            field = map_nrrd(path)
            for component, kind in enumerate(nodes.expectedKinds):
                yield from told(saying, nodes.showingExpectedErrors(kind, annotator, field[..., component]))
        yield from self._truth.showing(truth, lambda few: background[few])

    def forget(self) -> None:
        """Removes the temporary folder; safe to call at any time."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    @property
    def _input(self) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / "input"

    @property
    def _output(self) -> Path:
        assert self._folder is not None
        return Path(self._folder.name) / "output"
