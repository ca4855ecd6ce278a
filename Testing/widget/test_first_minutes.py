"""The first minute of the clinician, the trainee and the researcher."""

from __future__ import annotations

import importlib.metadata
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
import slicer

from NoisyLabelSegLib.cases import read_labels
from NoisyLabelSegLib.scene.nodes import Role


def text(widget):
    return widget.property("text")


MODELS = Path(__file__).resolve().parents[2] / "Resources" / "models"


@pytest.fixture
def installed(request):
    """An extension that was just installed, with the models that come with it, or a tiny one where none does."""
    if not any(MODELS.glob("*.nlseg")):
        model, folder = request.getfixturevalue("model"), request.getfixturevalue("shelf_folder")
        shutil.copy(model, folder / "tiny.nlseg")
        return folder
    return MODELS


def test_a_clinician_opens_a_scan_and_runs_a_pretrained_model(host, installed, module, volume):
    from NoisyLabelSegLib.widget.models import describe

    panel = module.panel
    case, truth = panel.caseSection._ui, panel.truthSection._ui
    case.volumeSelector.setCurrentNode(volume)
    truth.methodSelector.setProperty("currentIndex", truth.methodSelector.findData("model"))
    assert Path(panel.truthSection.model).parent == installed, "a model of the extension is chosen at once"
    assert truth.modelPath.isHidden(), "there is no file to look for"
    models = truth.modelSelector
    paths = [str(models.itemData(place)) for place in range(models.count())]
    whole = next(path for path in paths if path and not describe(path).object)  # others need a point in a nodule
    models.setProperty("currentIndex", paths.index(whole))
    assert truth.estimateButton.property("enabled"), truth.estimateButton.property("toolTip")
    truth.estimateButton.click()
    host.wait_for(lambda: not panel.truthSection._job.running)
    assert text(truth.truthMessage) == ""
    node = panel.case.folder.find(Role.TRUTH)
    assert node is not None
    truth.confidenceBox.click()
    assert panel.case.folder.find(Role.CONFIDENCE) is not None


def test_a_trainee_opens_a_reviewed_scene_without_torch_and_walks_through_the_mistakes(
    host, module, volume, readers, tmp_path, monkeypatch
):
    assert readers
    panel = module.panel
    panel.case.chooseVolume(volume)
    panel.case.addFromScene()
    panel.annotatorsSection.review()
    saved = str(tmp_path / "reviewed.mrb")
    assert slicer.mrmlScene.WriteToMRB(saved)
    host.close_scene()

    monkeypatch.setattr(importlib.metadata, "version", _missing)
    monkeypatch.setitem(sys.modules, "torch", None)  # importing it would fail
    assert slicer.mrmlScene.ReadFromMRB(saved, True)
    host.wait_for(lambda: panel.annotators.review is not None)
    ui = panel.annotatorsSection._ui
    names = [ui.statisticsTable.item(row, 0).text() for row in range(3)]
    ui.statisticsTable.selectRow(names.index("wide"))
    seen = []
    for _ in panel.annotators.mistakes("wide"):
        ui.nextButton.click()
        seen.append(text(ui.mistakeText))
    assert len(set(seen)) == len(panel.annotators.mistakes("wide")) > 0
    assert all("too wide" in words for words in seen)
    export = panel.exportSection._ui
    export.exportPath.currentPath = str(tmp_path / "mine")
    export.exportButton.click()
    assert (tmp_path / "mine" / "scan_review" / "report_wide.html").is_file()
    assert "needs PyTorch" in text(panel.trainSection._ui.trainMessage)


def test_a_researcher_drops_a_study_compares_four_methods_and_exports(host, module, tmp_path):
    from NoisyLabelSegLib.cli import main

    study = tmp_path / "study"
    assert main(["simulate", "lesions", "--cases", "2", "--size", "32,32,8", "--out", str(study)]) == 0
    reader = sys.modules["NoisyLabelSeg"].NoisyLabelSegFileReader(type("Parent", (), {})())
    assert reader.canLoadFile(str(study / "study.json"))
    assert reader.load({"fileName": str(study / "study.json")})
    panel = module.panel
    truth, export = panel.truthSection._ui, panel.exportSection._ui
    found = {}
    for method in ("mean", "majority", "staple", "spatial-staple"):
        truth.methodSelector.setProperty("currentIndex", truth.methodSelector.findData(method))
        panel.annotatorsSection.review()
        found[method] = [row.dice for row in panel.annotators.rows()]
        export.exportPath.currentPath = str(tmp_path / method)
        export.exportButton.click()
        written = read_labels(tmp_path / method / f"{panel.case.folder.case}_truth.nrrd").array
        assert np.array_equal(written, panel.truth.truth)
    assert found["staple"] != found["majority"]
    assert not host.answers.shown
    assert all((Path(tmp_path) / method / f"{panel.case.folder.case}_review").is_dir() for method in found)


def _missing(name: str) -> str:
    raise importlib.metadata.PackageNotFoundError(name)
