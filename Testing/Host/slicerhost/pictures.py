"""Pictures of every section beside the views; QT_SCALE_FACTOR=1.5 in the environment makes them at 150 %."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QPushButton

from slicerhost import start
from slicerhost.looks import look
from slicerhost.settings import keep_settings_in
from slicerhost.stage import Stage

NODULE_SEED = 301
MODEL = "models/demo-nodules.nlseg"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--train", action="store_true", help="also train a tiny model and show its curves")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    host = start()
    look(host.qt_application, dark=arguments.dark)
    with tempfile.TemporaryDirectory() as place:
        keep_settings_in(Path(place))
        folder = arguments.folder.resolve()
        os.chdir(place)  # so that no path of this computer is in a picture
        Story(host, folder).tell(train=arguments.train)


class Story(Stage):
    """Walks through the panel and takes a picture at every stop."""

    def tell(self, *, train: bool) -> None:
        panel, annotators = self._panel, self._panel.annotatorsSection._ui
        self._picture("empty", "caseSection")
        panel.caseSection._ui.demoButton.click()
        self._host.wait_for(lambda: panel.annotators.review is not None)
        self._picture("case", "caseSection")
        panel.truthSection._ui.confidenceBox.setChecked(True)
        self._picture("truth", "truthSection")
        panel.truthSection._ui.confidenceBox.setChecked(False)
        self._choose("model")
        self._picture("model", "truthSection")
        self._choose("majority")  # STAPLE would take too large a truth with these annotators
        annotators.statisticsTable.selectRow(panel.case.annotators.index("under"))
        annotators.nextButton.click()
        self._picture("annotators", "annotatorsSection")
        annotators.oneViewEachBox.setChecked(True)
        self._picture("each", "annotatorsSection")
        annotators.oneViewEachBox.setChecked(False)
        self._host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
        self._host.qt_application.processEvents()  # the views are put at the error once more
        self._adjudicate()
        if train:
            self._train()
        self._open("trainSection")
        self._picture("train", "trainSection")
        self._open("exportSection")
        self._picture("export", "exportSection")
        self._expect()
        self._module.cleanup()

    def _adjudicate(self) -> None:
        """Decisions, hidden names, a conflict with another adjudicator, and the truth signed off."""
        ui = self._panel.adjudicationSection._ui
        for section in ("caseSection", "annotatorsSection", "displaySection"):
            self._close(section)
        ui.adjudicatorEdit.setText("Dr. Ann Example")
        self._open("adjudicationSection")
        ui.majorityButton.click()
        ui.readersArea.findChildren(QPushButton)[0].click()
        self._picture("adjudication", "adjudicationSection")
        ui.hideNamesBox.setChecked(True)
        self._picture("hidden", "adjudicationSection")
        ui.hideNamesBox.setChecked(False)
        self._differ(Path("decisions.json"))
        self._picture("conflict", "adjudicationSection")
        ui.estimateChoiceButton.click()
        self._host.answers.consents.append(True)
        ui.signOffButton.click()
        self._picture("signed", "adjudicationSection")
        self._close("adjudicationSection")
        self._open("annotatorsSection")

    def _differ(self, file: Path) -> None:
        """Compares with an adjudicator who decided otherwise about the first disagreement."""
        ui, answers = self._panel.adjudicationSection._ui, self._host.answers
        answers.paths.extend([str(file), str(file)])
        ui.saveDecisionsButton.click()
        content = json.loads(file.read_text(encoding="utf-8"))
        content["decisions"][0] |= {"choice": "unclear", "by": "Dr. Ben Example"}
        file.write_text(json.dumps(content), encoding="utf-8")
        ui.mergeButton.click()

    def _train(self) -> None:
        from NoisyLabelSegLib.simulation import SimulationSettings

        panel, ui = self._panel, self._panel.trainSection._ui
        _simulate("nodules", SimulationSettings(cases=12, seed=1, size=(48, 48, 16), panel="paper"))
        self._open("trainSection")
        ui.sourceSelector.setProperty("currentIndex", ui.sourceSelector.findData("study"))
        ui.studyPath.currentPath = "nodules"
        ui.presetSelector.setProperty("currentIndex", ui.presetSelector.findText("quick"))
        ui.epochsBox.setProperty("value", 12)
        ui.runPath.currentPath = "my-model"
        ui.trainButton.click()
        self._host.wait_for(lambda: len(panel.trainSection._logic._steps) > 7 or not panel.trainSection._job.running)
        self._picture("training", "trainSection")
        self._host.wait_for(lambda: not panel.trainSection._job.running)

    def _expect(self) -> None:
        """What the shipped model expects of its annotators, on a phantom of the kind that it knows."""
        from NoisyLabelSegLib.resources import resource_path
        from NoisyLabelSegLib.simulation import SimulationSettings

        panel, truth, annotators = self._panel, self._panel.truthSection._ui, self._panel.annotatorsSection._ui
        _simulate("nodule", SimulationSettings(cases=1, seed=NODULE_SEED, panel="paper"))
        self._close("trainSection")
        self._close("exportSection")
        panel.opening.openPath(Path("nodule"))
        self._choose("model")
        truth.modelSelector.setProperty("currentIndex", truth.modelSelector.findData(str(resource_path(MODEL))))
        truth.estimateButton.click()
        self._host.wait_for(lambda: not panel.truthSection._job.running)
        self._host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
        annotators.statisticsTable.selectRow(panel.case.annotators.index("under"))
        annotators.nextButton.click()
        annotators.errorTabs.setProperty("currentIndex", 1)
        kinds = annotators.expectedSelector
        kinds.setProperty("currentIndex", kinds.findData("false negative"))
        panel.annotatorsSection.onExpected()
        self._picture("expected", "annotatorsSection")


def _simulate(folder: str, settings: Any) -> None:
    """A study of phantom nodules in a folder below the current one."""
    from NoisyLabelSegLib.simulation import phantom_recipe, simulate_study

    simulate_study(phantom_recipe("nodules", settings), Path(folder), settings)


if __name__ == "__main__":
    main()
