"""Notices when somebody edits the truth or an annotator's outlines, in Segment Editor or anywhere else."""

from __future__ import annotations

from typing import Any

import slicer

from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.truth_record import modified_time
from NoisyLabelSegLib.signals import Signal
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.once import Once

QUIET_MILLISECONDS = 300
"""Edits are taken up when nothing has changed for so long: a stroke changes the voxels many times."""


class EditWatch:
    """`truthEdited` and `outlinesEdited` follow an edit in a moment; while paused, as soon as the panel is back."""

    def __init__(self, case: CaseLogic) -> None:
        self.truthEdited: Signal[None] = Signal()
        self.outlinesEdited: Signal[None] = Signal()
        self._case = case
        self._observed: list[tuple[Any, int]] = []
        self._stamps: dict[str, int] = {}
        self._truthStamp = 0
        self._isPaused = False
        self._timer = Once(self.look, QUIET_MILLISECONDS)

    @property
    def isWaiting(self) -> bool:
        """Whether an edit is about to be told of."""
        return self._timer.isWaiting

    def follow(self) -> None:
        """Observes the nodes of the open case as they are now."""
        self.forget()
        if not self._case.isOpen:
            return
        segmentation = slicer.vtkSegmentation
        events = [
            segmentation.SourceRepresentationModified,
            segmentation.SegmentModified,
            slicer.vtkMRMLVolumeNode.ImageDataModifiedEvent,
            "ModifiedEvent",  # what slicer.util.arrayFromVolumeModified() sends
        ]
        for node in {node.GetID(): node for node in (*self._nodes(), self._truth()) if node is not None}.values():
            self._observed += [(node, node.AddObserver(event, self._onModified)) for event in events]
        self._stamps, self._truthStamp = self._outlines(), self._time(self._truth())

    def look(self) -> None:
        """Tells everyone what has been edited since the last time."""
        if self._isPaused or not self._case.isOpen or not self._case.isReady:
            return
        outlines, truth = self._outlines(), self._time(self._truth())
        hasOutlines, hasTruth = outlines != self._stamps, truth != self._truthStamp
        self._stamps, self._truthStamp = outlines, truth
        if hasTruth:
            self.truthEdited.emit(None)
        if hasOutlines:
            self.outlinesEdited.emit(None)

    def hasEditedOutlines(self) -> bool:
        """Whether outlines were edited that nobody has been told of."""
        return self._case.isOpen and bool(self._stamps) and self._outlines() != self._stamps

    def pause(self, *, paused: bool) -> None:
        """While another module is in front, nothing is done: people paint there."""
        self._isPaused = paused
        if not paused:
            self.look()

    def forget(self) -> None:
        self._timer.stop()
        for node, tag in self._observed:
            node.RemoveObserver(tag)
        self._observed = []
        self._stamps, self._truthStamp = {}, 0  # the nodes of another scene have the same IDs

    def _onModified(self, _caller: Any, _event: str) -> None:
        self._timer.start()

    def _truth(self) -> Any:
        return self._case.folder.find(Role.TRUTH)

    def _nodes(self) -> list[Any]:
        return [source.node for source in self._case.sources]

    def _outlines(self) -> dict[str, int]:
        return {node.GetID(): modified_time(node) for node in self._nodes()}

    @staticmethod
    def _time(node: Any) -> int:
        return 0 if node is None else modified_time(node)
