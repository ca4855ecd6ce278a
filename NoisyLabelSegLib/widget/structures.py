"""One structure of a case after the other: figures, errors and views are about it, the others are half transparent."""

from __future__ import annotations

from typing import Any

import slicer
from slicer.i18n import tr as _

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.annotators_logic import AnnotatorsLogic
from NoisyLabelSegLib.widget.case_logic import CaseLogic

FAINT = 0.5


class Structures:
    """`changed` follows another structure; `current` is its name, empty for all of them."""

    def __init__(self, case: CaseLogic, annotators: AnnotatorsLogic) -> None:
        self.changed: Signal[None] = Signal()
        self._case, self._annotators = case, annotators
        case.changed.connect(lambda _news: self._forget())

    @property
    def names(self) -> tuple[str, ...]:
        return self._case.classes[1:] if self._case.isOpen and self._case.isReady else ()

    @property
    def current(self) -> str:
        return self._annotators.shownClass

    def step(self, by: int) -> str:
        """Shows the next (`by` 1) or previous (-1) structure, around the ends; returns its name."""
        names = self.names
        if len(names) < 2:
            raise UserError(_("There is one structure only"))
        place = names.index(self.current) + by if self.current in names else 0 if by > 0 else -1
        self.show(names[place % len(names)])
        return self.current

    def show(self, name: str) -> None:
        """Shows a structure, or all of them for an empty name."""
        self._annotators.shownClass = name
        for node in self._case.folder.nodes(Role.TRUTH, Role.ANNOTATOR, Role.OUTLINE):
            if node.IsA("vtkMRMLSegmentationNode"):
                _fade(node, name)
        if name:
            self._jumpTo(name)
        self._annotators.reviewed.emit(None)  # the figures and errors are about another class now
        self.changed.emit(None)

    def _jumpTo(self, name: str) -> None:
        truth = self._case.folder.find(Role.TRUTH)
        if truth is None:
            return
        id = truth.GetSegmentation().GetSegmentIdBySegmentName(name)
        center = truth.GetSegmentCenterRAS(id) if id else None
        if center is not None:
            mode = slicer.vtkMRMLSliceNode.OffsetJumpSlice
            slicer.vtkMRMLSliceNode.JumpAllSlices(self._case.folder.scene, *center, mode)

    def _forget(self) -> None:
        """Another case, or other classes."""
        if self.current and self.current not in self.names:
            self._annotators.shownClass = ""
        self.changed.emit(None)


def _fade(node: Any, name: str) -> None:
    """Half transparent lines for all segments but that of this name."""
    display, segmentation = node.GetDisplayNode(), node.GetSegmentation()
    if display is None:
        return
    for id in segmentation.GetSegmentIDs():
        isCurrent = not name or segmentation.GetSegment(id).GetName() == name
        display.SetSegmentOpacity2DOutline(id, 1.0 if isCurrent else FAINT)
        display.SetSegmentOpacity2DFill(id, 1.0 if isCurrent else FAINT)
        display.SetSegmentOpacity3D(id, 1.0 if isCurrent else FAINT)
