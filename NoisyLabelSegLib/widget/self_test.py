"""What NoisyLabelSegTest does inside Slicer, and in the host: the panel's work, one function per test.

Nothing here needs a main window, PyTorch or a network connection; what cannot be tried without one of them is skipped.
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import slicer

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.cases.dicom_seg import read_dicom_seg
from NoisyLabelSegLib.cases.model_card import shipped_models
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.scene.boxes import addBoxes
from NoisyLabelSegLib.scene.layout import nodesOfClass, viewName
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.widget.export_logic import Format
from NoisyLabelSegLib.widget.torch_support import TorchSupport

MODULE = "NoisyLabelSeg"
PATIENCE_SECONDS = 240.0
FAR_AWAY_MM = -900.0


def freshPanel() -> Any:
    """The panel with an empty scene, in front where there is a main window."""
    slicer.mrmlScene.Clear(0)
    if slicer.util.mainWindow() is not None:
        slicer.util.selectModule(MODULE)
    widget = slicer.util.getModuleWidget(MODULE)
    widget.initializeParameterNode()  # without a main window the module is never entered
    return widget.panel


def demoCase(panel: Any) -> None:
    panel.opening.openDemo()
    assert len(panel.case.annotators) == 5
    image = panel.case.folder.image
    assert panel.truth.truth is not None
    assert panel.truth.truth.shape == slicer.util.arrayFromVolume(image).shape
    for composite in nodesOfClass(slicer.mrmlScene, "vtkMRMLSliceCompositeNode"):
        assert composite.GetBackgroundVolumeID() == image.GetID()


def everyMethod(panel: Any) -> None:
    panel.opening.openDemo()
    marked = sum((labels > 0).astype("uint8") for labels in panel.case.labels().values()) > 0
    for method in METHODS:
        panel.truth.fuse(method)
        truth = panel.truth.truth > 0
        assert truth.any(), method
        assert not (truth & ~marked).any(), f"{method} marks what nobody marked"
        assert _same(panel.case.savedTruth(), panel.truth.truth), f"{method} is not what the scene has"


def untick(panel: Any) -> None:
    panel.opening.openDemo()
    panel.truth.fuse("majority")
    before = panel.truth.truth.copy()
    name = "over"  # without whom fewer voxels have a majority
    panel.case.use(name, used=False)
    assert name not in panel.case.used
    panel.truth.fuse("majority")
    assert not _same(before, panel.truth.truth)
    panel.case.use(name, used=True)
    panel.truth.fuse("majority")
    assert _same(before, panel.truth.truth)


def nextError(panel: Any) -> None:
    name = _reviewed(panel)
    first, second = panel.annotators.mistakes(name)[:2]
    assert first.size >= second.size
    panel.annotators.show(name, oneViewEach=False)
    number, total, words = panel.annotators.step(name, 1)
    assert (number, total) == (1, len(panel.annotators.mistakes(name)))
    assert words
    for node in nodesOfClass(slicer.mrmlScene, "vtkMRMLSliceNode"):
        matrix = node.GetSliceToRAS()
        assert all(abs(matrix.GetElement(axis, 3) - first.center_ras[axis]) < 1 for axis in range(3))
    assert panel.annotators.step(name, 1)[0] == 2
    assert panel.annotators.step(name, -1)[0] == 1


def oneViewEach(panel: Any) -> None:
    name = _reviewed(panel)
    _showEach(panel, name)


def farAwayVolume(panel: Any) -> None:
    volume, _nodes = addBoxes(slicer.mrmlScene, FAR_AWAY_MM)
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    _showEach(panel, panel.case.annotators[1])


def addFromScene(panel: Any) -> None:
    volume, nodes = addBoxes(slicer.mrmlScene)
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    assert set(panel.case.annotators) == {node.GetName() for node in nodes}
    panel.truth.fuse("majority")
    assert _same(panel.truth.truth, slicer.util.arrayFromVolume(nodes[0]))
    panel.annotators.update()
    dice = {row.annotator: row.dice for row in panel.annotators.rows()}
    assert dice["exact"] == 1
    assert dice["misses"] < dice["exact"]


def saveAndReload(panel: Any) -> None:
    name = _reviewed(panel)
    truth, classes, figures = panel.truth.truth.copy(), panel.case.classes, panel.annotators.rows()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "review.mrb")
        assert slicer.mrmlScene.WriteToMRB(path)
        slicer.mrmlScene.Clear(0)
        assert not panel.case.isOpen
        assert slicer.mrmlScene.ReadFromMRB(path, True)
        slicer.util.getModuleWidget(MODULE).initializeParameterNode()
    assert panel.case.classes == classes
    assert name in panel.case.annotators
    assert _same(panel.truth.truth, truth)
    panel.annotators.update()
    assert panel.annotators.rows() == figures


def exportEveryFormat(panel: Any) -> None:
    _reviewed(panel)
    formats = list(set(Format) - {Format.DICOM})
    with tempfile.TemporaryDirectory() as place:
        folder, series = Path(place), None
        if importlib.util.find_spec("highdicom") is not None:
            series = _dicomSeries(panel, folder / "series")
            formats.append(Format.DICOM)
        made = panel.exportSection.logic.export(formats, folder, dicomSeries=series)
        assert len(made) == len(formats) + 1  # and the file that says how the truth came about
        assert any(folder.glob("*.dcm")) == (series is not None)
        files = [folder / name for name in made if name.endswith((".nrrd", ".nii.gz"))]
        assert len(files) == 3
        for path in files:
            assert _same(read_labels(path).array, panel.truth.truth), path.name
        for path in folder.glob("*.dcm"):
            seg = read_dicom_seg(path, images=series)
            assert _same(seg.as_labels().array, panel.truth.truth), path.name
        assert any(folder.rglob("report.html"))
    labelmap = slicer.util.getNode(next(name for name in made if name.endswith("labelmap")))
    assert _same(slicer.util.arrayFromVolume(labelmap), panel.truth.truth)


def prediction(panel: Any) -> None:
    truth = _chosenModel(panel)
    truth.onEstimate()
    _waitFor(lambda: not truth._job.running)
    assert panel.truth.truth is not None, truth._ui.truthMessage.text
    assert panel.truth.truth.any()
    assert panel.case.folder.nodes(Role.EXPECTED_ERRORS)
    assert "torch" not in sys.modules, "networks run in a process of their own"


def cancel(panel: Any) -> None:
    truth = _chosenModel(panel)
    before = panel.truth.truth.copy()
    truth.onEstimate()
    assert truth._job.running
    truth.onEstimate()  # the same button cancels
    _waitFor(lambda: not truth._job.running)
    assert _same(before, panel.truth.truth)
    assert not panel.case.folder.nodes(Role.EXPECTED_ERRORS)
    assert truth._ui.estimateButton.enabled


def cancelReview(panel: Any) -> None:
    _reviewed(panel)
    _waitFor(lambda: not panel.annotatorsSection.isReviewing)  # what follows every new truth is done
    figures, background = panel.annotators.rows(), panel.annotatorsSection._background
    background.start()
    _waitFor(lambda: background._newest is not None and background._newest.job is not None)
    job = background._newest.job
    background.cancel()
    assert not background.running
    _waitFor(lambda: not job.is_running())
    assert panel.annotators.rows() == figures


def _reviewed(panel: Any) -> str:
    """Opens the demo case and compares everybody with the majority; returns somebody who made several errors."""
    panel.opening.openDemo()
    panel.truth.fuse("majority")
    panel.annotators.update()
    return next(str(name) for name in panel.case.annotators if len(panel.annotators.mistakes(name)) > 1)


def _showEach(panel: Any, annotator: str) -> None:
    """One view each, or the reason why not; the views must show the volume after Slicer has handled its events."""
    if slicer.app.layoutManager() is None:
        try:
            panel.annotators.show(annotator, oneViewEach=True)
            sentence = ""
        except UserError as error:
            sentence = error.sentence
        assert "main window" in sentence
        return
    ui = panel.annotatorsSection._ui
    ui.statisticsTable.selectRow(panel.case.annotators.index(annotator))
    ui.oneViewEachBox.checked = True
    try:
        for _round in range(5):
            slicer.app.processEvents()
        image, bounds = panel.case.folder.image, [0.0] * 6
        image.GetRASBounds(bounds)
        for place in range(len(panel.case.annotators)):
            composite = slicer.mrmlScene.GetNodeByID(f"vtkMRMLSliceCompositeNode{viewName(place)}")
            assert composite.GetBackgroundVolumeID() == image.GetID()
            offset = slicer.mrmlScene.GetNodeByID(f"vtkMRMLSliceNode{viewName(place)}").GetSliceOffset()
            assert bounds[4] <= offset <= bounds[5], f"the view is at {offset} mm, outside the volume"
    finally:
        ui.oneViewEachBox.checked = False


def _chosenModel(panel: Any) -> Any:
    """The panel's Truth section with a phantom of the kind that a shipped model knows, and that model chosen."""
    if TorchSupport().missing() or not shipped_models():
        raise unittest.SkipTest("PyTorch is not installed, or no model comes with this copy")
    from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe, simulate_study

    settings = SimulationSettings(cases=1, seed=301, size=(48, 48, 16), panel="paper")
    with tempfile.TemporaryDirectory() as folder:
        simulate_study(phantom_recipe("nodules", settings), Path(folder) / "nodules", settings)
        panel.opening.openPath(Path(folder) / "nodules")
        panel.opening.finish()
        panel.case.read()
    panel.truthSection.selectModel(str(shipped_models()[-1]))
    return panel.truthSection


def _dicomSeries(panel: Any, folder: Path) -> Path:
    """The open volume as a DICOM series, for a SEG to refer to."""
    from NoisyLabelSegLib.cases.dicom_series_writer import write_series

    return write_series(folder, slicer.util.arrayFromVolume(panel.case.folder.image), panel.case.geometry)


def _same(one: Any, other: Any) -> bool:
    return bool(one.shape == other.shape and (one == other).all())


def _waitFor(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"nothing happened in {PATIENCE_SECONDS:.0f} s"
        slicer.app.processEvents()
        time.sleep(0.01)
