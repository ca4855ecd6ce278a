"""The two sections of reader studies, below the others: agreement of readers, and the worklist of one of them."""

from __future__ import annotations

from typing import Any

import slicer

from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.widget.agreement_logic import AgreementLogic
from NoisyLabelSegLib.widget.agreement_section import AgreementSection
from NoisyLabelSegLib.widget.case_logic import CaseLogic
from NoisyLabelSegLib.widget.opening import Opening
from NoisyLabelSegLib.widget.worklist_logic import WorklistLogic
from NoisyLabelSegLib.widget.worklist_section import WorklistSection, showInViews

SECTIONS = ("AgreementSection", "WorklistSection")


class ReaderStudy:
    """Lives as long as the panel; `layout` ends with a stretch, above which the sections go."""

    def __init__(self, layout: Any, scene: Any, case: CaseLogic, opening: Opening) -> None:
        self._widgets = [slicer.util.loadUI(str(resource_path(f"UI/{name}.ui"))) for name in SECTIONS]
        uis = []
        for widget in self._widgets:
            layout.insertWidget(layout.count() - 1, widget)
            uis.append(slicer.util.childWidgetVariables(widget))
            widget.setMRMLScene(scene)
        self.agreementWidget = self._widgets[0]
        self.agreementSection = AgreementSection(uis[0], AgreementLogic(scene, case, opening.openedStudy))
        self.worklistSection = WorklistSection(uis[1], WorklistLogic(scene), showInViews)
        case.changed.connect(lambda _news: self.agreementSection.update())

    def leaveScene(self) -> None:
        """Ends what runs and saves the case of the worklist: the scene goes away."""
        self.agreementSection.leaveScene()
        self.worklistSection.leaveScene()
