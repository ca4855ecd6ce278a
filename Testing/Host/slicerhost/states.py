"""Pictures of the states in which people see the panel: maps, many readers, several classes, practice, an error.

    cd Testing/Host && python -m slicerhost.states FOLDER [--dark] [--data FOLDER]

QT_SCALE_FACTOR=1.5 in the environment makes them at 150 %. A folder of data with an LIDC nodule adds that.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import slicer

from slicerhost import start
from slicerhost.looks import look
from slicerhost.settings import keep_settings_in
from slicerhost.stage import Stage

LIDC = "lidc-nodules-3d/LIDC-IDRI-0015_nodule0"
SECTIONS = (
    *("caseSection", "truthSection", "annotatorsSection", "displaySection", "classesSection", "compareSection"),
    *("adjudicationSection", "practiceSection", "studySection", "trainSection", "exportSection"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--data", type=Path, help="a folder with real scans")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    nodule = None if arguments.data is None else (arguments.data / LIDC).resolve()
    host = start()
    look(host.qt_application, dark=arguments.dark)
    with tempfile.TemporaryDirectory() as place:
        keep_settings_in(Path(place))
        os.chdir(place)  # so that no path of this computer is in a picture
        States(host, folder).show(nodule if nodule is not None and nodule.is_dir() else None)


class States(Stage):
    """Brings the panel into one state after the other."""

    def show(self, nodule: Path | None) -> None:
        self._demo()
        self._references()
        self._practice()
        self._error()
        self._classes()
        self._many_readers()
        if nodule is not None:
            self._nodule(nodule)
        self._module.cleanup()

    def _demo(self) -> None:
        panel, ui = self._panel, self._panel.displaySection._ui
        panel.caseSection._ui.demoButton.click()
        self._reviewed()
        self._select("under")
        panel.annotatorsSection._ui.nextButton.click()
        self._only("displaySection")
        ui.filledBox.setChecked(False)
        self._picture("outlines", "displaySection")
        ui.filledBox.setChecked(True)
        ui.paperColorsBox.setChecked(True)
        self._picture("paper", "displaySection")
        ui.paperColorsBox.setChecked(False)
        for overlay in ("agreement", "disagreement", "confidence", "errors"):
            self._overlay(overlay)
            self._picture(overlay, "displaySection")
        ui.surfaceBox.setChecked(True)
        self._host.wait_for(lambda: not panel.displaySection._surfaceSteps.running)
        self._picture("surface", "displaySection")
        ui.surfaceBox.setChecked(False)

    def _references(self) -> None:
        panel, ui = self._panel, self._panel.compareSection._ui
        self._only("compareSection")
        ui.firstSelector.setProperty("currentIndex", ui.firstSelector.findData("majority"))
        ui.secondSelector.setProperty("currentIndex", ui.secondSelector.findData("staple"))
        ui.compareButton.click()
        self._host.wait_for(lambda: panel.compareSection._logic.isShown)
        self._picture("references", "compareSection")
        ui.compareBackButton.click()

    def _practice(self) -> None:
        from NoisyLabelSegLib.scene.nodes import Role
        from NoisyLabelSegLib.scene.segments import fillSegmentation

        panel, ui = self._panel, self._panel.practiceSection._ui
        editor = SimpleNamespace(setSegmentationNode=lambda _node: None, setSourceVolumeNode=lambda _node: None)
        self._host.application.widgets["SegmentEditor"] = SimpleNamespace(editor=editor)
        self._only("practiceSection")
        for name in ("wrong", "blank"):
            panel.case.use(name, used=False)
        self._host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
        ui.drawButton.click()
        self._picture("draw-first", "practiceSection")
        node = panel.case.folder.find(Role.DRAWING)
        drawn = np.roll(panel.case.labels()["good"], 4, axis=2) * (np.arange(24) > 9)[:, None, None]
        fillSegmentation(node, drawn.astype(np.uint8), panel.case.geometry, panel.case.classes[1:], [(0.2, 0.9, 0.3)])
        ui.revealButton.click()
        self._host.wait_for(lambda: panel.practice.score is not None)
        ui.practiceTable.selectRow(0)
        self._picture("revealed", "practiceSection")
        ui.progressButton.click()
        self._picture("progress", "practiceSection")
        for chart in [node for node in slicer.mrmlScene.GetNodes() if node.IsA("vtkMRMLPlotChartNode")]:
            slicer.mrmlScene.RemoveNode(chart)

    def _error(self) -> None:
        Path("broken").mkdir()
        (Path("broken") / "study.json").write_text('{"format": "noisylabelseg-study/1", "cases": ', encoding="utf-8")
        self._only("caseSection")
        self._host.answers.paths.append("broken/study.json")
        self._panel.caseSection.onOpenStudy()
        self._picture("error", "caseSection")

    def _classes(self) -> None:
        from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study

        self._anew()
        settings = SimulationSettings(cases=1, seed=3, size=(96, 96, 24))
        simulate_study(phantom_recipe("tumour", settings), Path("tumour"), settings)
        panel = self._panel
        panel.opening.openPath(Path("tumour"))
        self._reviewed()
        self._only("annotatorsSection")
        self._select(panel.case.annotators[1])
        panel.annotatorsSection._ui.nextButton.click()
        self._picture("classes", "annotatorsSection")
        panel.classesSection._ui.nextStructureButton.click()
        panel.classesSection._ui.nextStructureButton.click()
        self._picture("one-class", "annotatorsSection")
        self._only("classesSection")
        self._picture("structures", "classesSection")

    def _many_readers(self) -> None:
        self._anew()
        shape = (24, 96, 96)
        z, y, x = np.ogrid[: shape[0], : shape[1], : shape[2]]
        image = np.random.default_rng(0).normal(60, 12, shape).astype(np.int16)
        inside = ((z - 12) / 8) ** 2 + ((y - 48) / 20) ** 2 + ((x - 50) / 16) ** 2 < 1
        volume = slicer.util.addVolumeFromArray((image + 70 * inside).astype(np.int16), name="Patient 4711 CT thorax")
        for reader in range(12):
            scale = 0.7 + 0.05 * reader
            drawn = ((z - 12) / 8) ** 2 + ((y - 48 + reader % 3) / 20) ** 2 + ((x - 50) / 16) ** 2 < scale
            name = f"Prof. Dr. Maximiliane Oberhuber-Winterstein {reader + 1}"
            slicer.util.addVolumeFromArray(drawn.astype(np.uint8), name=name, nodeClassName="vtkMRMLLabelMapVolumeNode")
        panel = self._panel
        panel.case.chooseVolume(volume)
        panel.caseSection._ui.addFromSceneButton.click()
        self._reviewed()
        self._only("caseSection")
        self._picture("twelve-case", "caseSection")
        self._only("annotatorsSection")
        self._select(panel.case.annotators[3])
        self._picture("twelve", "annotatorsSection")
        self._overlay("agreement")
        self._picture("twelve-agreement", "annotatorsSection")
        self._overlay("errors")
        panel.annotatorsSection._ui.oneViewEachBox.setChecked(True)
        self._host.wait_for(lambda: not panel.annotatorsSection.isReviewing)
        self._picture("twelve-each", "annotatorsSection")
        panel.annotatorsSection._ui.oneViewEachBox.setChecked(False)

    def _nodule(self, folder: Path) -> None:
        from NoisyLabelSegLib.cases import read_image, read_labels
        from NoisyLabelSegLib.scene.volumes import LABELMAP, SCALAR, fillVolume

        self._anew()
        volume = slicer.mrmlScene.AddNewNodeByClass(SCALAR, "CT")
        found = read_image(folder / "image.nrrd")
        fillVolume(volume, found.array, found.geometry)
        for place, path in enumerate(sorted(folder.glob("reader*.nrrd")), start=1):
            labels = read_labels(path)
            node = slicer.mrmlScene.AddNewNodeByClass(LABELMAP, f"radiologist {place}")
            fillVolume(node, labels.array, labels.geometry)
        panel = self._panel
        panel.case.chooseVolume(volume)
        panel.caseSection._ui.addFromSceneButton.click()
        self._reviewed()
        self._only("annotatorsSection")
        self._select("radiologist 2")
        panel.annotatorsSection._ui.nextButton.click()
        self._picture("lidc", "annotatorsSection")
        self._overlay("agreement")
        self._picture("lidc-agreement", "annotatorsSection")
        self._overlay("errors")
        panel.displaySection._ui.planesBox.setChecked(True)
        panel.annotatorsSection._ui.oneViewEachBox.setChecked(True)
        self._picture("lidc-planes", "annotatorsSection")

    def _anew(self) -> None:
        """An empty scene."""
        self._host.close_scene()
        self._window.views.redraw()

    def _only(self, section: str) -> None:
        """Opens one section of the panel and closes all others."""
        for name in SECTIONS:
            if name != section:
                self._close(name)
        self._open(section)

    def _reviewed(self) -> None:
        annotators = self._panel.annotatorsSection
        annotators._ui.annotatorsSection.collapsed = False
        self._host.wait_for(lambda: self._panel.annotators.review is not None and not annotators.isReviewing)

    def _select(self, annotator: str) -> None:
        self._panel.annotatorsSection._ui.statisticsTable.selectRow(self._panel.case.annotators.index(annotator))

    def _overlay(self, name: str) -> None:
        combo: Any = self._panel.displaySection._ui.overlaySelector
        combo.setProperty("currentIndex", combo.findData(name))
        combo.activated.emit(combo.property("currentIndex"))
        self._host.wait_for(lambda: not self._panel.displaySection._steps.running)


if __name__ == "__main__":
    main()
