"""The section that says what lies over the image, and how errors are drawn."""

from __future__ import annotations

from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.scene.nodes import Role, Tag
from NoisyLabelSegLib.widget.display_logic import DisplayLogic, Overlay
from NoisyLabelSegLib.widget.steps import Steps, saidIn, say

BOXES = {"paperColorsBox": "paperColors", "filledBox": "filled", "correctBox": "correct", "planesBox": "planes"}


class DisplaySection:
    """`confidenceBox` is that of the truth's section: the two always say the same."""

    def __init__(self, ui: Any, logic: DisplayLogic, confidenceBox: Any) -> None:
        self._ui, self._logic, self._confidenceBox = ui, logic, confidenceBox
        self._steps = Steps(ui.displayMessage)
        self._surfaceSteps = Steps(ui.displayMessage)
        self._legendIsOut = False
        for overlay, title in _titles().items():
            ui.overlaySelector.addItem(title, overlay.value)
        self._show()
        ui.overlaySelector.activated.connect(self.onOverlay)
        confidenceBox.toggled.connect(self.onConfidence)
        for name in BOXES:
            getattr(ui, name).toggled.connect(self.onStyle)
        ui.opacitySlider.valueChanged.connect(self.onOpacity)
        ui.surfaceBox.toggled.connect(self.onSurface)
        logic.changed.connect(lambda _news: self._show())
        logic.outdated.connect(self._choose)
        logic.errorsShown.connect(lambda _news: self._onErrorsShown())
        logic.placer.hidden.connect(self._onLegend)

    def onOverlay(self) -> None:
        """Shows what was chosen, or says why not."""
        combo = self._ui.overlaySelector
        overlay = Overlay(str(combo.itemData(combo.currentIndex)))
        problem = self._logic.problem(overlay)
        if problem:
            say(self._ui.displayMessage, problem)
            self._show()
        else:
            self._choose(overlay)

    def onConfidence(self) -> None:
        """The box of the truth's section lays the confidence over the image, or takes it away, by itself."""
        isShown = bool(self._confidenceBox.checked)
        if isShown != (self._logic.overlay is Overlay.CONFIDENCE):
            self._choose(Overlay.CONFIDENCE if isShown else Overlay.ERRORS)

    def onStyle(self) -> None:
        choices = self._logic.choices
        new = {field: bool(getattr(self._ui, name).checked) for name, field in BOXES.items()}
        changed = {field: value for field, value in new.items() if value != getattr(choices, field)}
        if changed:
            with saidIn(self._ui.displayMessage):
                self._logic.choose(**changed)

    def onOpacity(self) -> None:
        opacity = round(self._ui.opacitySlider.value)
        if opacity != self._logic.choices.opacity:
            self._logic.choose(opacity=opacity)

    def onSurface(self) -> None:
        work = self._logic.showingSurface(shown=self._ui.surfaceBox.checked)
        self._surfaceSteps.run(work, large=self._logic.isLarge)

    def _onErrorsShown(self) -> None:
        if self._ui.surfaceBox.checked:
            self.onSurface()

    def setActive(self, *, active: bool) -> None:
        if active:
            self._logic.placer.follow()
        else:
            self._logic.placer.stop()

    def leaveScene(self) -> None:
        self._steps.cancel()
        self._surfaceSteps.cancel()
        self._logic.leaveScene()
        self._ui.surfaceBox.checked = False
        self._show()

    def _choose(self, overlay: Overlay) -> None:
        say(self._ui.displayMessage, "")
        self._steps.run(self._logic.showing(overlay), large=self._logic.isLarge)

    def _show(self) -> None:
        """Lets the controls say what is shown."""
        ui, logic = self._ui, self._logic
        ui.overlaySelector.currentIndex = ui.overlaySelector.findData(logic.overlay.value)
        if bool(self._confidenceBox.checked) != (logic.overlay is Overlay.CONFIDENCE):
            self._confidenceBox.checked = logic.overlay is Overlay.CONFIDENCE
        for name, field in BOXES.items():
            getattr(ui, name).checked = getattr(logic.choices, field)
        ui.opacitySlider.value = logic.choices.opacity
        isErrors = logic.overlay is Overlay.ERRORS
        for control in (ui.filledBox, ui.correctBox, ui.paperColorsBox, ui.opacitySlider):
            control.enabled = isErrors
        self._sayLegend()

    def _onLegend(self, volume: Any) -> None:
        """Colors are named here while their legend would cover what it explains."""
        tag = None if volume is None else Tag.read(volume)
        self._legendIsOut = tag is not None and tag.role is Role.ERRORS
        self._sayLegend()

    def _sayLegend(self) -> None:
        isNeeded = self._legendIsOut and self._logic.overlay is Overlay.ERRORS
        squares = [f'<span style="color: {color.css}">&#9632;</span> {_(color.name)}' for color in self._logic.colors]
        say(self._ui.legendText, " &nbsp; ".join(squares) if isNeeded else "")


def _titles() -> dict[Overlay, str]:
    return {
        Overlay.ERRORS: _("Errors of the annotator"),
        Overlay.AGREEMENT: _("How many marked it"),
        Overlay.DISAGREEMENT: _("Disagreement (entropy)"),
        Overlay.CONFIDENCE: _("How sure the estimate is"),
        Overlay.NOTHING: _("Nothing"),
    }
