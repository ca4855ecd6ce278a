"""Runs a trained model on the open case: files for the worker, and its answer back into the scene."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases.estimates import OBJECT_JSON, PROBABILITIES, TRUTH, EstimateFiles, FileKind
from NoisyLabelSegLib.cases.model_card import may_be_crop, read_card
from NoisyLabelSegLib.cases.nrrd import map_nrrd, part_by_part
from NoisyLabelSegLib.fusion.combination import LabeledPrediction
from NoisyLabelSegLib.fusion.label_agreement import LabelAgreement
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.scene.results import ResultNodes
from NoisyLabelSegLib.verbs import PredictSettings
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.models import describe
from NoisyLabelSegLib.widget.study_files import writingImages
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.truth_words import MODEL_WITH_LABELS
from NoisyLabelSegLib.widget.work import Work, told


class PredictionLogic:
    """Between settings() and forget() there is a temporary folder with the case's images and the model's answer."""

    def __init__(self, case: CaseLogic, truth: TruthLogic) -> None:
        self._case, self._truth = case, truth
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._model, self._withLabels = "", False
        self._labeled: LabeledPrediction | None = None
        case.changed.connect(self._onCaseChanged)

    def problem(self, model: str, place: Mapping[str, Any], *, labels: bool = False) -> str:
        """Why the model cannot run now, as a sentence; empty when it can. `place` is that of `placeOf`."""
        problem: str = ""
        if self._case.isOpen and not self._case.hasImage:
            problem = _("A trained model looks at the image, and this case has labels only.")
        elif not model:
            problem = _("Choose a trained model (*.nlseg), or train one below.")
        elif not Path(model).is_file():
            problem = _("{model} does not exist; choose another model.").format(model=model)
        else:
            problem = self._mismatch(model) or self._misplaced(model, place, labels=labels)
        return problem

    def _misplaced(self, model: str, place: Mapping[str, Any], *, labels: bool) -> str:
        """Why a model of single objects cannot run now, as a sentence."""
        found = describe(model)
        if found is None or not found.object or not self._case.isOpen or not self._case.isReady:
            return ""
        problem: str = ""
        if labels and place:
            problem = _("Labels cannot be used together with a point or a box; choose Trained model.")
        elif not place and not may_be_crop(self._case.geometry.shape):
            problem = _("This model outlines one {object} at a time: place a point in the middle of it.")
        return problem.format(object=found.object)

    def _mismatch(self, model: str) -> str:
        """Why the model's classes are not those of the annotators, as a sentence; empty where they are."""
        found = describe(model)
        if found is None or not self._case.annotators or not self._case.isReady:
            return ""
        known, drawn = len(found.classes) - 1, len(self._case.classes) - 1
        sentence: str = _("The model knows {known} classes, but the annotators drew {drawn}; choose another model.")
        return "" if known == drawn else sentence.format(known=known, drawn=drawn)

    def preparing(
        self, model: str, *, labels: bool = False, place: Mapping[str, Any] | None = None, anyway: bool = False
    ) -> Generator[str, None, PredictSettings]:
        """Writes the images of the open case, in steps, and returns what the worker is to do with them."""
        place = place or {}
        self.forget()
        self._model, self._withLabels, self._labeled = model, labels, None
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
            expected=not place,
            confusion=labels,
            compressed=False,
            anyway=anyway,
            **place,
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
        if self._withLabels:
            yield _("Combining the prediction with the labels...")
            self._labeled = self._keep(answer)
            yield from self.combining()
        else:
            self._truth.remarks = _outlinedBy(answer / OBJECT_JSON)
            yield from self._truth.showing(truth, lambda few: background[few])

    def canCombine(self, model: str) -> bool:
        """Whether the network need not run again: another choice of annotators is combined in an instant."""
        return self._labeled is not None and self._model == model

    def combining(self) -> Work:
        """Puts the truth from the prediction and the labels of the ticked annotators into the scene, in steps."""
        assert self._labeled is not None
        found = self._labeled.combine(self._case.used)
        background = found.probability(0)
        yield ""
        self._truth.remarks = found.remarks
        yield from self._truth.showing(found.labels, lambda few: background[few], method=MODEL_WITH_LABELS)

    def _keep(self, answer: Path) -> LabeledPrediction:
        """What the model answered and the labels of all annotators, in the box where there is something."""
        classes, labels = len(self._case.classes), self._case.labels()
        files = EstimateFiles(answer).annotators(FileKind.CONFUSION)
        fields = ((name, _componentsFirst(map_nrrd(path))) for name, path in files.items())
        matrices = ((name, field.reshape(classes, classes, *field.shape[1:])) for name, field in fields)
        agreement = LabelAgreement.from_json(read_card(self._model).metrics.get("labelAgreement"))
        probabilities = _componentsFirst(map_nrrd(answer / PROBABILITIES))
        drawn = {name: labels[name] for name in self._case.annotators}
        return LabeledPrediction(probabilities, matrices, drawn, agreement=agreement)

    def _onCaseChanged(self, _news: None) -> None:
        self._labeled = None

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


def _outlinedBy(path: Path) -> list[str]:
    """How many readers would outline the object that was asked for, where the answer says."""
    if not path.exists():
        return []
    share = float(read_json(path)["outlinedShare"])
    return [_("About {share:.0%} of the readers that the model learned from would outline it.").format(share=share)]


def _componentsFirst(field: Any) -> Any:
    """A view of values (*shape, C) as (C, *shape)."""
    return field.transpose(field.ndim - 1, *range(field.ndim - 1))
