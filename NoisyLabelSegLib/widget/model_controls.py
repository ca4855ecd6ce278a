"""What people see of a chosen model and choose about it: its card, where its object is, whether to run it anyway."""

from __future__ import annotations

from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.widget.models import Model

POINTS, BOX = "vtkMRMLMarkupsFiducialNode", "vtkMRMLMarkupsROINode"


class ModelControls:
    """Shows the controls that a model needs and hides the others."""

    def __init__(self, ui: Any) -> None:
        self._ui = ui
        self._model: Model | None = None
        self._wasRun: set[str] = set()

    @property
    def place(self) -> dict[str, tuple[float, ...]]:
        """The settings `at` or `roi` of a prediction; empty for a model of whole images and where nothing is placed."""
        return placeOf(self._ui.placeSelector.currentNode()) if self._model is not None and self._model.object else {}

    @property
    def anyway(self) -> bool:
        """Whether to run the model on a scan that it is not for."""
        return self._model is not None and self._model.hasScope and bool(self._ui.anywayBox.checked)

    def show(self, model: Model | None) -> None:
        """What there is to know and to choose about a model; its card until it has been run. None hides everything."""
        self._model = model
        self._ui.modelCard.visible = model is not None and bool(model.card) and model.path not in self._wasRun
        if model is not None and self._ui.modelCard.plainText != model.card:
            self._ui.modelCard.plainText = model.card
        picksObject = model is not None and bool(model.object)
        for widget in (self._ui.placeSelectorLabel, self._ui.placeSelector, self._ui.placeButton):
            widget.visible = picksObject
        self._ui.anywayBox.visible = model is not None and model.hasScope

    def wasRun(self, path: str) -> None:
        """The model of this path has answered: its card need not be shown any more."""
        self._wasRun.add(path)

    def onPlace(self) -> None:
        """Lets the next click into a view place the point that says where the object is."""
        name = self._model.object if self._model is not None else _("object")
        self._ui.placeSelector.setCurrentNode(startPlacing(slicer.mrmlScene, name))


def placeOf(node: Any) -> dict[str, tuple[float, ...]]:
    """The settings `at` or `roi` of a prediction, in RAS mm, from a markups node; empty where nothing is placed."""
    if node is None:
        return {}
    if node.IsA(BOX):
        bounds = [0.0] * 6
        node.GetRASBounds(bounds)
        low, high = bounds[0::2], bounds[1::2]
        return {"roi": (*low, *high)} if all(a < b for a, b in zip(low, high, strict=True)) else {}
    count = node.GetNumberOfControlPoints()
    placed = [
        number for number in range(count) if node.GetNthControlPointPositionStatus(number) == node.PositionDefined
    ]
    if not placed:
        return {}
    point = [0.0, 0.0, 0.0]
    node.GetNthControlPointPositionWorld(placed[-1], point)
    return {"at": tuple(point)}


def startPlacing(scene: Any, name: str) -> Any:
    """Adds a list of points and lets the next click into a view place one; returns the node."""
    node = scene.AddNewNodeByClass(POINTS, name)
    node.CreateDefaultDisplayNodes()
    logic = slicer.app.applicationLogic()
    selection, interaction = logic.GetSelectionNode(), logic.GetInteractionNode()
    selection.SetReferenceActivePlaceNodeClassName(POINTS)
    selection.SetActivePlaceNodeID(node.GetID())
    interaction.SetPlaceModePersistence(0)
    interaction.SetCurrentInteractionMode(interaction.Place)
    return node
