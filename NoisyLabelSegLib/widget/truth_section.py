"""The section that estimates the truth: classical methods at once, a trained model in the background."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.fusion import DEFAULT, METHODS
from NoisyLabelSegLib.jobs.job import Job
from NoisyLabelSegLib.scene.references import KNOWN, SCENE, Reference
from NoisyLabelSegLib.widget.job_button import JobButton, TimerPoller
from NoisyLabelSegLib.widget.model_controls import ModelControls
from NoisyLabelSegLib.widget.models import ModelShelf, describe
from NoisyLabelSegLib.widget.prediction_logic import PredictionLogic
from NoisyLabelSegLib.widget.steps import Steps, explain, saidIn, say
from NoisyLabelSegLib.widget.torch_support import TorchSupport
from NoisyLabelSegLib.widget.train_logic import FEW_CASES
from NoisyLabelSegLib.widget.truth_logic import TruthLogic
from NoisyLabelSegLib.widget.truth_words import MODEL, MODEL_WITH_LABELS, NETWORKS
from NoisyLabelSegLib.widget.work import Work


class TruthSection:
    """`parameters` is the panel's parameter node wrapper, or None while there is no scene."""

    def __init__(
        self, ui: Any, logic: TruthLogic, prediction: PredictionLogic, torch: TorchSupport, shelf: ModelShelf
    ) -> None:
        self._ui, self._logic, self._prediction, self._torch = ui, logic, prediction, torch
        self._parameters: Any = None
        self._shelf = shelf
        self._model = ModelControls(ui)
        self._steps = Steps(ui.truthMessage)
        self._job = JobButton(ui.estimateButton, ui.estimateProgress, ui.truthMessage)
        for name, method in METHODS.items():
            ui.methodSelector.addItem(method.title, name)
        ui.methodSelector.addItem(_("Trained model..."), MODEL)
        ui.methodSelector.addItem(_("Trained model with these labels"), MODEL_WITH_LABELS)
        self._references: list[Reference] = []
        self._beforeKnown, self._wanted = DEFAULT, ""
        self._fillModels("")
        ui.knownTruthButton.clicked.connect(self.onKnownTruth)
        ui.methodSelector.currentIndexChanged.connect(self.onMethodChanged)
        ui.modelSelector.currentIndexChanged.connect(self.onModelChanged)
        ui.modelPath.currentPathChanged.connect(self.onPathChanged)
        ui.placeSelector.currentNodeChanged.connect(lambda _node: self.update())
        ui.placeButton.clicked.connect(self._model.onPlace)
        ui.estimateButton.clicked.connect(self.onEstimate)
        ui.confidenceBox.toggled.connect(self.onConfidence)
        self.update()

    @property
    def method(self) -> str:
        return str(self._ui.methodSelector.itemData(self._ui.methodSelector.currentIndex))

    @property
    def model(self) -> str:
        """The path of the chosen model, empty if none is."""
        return self._chosenModel() or str(self._ui.modelPath.currentPath)

    @property
    def _canCombine(self) -> bool:
        """Whether other labels can be combined with what the model has already predicted."""
        return self.method == MODEL_WITH_LABELS and self._prediction.canCombine(self.model)

    def setParameters(self, parameters: Any) -> None:
        self._parameters = parameters
        if parameters is not None:
            self._fillModels(parameters.model)
            combo, self._wanted = self._ui.methodSelector, ""
            if parameters.method.startswith(SCENE):  # offered once the case is open
                self._wanted = parameters.method
            else:
                combo.currentIndex = max(combo.findData(parameters.method), 0)
        self.update()

    def selectModel(self, path: str) -> None:
        """Makes a model the chosen method, for example one that was just trained, and offers it from now on."""
        self._shelf.remember(path)
        self._fillModels(path)
        self._ui.methodSelector.currentIndex = self._ui.methodSelector.findData(MODEL)
        self.update()

    def update(self) -> None:
        """Shows what can be done now, and why not where it cannot."""
        self._fillReferences()
        usesModel = self.method in NETWORKS
        self._ui.modelSelector.visible = self._ui.modelSelectorLabel.visible = usesModel
        usesFile = usesModel and not self._chosenModel()
        self._ui.modelPath.visible = self._ui.modelPathLabel.visible = usesFile
        self._model.show(describe(self.model) if usesModel and self.model else None)
        say(self._ui.methodSentence, self._modelSentence() if usesModel else self._methodSentence())
        if not self._job.running:
            problem = self._logic.problem(self.method)
            if not problem and usesModel:
                withLabels = self.method == MODEL_WITH_LABELS
                problem = self._prediction.problem(self.model, self._model.place, labels=withLabels)
            explain(self._ui.estimateButton, problem, _("Estimates the truth of the open case."))
            if usesModel and not self._canCombine:
                say(self._ui.truthMessage, self._torch.remark())
        explain(
            self._ui.confidenceBox,
            "" if self._logic.truth is not None else _("Estimate the truth first."),
            _("Lays the estimate over the image: the surer, the more opaque."),
        )

    def estimateIfLive(self) -> None:
        """Fuses again after a change, if that is wanted and possible without a model."""
        live = self._parameters is not None and self._parameters.live
        ready = self.method not in NETWORKS or (self._canCombine and not self._job.running)
        if live and ready and not self._logic.problem(self.method):
            self._logic.takeEdits()
            if self._logic.isKept:
                say(self._ui.truthMessage, self._whyKept())
            else:
                self._fuse()
        self.update()

    def onMethodChanged(self) -> None:
        if self._parameters is not None:
            self._parameters.method = self.method
            self._parameters.model = self.model
        self.estimateIfLive()

    def onModelChanged(self) -> None:
        if self._parameters is not None:
            self._parameters.model = self.model
        self._ui.modelSelector.toolTip = self._about()
        self.update()

    def onPathChanged(self) -> None:
        """A file that is a model is offered among the others from now on."""
        path = self._ui.modelPath.currentPath
        if not self._chosenModel() and describe(path) is not None:
            self._shelf.remember(path)
            self._fillModels(path)
        self.onModelChanged()

    def onEstimate(self) -> None:
        if self._job.running:
            self._job.cancel()
        elif not self._mayReplace():
            return
        elif self.method == MODEL:
            self._predict()
        elif self.method == MODEL_WITH_LABELS:
            self._logic.forget()
            self._predict()
        else:
            self._logic.forget()
            self._fuse()

    def onKnownTruth(self) -> None:
        """Takes the known truth as the reference, or goes back to the method from before."""
        if not self._mayReplace():
            return
        combo, usesKnown = self._ui.methodSelector, self.method == KNOWN
        if not usesKnown:
            self._beforeKnown = self.method
        combo.blockSignals(True)
        combo.currentIndex = max(combo.findData(self._beforeKnown if usesKnown else KNOWN), 0)
        combo.blockSignals(False)
        if self._parameters is not None:
            self._parameters.method = self.method
        self._fuse()
        self.update()

    def _mayReplace(self) -> bool:
        """Asks before a truth that was edited or adjudicated is replaced; then a copy of it stays in the scene."""
        self._logic.takeEdits()
        if not self._logic.isKept:
            return True
        if self._logic.isEdited:
            question = _("The truth of this case was edited by hand. Replace it by a new estimate?")
        else:
            question = _("The truth of this case was adjudicated. Replace it by a new estimate?")
        if not slicer.util.confirmYesNoDisplay(f"{question} {_('A copy of it stays in the scene.')}"):
            return False
        self._logic.keepCopy()
        return True

    def _whyKept(self) -> str:
        if self._logic.isEdited:
            return str(_("The truth was edited by hand and is kept; Estimate replaces it."))
        return str(_("The truth was adjudicated and is kept; Estimate replaces it."))

    def _fillReferences(self) -> None:
        """Offers the segmentations of the scene behind the methods; one that is gone gives way to the default."""
        references, combo = self._logic.references(), self._ui.methodSelector
        self._ui.knownTruthButton.visible = self._logic.hasKnownTruth
        titles = [(each.key, each.title) for each in references]
        if titles != [(each.key, each.title) for each in self._references]:
            chosen = self._wanted or self.method
            combo.blockSignals(True)
            for each in self._references:
                combo.removeItem(combo.findData(each.key))
            for each in references:
                combo.addItem(_("Reference: {name}").format(name=each.title), each.key)
            combo.currentIndex = max(combo.findData(chosen), 0)
            combo.blockSignals(False)
            self._references = references
            if combo.findData(self._wanted) >= 0:
                self._wanted = ""
        isKnown = self.method == KNOWN
        self._ui.knownTruthButton.text = _("Back to the estimate") if isKnown else _("Compare with the known truth")

    def _methodSentence(self) -> str:
        if self.method in METHODS:
            return str(_(METHODS[self.method].sentence))
        return str(_("Compares everybody with this segmentation of the scene, as drawn; nothing is estimated."))

    def onConfidence(self) -> None:
        if self._logic.truth is not None:
            self._steps.run(self._showingConfidence(), large=self._logic.isLarge)

    def _showingConfidence(self) -> Work:
        yield from self._logic.showingConfidence(visible=self._ui.confidenceBox.checked)
        say(self._ui.truthMessage, " ".join(self._logic.remarks))

    def leaveScene(self) -> None:
        self._steps.cancel()
        self._job.close()

    def _chosenModel(self) -> str:
        """The path of the model that is chosen in the list, empty for another file."""
        combo = self._ui.modelSelector
        return str(combo.itemData(combo.currentIndex) or "")

    def _fillModels(self, path: str) -> None:
        """Offers all models there are; the one of this path is chosen, or where there is no path the first."""
        combo, chosen = self._ui.modelSelector, self._shelf.find(path)
        combo.blockSignals(True)
        combo.clear()
        for model in self._shelf.models():
            combo.addItem(model.title, model.path)
        combo.addItem(_("Another file..."), "")
        combo.currentIndex = combo.findData(chosen.path) if chosen else combo.count - 1 if path else 0
        combo.blockSignals(False)
        combo.toolTip = self._about()
        self._ui.modelPath.currentPath = "" if chosen else path

    def _about(self) -> str:
        model = self._shelf.find(self._chosenModel())
        return model.about if model is not None else _("A trained model (*.nlseg).")

    def _modelSentence(self) -> str:
        """What the chosen model is, with a caution where it learned from too few cases to be of use."""
        model = describe(self.model) if self.model else None
        sentences = [_("Runs trained networks: the truth, and what each annotator would get wrong.")]
        if model is not None and model.cases:
            trained = _("Trained on one case.") if model.cases == 1 else _("Trained on {cases} cases.")
            sentences.append(trained.format(cases=model.cases))
        if model is not None and 0 < model.cases < FEW_CASES:
            sentences.append(_("That is too few to rely on: keep the estimate from the annotators' labels."))
        return " ".join(sentences)

    def _fuse(self) -> None:
        self._steps.run(self._fusing(), large=self._logic.isLarge)

    def _fusing(self) -> Work:
        if self.method == MODEL_WITH_LABELS:
            yield from self._prediction.combining()
        else:
            yield from self._logic.fusing(self.method)
        say(self._ui.truthMessage, " ".join(self._logic.remarks))

    def _predict(self) -> None:
        with saidIn(self._ui.truthMessage):
            if self._torch.ensure():
                self._job.run(
                    self._preparing(),
                    self._onPredicted,
                    self._prediction.forget,
                    large=self._logic.isLarge,
                )

    def _preparing(self) -> Generator[str, None, Job]:
        settings = yield from self._prediction.preparing(
            self.model,
            labels=self.method == MODEL_WITH_LABELS,
            place=self._model.place,
            anyway=self._model.anyway,
        )
        return Job(settings, poller=TimerPoller())

    def _onPredicted(self, _news: Any) -> Work:
        yield from self._prediction.loading()
        self._model.wasRun(self.model)
        self.update()
        if self._logic.remarks:
            say(self._ui.truthMessage, " ".join(self._logic.remarks))
