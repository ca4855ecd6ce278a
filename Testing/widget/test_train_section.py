"""Training and running a model from the panel, in real worker processes."""

from __future__ import annotations

import sys

import pytest
import slicer
from PySide6.QtWidgets import QLabel


def ui_of(panel):
    return panel.trainSection._ui


def text(widget):
    return widget.property("text")


@pytest.fixture
def ready(opened, tmp_path):
    """A panel that is set to train a tiny model on the scan of the scene."""
    ui = ui_of(opened)
    ui.presetSelector.setProperty("currentIndex", ui.presetSelector.findText("quick"))
    ui.epochsBox.setProperty("value", 3)
    ui.deviceSelector.setProperty("currentText", "cpu")
    ui.runPath.currentPath = str(tmp_path / "run")
    return opened


def train(host, panel):
    ui_of(panel).trainButton.click()
    host.wait_for(lambda: not panel.trainSection._job.running)


def test_the_button_says_what_is_missing(module, opened, tmp_path):
    ui = ui_of(opened)
    assert ui.trainButton.property("toolTip") == "<p>Choose a folder for the model.</p>"
    ui.sourceSelector.setProperty("currentIndex", 1)
    assert ui.trainButton.property("toolTip") == "<p>Choose a study.json, or the folder that holds it.</p>"
    assert not ui.studyPath.isHidden()
    ui.sourceSelector.setProperty("currentIndex", 0)
    module.panel.case.remove(["exact", "wide", "misses"])
    ui.runPath.currentPath = str(tmp_path)
    assert "Open a case with annotators first" in ui.trainButton.property("toolTip")


def test_cancel_leaves_the_scene_as_it_was_and_resume_goes_on(host, ready, tmp_path):
    ui = ui_of(ready)
    ui.epochsBox.setProperty("value", 40)
    before = {node.GetID() for node in slicer.mrmlScene.GetNodes()}
    truth = ready.truth.truth.copy()
    ui.trainButton.click()
    host.wait_for(lambda: ready.trainSection._logic.hasCurves)
    ui.trainButton.click()
    assert text(ui.trainButton) == "Stopping..."
    host.wait_for(lambda: not ready.trainSection._job.running)
    assert "Canceled" in text(ui.trainMessage)
    assert not (tmp_path / "run" / "model.nlseg").exists()
    new = {node.GetID() for node in slicer.mrmlScene.GetNodes()} - before
    assert not {name for name in new if "PlotView" not in name}
    assert (ready.truth.truth == truth).all()
    ui.resumeBox.setChecked(True)
    train(host, ready)
    assert (tmp_path / "run" / "model.nlseg").exists(), text(ui.trainMessage)
    assert ready.trainSection._logic._steps[0] > 1, "it went on from a checkpoint"


def test_a_worker_that_dies_is_explained_and_the_button_works_again(host, ready):
    from NoisyLabelSegLib.jobs.process import end_tree

    ui = ui_of(ready)
    ui.epochsBox.setProperty("value", 200)
    ui.trainButton.click()
    host.wait_for(lambda: ready.trainSection._job._job._transcript.process is not None)
    end_tree(ready.trainSection._job._job._process._child)
    host.wait_for(lambda: not ready.trainSection._job.running)
    assert text(ui.trainButton) == "Train"
    assert ui.trainButton.property("enabled")
    assert "Traceback" not in text(ui.trainMessage)
    assert text(ui.trainMessage)


def test_closing_the_scene_ends_the_training(host, ready):
    ui_of(ready).epochsBox.setProperty("value", 200)
    ui_of(ready).trainButton.click()
    process = ready.trainSection._job._job._process
    host.close_scene()
    assert process.exit_code is not None
    assert not ready.trainSection._job.running


@pytest.mark.usefixtures("no_torch")
def test_without_torch_the_panel_asks_and_takes_no_for_an_answer(host, ready, tmp_path):
    ui = ui_of(ready)
    ready.trainSection.update()
    assert "needs PyTorch" in text(ui.trainMessage)
    host.answers.consents.append(False)
    ui.trainButton.click()
    assert host.answers.shown[0][0] == "confirm"
    assert not ready.trainSection._job.running
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("no_torch")
def test_without_the_pytorch_extension_the_panel_names_it(host, ready):
    assert "PyTorchUtils" not in sys.modules
    host.answers.consents.append(True)
    ui_of(ready).trainButton.click()
    assert "install PyTorch in the Extensions Manager" in text(ui_of(ready).trainMessage)


def test_the_log_can_be_copied(host, opened):
    ui_of(opened).trainLog.setProperty("plainText", "epoch 1")
    ui_of(opened).copyLogButton.click()
    assert host.application.clipboard().text() == "epoch 1"


EXPERTS = ("epochsBox", "traceWeightBox", "rankBox", "deviceSelector", "seedBox", "trainLog", "copyLogButton")


def test_settings_for_experts_are_behind_advanced_and_work_there(host, module, opened):
    ui = ui_of(opened)
    ui.trainSection.collapsed = False
    module.parent.show()
    host.qt_application.processEvents()
    assert ui.advancedTrainingSection.collapsed
    assert not [name for name in EXPERTS if getattr(ui, name).isVisible()]
    for name in ("sourceSelector", "presetSelector", "runPath", "trainButton", "resumeBox"):
        assert getattr(ui, name).isVisible(), name
    words = " ".join(label.text() for label in ui.trainSection.findChildren(QLabel) if label.isVisible())
    assert not [term for term in ("Epoch", "Trace", "Rank", "Seed", "Device") if term in words]
    ui.advancedTrainingSection.collapsed = False
    host.qt_application.processEvents()
    assert not [name for name in EXPERTS if not getattr(ui, name).isVisible()]


def test_a_preset_says_what_it_is_for(opened):
    ui = ui_of(opened)
    ui.presetSelector.setProperty("currentIndex", ui.presetSelector.findText("lidc"))
    assert text(ui.presetText) == "Lung nodules in CT crops: lung window in HU."


def test_curves_have_readable_axes_with_units(opened):
    from NoisyLabelSegLib.jobs.reports import Progressed

    logic = opened.trainSection._logic
    for epoch in (1, 2, 3):
        chart = logic.addToCurves(Progressed("train", epoch, 12, metrics={"loss": 0.5, "likelihood": 1 / epoch}))
    assert chart.GetXAxisTitle() == "Epoch"
    assert chart.GetYAxisTitle() == "Loss (nats per pixel)"
    assert chart.GetXAxisRange() == (0.0, 12.0), "the axis says how far the training is"
    series = [chart.GetNthPlotSeriesNode(index).GetName() for index in range(chart.GetNumberOfPlotSeriesNodes())]
    assert series == ["training loss"], "the whole loss would make it look flat"


def test_the_progress_is_told_in_words_that_people_know(ready):
    from NoisyLabelSegLib.jobs.reports import Progressed

    figures = {"loss": 1.92, "likelihood": 0.0837, "heldOutLikelihood": 0.0753}
    ready.trainSection._job._onProgress(Progressed("train", 8, 12, 25.0, figures))
    words = "training loss 0.0837, validation loss 0.0753"
    assert text(ui_of(ready).trainMessage) == f"Training, epoch: 8 of 12 ({words})"
