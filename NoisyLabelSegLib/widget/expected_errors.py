"""Maps of the errors that a trained model expects of an annotator, over the image."""

from __future__ import annotations

from typing import Any

import slicer

from NoisyLabelSegLib.scene.colors import showLegend
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.results import EXPECTED_KINDS
from NoisyLabelSegLib.scene.views import ReviewViews
from NoisyLabelSegLib.widget.case_logic import CaseLogic


class ExpectedErrors:
    """The maps that the scene holds for the open case."""

    def __init__(self, case: CaseLogic, views: ReviewViews) -> None:
        self._case, self._views = case, views

    def kinds(self, annotator: str) -> list[str]:
        """The kinds of expected errors that there are maps of for this annotator."""
        return [kind for kind in EXPECTED_KINDS if self._case.isOpen and self._find(annotator, kind) is not None]

    def show(self, annotator: str, kind: str) -> None:
        """Lays a map over the image, in place of the observed errors."""
        node = self._find(annotator, kind)
        if node is not None:
            for errors in self._case.folder.nodes(Role.ERRORS):
                showLegend(errors, visible=False)
            slicer.util.setSliceViewerLayers(label=None)
            self._views.showHeatMap(node)

    def _find(self, annotator: str, kind: str) -> Any:
        return self._case.folder.find(Role.EXPECTED_ERRORS, annotator=annotator, label=kind)
