"""The actions of an adjudication that `bench panel` times on a large case."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.panel_actions import listen, written_study


class LargeAdjudication:
    """Goes through what an adjudicator does with a case of 512 x 512 x 200 voxels and five annotators."""

    def __init__(self, host: Any, panel: Any, heartbeat: Callable[[], Any]) -> None:
        self._host, self._panel, self._heartbeat = host, panel, heartbeat

    def heard(self) -> dict[str, Any]:
        """A heartbeat for every action: by how much the event loop was late, again and again."""
        self._panel.annotatorsSection._ui.annotatorsSection.collapsed = True  # its review is timed elsewhere
        with tempfile.TemporaryDirectory(prefix="noisylabelseg-bench-") as folder:
            self._panel.opening.openPath(written_study(Path(folder) / "study"))
            self._host.wait_for(self._at_rest)
            return {
                what: listen(self._host, self._heartbeat(), act, self._at_rest)
                for what, act in self._actions(Path(folder))
            }

    def _at_rest(self) -> bool:
        panel = self._panel
        isReady = panel.case.isOpen and panel.case.isReady and panel.truth.truth is not None
        isDone = not panel.truthSection._steps.running and not panel.watch.isWaiting
        section = panel.adjudicationSection
        isListed = section._ui.adjudicationSection.collapsed or panel.adjudication.session is not None
        return bool(isReady and isDone and isListed and not section.running)

    def _actions(self, folder: Path) -> list[tuple[str, Callable[[], Any]]]:
        panel, ui = self._panel, self._panel.adjudicationSection._ui
        panel.adjudication.setAdjudicator("Ann")
        methods = panel.truthSection._ui.methodSelector
        self._host.answers.consents.extend([True])
        self._host.answers.paths.append(str(folder / "decisions" / "decisions.json"))
        return [
            ("an annotator as the reference", lambda: _choose(methods, "Reference: annotator1")),
            ("back to the estimate", lambda: _choose(methods, "Weighted majority")),
            ("list the disagreements", lambda: setattr(ui.adjudicationSection, "collapsed", False)),
            ("take a reader", lambda: panel.adjudicationSection._take(0)),
            ("take the majority", ui.majorityButton.click),
            ("edit the truth", self._edit),
            ("undo", ui.undoButton.click),
            ("next undecided", ui.nextUndecidedButton.click),
            ("save the decisions", ui.saveDecisionsButton.click),
            ("sign off", ui.signOffButton.click),
        ]

    def _edit(self) -> None:
        """Writes some voxels into the truth's own labelmap, as an effect of Segment Editor does."""
        from NoisyLabelSegLib.scene.arrays import arrayFromImage
        from NoisyLabelSegLib.scene.nodes import Role
        from NoisyLabelSegLib.scene.segments import BINARY_LABELMAP

        node = self._panel.case.folder.find(Role.TRUTH)
        image = node.GetSegmentation().GetNthSegment(0).GetRepresentation(BINARY_LABELMAP)
        voxels = arrayFromImage(image)
        middle = tuple(slice(length // 2, length // 2 + 4) for length in voxels.shape)
        voxels[middle] = 1 - int(np.max(voxels[middle]))
        image.GetPointData().GetScalars().Modified()
        image.Modified()
        node.GetSegmentation().InvokeEvent(node.GetSegmentation().SourceRepresentationModified)
        node.InvokeEvent(node.GetSegmentation().SourceRepresentationModified)


def _choose(combo: Any, title: str) -> None:
    combo.setProperty("currentIndex", combo.findText(title))
