"""The section that shows two references side by side."""

from __future__ import annotations

from typing import Any

from slicer.i18n import tr as _

from NoisyLabelSegLib.review.compare.references import ReferenceComparison
from NoisyLabelSegLib.widget.compare_logic import CompareLogic
from NoisyLabelSegLib.widget.once import Once
from NoisyLabelSegLib.widget.steps import Steps, explain, saidIn, say
from NoisyLabelSegLib.widget.work import Work


class CompareSection:
    """Offers what there is; keeps the choice as long as it is there."""

    def __init__(self, ui: Any, logic: CompareLogic) -> None:
        self._ui, self._logic = ui, logic
        self._steps = Steps(ui.compareMessage)
        self._settle = Once(logic.settle)
        ui.compareButton.clicked.connect(self.onCompare)
        ui.compareBackButton.clicked.connect(self.onBack)
        self.update()

    def update(self) -> None:
        """Shows what can be compared now."""
        choices = self._logic.choices()
        for place, combo in enumerate((self._ui.firstSelector, self._ui.secondSelector)):
            before = combo.itemData(combo.currentIndex) if combo.count else None
            combo.clear()
            for name, title in choices:
                combo.addItem(title, name)
            found = -1 if before is None else combo.findData(before)
            combo.currentIndex = found if found >= 0 else min(place, combo.count - 1)
        reason = "" if len(choices) > 1 else _("Open a case with annotators first.")
        explain(self._ui.compareButton, reason, _("Shows both references in linked views, with their differences."))
        back = "" if self._logic.isShown else _("Nothing is compared now.")
        explain(self._ui.compareBackButton, back, _("Brings the views back that were there before."))

    def onCompare(self) -> None:
        first, second = (
            str(combo.itemData(combo.currentIndex)) for combo in (self._ui.firstSelector, self._ui.secondSelector)
        )
        say(self._ui.compareMessage, "")
        self._steps.run(self._comparing(first, second), large=self._logic.isLarge)

    def onBack(self) -> None:
        with saidIn(self._ui.compareMessage):
            self._logic.back()
        say(self._ui.compareText, "")
        self.update()

    def leaveScene(self) -> None:
        self._steps.cancel()
        self._settle.stop()
        self._logic.forget()
        say(self._ui.compareText, "")

    def _comparing(self, first: str, second: str) -> Work:
        found = yield from self._logic.comparing(first, second)
        self._settle.start()
        say(self._ui.compareText, _sentence(found))
        self.update()


def _sentence(found: ReferenceComparison) -> str:
    text = _("Dice {dice:.3f}; only in the first {first:.3g} ml, only in the second {second:.3g} ml.")
    sentences = [text.format(dice=found.dice, first=found.only_first_ml, second=found.only_second_ml)]
    if len(found.dice_of_classes) > 1:
        each = ", ".join(f"{name} {value:.3f}" for name, value in found.dice_of_classes.items())
        text = _("Dice of the classes: {each}; another class in {other:.3g} ml.")
        sentences.append(text.format(each=each, other=found.other_class_ml))
    return " ".join(sentences)
