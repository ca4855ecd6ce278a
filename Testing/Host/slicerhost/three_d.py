"""A 3D view: the models of the scene and their legends, drawn by Slicer's own displayable managers."""

from __future__ import annotations

from typing import Any

import slicer

from slicerhost.rendered import RenderedLabel

_SIDE = (1.0, 1.0, 0.6)
"""From where the camera looks: the patient's left, front and top."""


class ThreeD(RenderedLabel):
    def __init__(self) -> None:
        from NoisyLabelSegLib.scene.offscreen import _window

        window, self._renderer = _window((400, 400))
        super().__init__(window)
        self._renderer.SetBackground(0.76, 0.76, 0.91)  # of Slicer's 3D views
        self._seen = ""
        self._managers = slicer.vtkMRMLDisplayableManagerGroup()
        self._managers.SetRenderer(self._renderer)
        for kind in (slicer.vtkMRMLModelDisplayableManager, slicer.vtkMRMLColorLegendDisplayableManager):
            manager = kind()
            manager.SetMRMLApplicationLogic(slicer.app.applicationLogic())
            self._managers.AddDisplayableManager(manager)

    def follow(self) -> None:
        """Looks at the scene as it is now; a scene that was closed has another view node."""
        node = slicer.mrmlScene.GetFirstNodeByClass("vtkMRMLViewNode")
        if node is None:
            node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLViewNode")
        if self._managers.GetMRMLDisplayableNode() is not node:
            self._managers.SetMRMLDisplayableNode(node)

    @property
    def has_models(self) -> bool:
        return bool(_shown())

    def draw(self) -> None:
        names = " ".join(node.GetName() for node in _shown())
        if names != self._seen:
            self._seen = names
            _look_at_everything(self._renderer)
        super().draw()

    def close_view(self) -> None:
        self._managers.SetMRMLDisplayableNode(None)


def _shown() -> list[Any]:
    models = slicer.mrmlScene.GetNodesByClass("vtkMRMLModelNode")
    models.UnRegister(None)
    displays = ((model, model.GetDisplayNode()) for model in models)
    return [node for node, display in displays if display and display.GetVisibility() and display.GetVisibility3D()]


def _look_at_everything(renderer: Any) -> None:
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(0.0, 0.0, 0.0)
    camera.SetPosition(*_SIDE)
    camera.SetViewUp(0.0, 0.0, 1.0)
    renderer.ResetCamera()
