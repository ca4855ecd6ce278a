"""Runs a trained model on the open case: files for the worker, and its answer back into the scene."""

from __future__ import annotations

import tempfile
from pathlib import Path

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases import read_image, read_labels
from NoisyLabelSegLib.jobs.settings import PredictSettings
from NoisyLabelSegLib.review.error_map import expected_errors
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.study_files import writeImages
from NoisyLabelSegLib.widget.truth_logic import TruthLogic

CONFUSION = "confusion_"


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
        return problem

    def settings(self, model: str) -> PredictSettings:
        """Writes the images of the open case and returns what the worker is to do with them."""
        self.forget()
        self._folder = tempfile.TemporaryDirectory(prefix="noisylabelseg-predict-")
        images = writeImages(self._case.case(), self._input)
        return PredictSettings(
            model=model,
            images=(",".join(str(path) for path in images),),
            out=str(self._output),
            annotators=False,
            confusion=True,
        )

    def load(self) -> None:
        """Puts the predicted truth and everybody's expected errors into the scene."""
        answer = next(path for path in self._output.iterdir() if path.is_dir())
        truth = read_labels(answer / "truth.nrrd").array
        probabilities = read_image(answer / "truth_probability.nrrd").array
        nodes = ResultNodes(self._case.folder, self._case.geometry, self._case.classes)
        for path in sorted(answer.glob(f"{CONFUSION}*.nrrd")):
            classes = len(probabilities)
            confusion = read_image(path).array.reshape(classes, classes, *truth.shape)
            nodes.expectedErrors(path.stem.removeprefix(CONFUSION), expected_errors(confusion, probabilities))
        self._truth.show(truth, lambda: probabilities)

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
