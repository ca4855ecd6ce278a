"""A reader's package: opens one case after the other, keeps the time, and writes what was drawn into the package."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.cases import Study, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.reader_study import Worklist
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.loading import loadCase, showOutlinesOf
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.sources import AnnotatorSource, labelsOnGrid

LONGEST_GAP_SECONDS = 30.0
"""A longer time between two ticks was not spent on the case: the computer slept."""


class WorklistLogic:
    """`worklist` is None until a package is opened; `place` is the one of the case that is shown."""

    def __init__(self, scene: Any, clock: Callable[[], float] = time.monotonic) -> None:
        self._scene, self._clock = scene, clock
        self.worklist: Worklist | None = None
        self.place = 0
        self.folder: CaseFolder | None = None
        self._study: Study | None = None
        self._last: float | None = None
        self._seconds = 0.0

    @property
    def isOpen(self) -> bool:
        return self.worklist is not None and self.folder is not None

    @property
    def current(self) -> Worklist:
        if self.worklist is None:
            raise UserError("No package is open", remedy="choose the folder that was handed out to you")
        return self.worklist

    @property
    def seconds(self) -> float:
        """The time spent on the case that is shown, now and before."""
        return (self.current.entries[self.place].seconds or 0.0) + self._seconds

    def open(self, path: str | Path) -> CaseFolder:
        """Opens a package at the first case that is not finished, and returns the case's nodes."""
        worklist = Worklist.read(path)
        study = Study.read(worklist.folder)
        known = {case.id for case in study.cases}
        if any(entry.id not in known for entry in worklist.entries):
            raise UserError(
                "names a case that the package does not hold", file=worklist.path, remedy="ask for it again"
            )
        self.worklist, self._study = worklist, study
        return self._show(worklist.next_open)

    def step(self, by: int) -> CaseFolder:
        """Saves the case that is shown and opens another one; at the ends of the list nothing changes."""
        self.save()
        return self._show(min(max(self.place + by, 0), len(self.current.entries) - 1))

    def finish(self, *, finished: bool) -> None:
        """Says whether the case that is shown is finished, and saves it."""
        self.worklist = self.current.done(self.place, finished=finished)
        self.save()

    def tick(self, *, isWorking: bool) -> None:
        """Counts the time since the last tick where somebody is working; called about once a second."""
        now = self._clock()
        if isWorking and self._last is not None:
            self._seconds += min(now - self._last, LONGEST_GAP_SECONDS)
        self._last = now if isWorking else None

    def save(self) -> None:
        """Writes the labels that were drawn, and the time, into the package."""
        self.worklist = self.current.worked(self.place, self._seconds)
        self._seconds = 0.0
        self._writeLabels()
        self.worklist.write()

    def leaveScene(self) -> None:
        """Forgets the nodes; what was saved stays in the package."""
        self.worklist, self.folder, self._study, self._last, self._seconds = None, None, None, None, 0.0

    def _show(self, place: int) -> CaseFolder:
        assert self._study is not None
        shown, case = self.folder, self._study.case(self.current.entries[place].id)
        self.worklist = self.current.begun(place, datetime.now())
        self.folder = loadCase(
            self._scene, case, self._study.classes, study=self._study.name, annotators=self._study.annotators
        )
        showOutlinesOf(self.folder)
        if shown is not None and shown.case != self.folder.case:
            shown.remove()  # a package can be larger than the memory
        self.place, self._seconds, self._last = place, 0.0, None
        return self.folder

    @property
    def drawing(self) -> Any:
        """The segmentation node that the reader draws in."""
        assert self.folder is not None
        return self.folder.find(Role.ANNOTATOR, annotator=self.current.reader)

    def _writeLabels(self) -> None:
        assert self.folder is not None
        assert self._study is not None
        node, image = self.drawing, self.folder.image
        if node is None or image is None:
            raise UserError(
                "The image or the segmentation of this case was deleted", remedy="open the package again to load it"
            )
        source = AnnotatorSource(self.current.reader, node)
        classes = self._study.classes
        known = (classes[0], self.current.reader) if len(classes) == 2 else classes
        labels = labelsOnGrid(source, image, known).labels
        case = self._study.case(self.folder.case)
        write_labels(self.current.labels_file(self.place), labels.reshape(case.geometry.shape), case.geometry)
