"""A trained model together with the ticked annotators' labels."""

from __future__ import annotations

import numpy as np

from NoisyLabelSegLib.resources import resource_path


def test_unticking_an_annotator_combines_again_without_running_the_network(host, opened):
    ui = opened.truthSection._ui
    opened.truthSection.selectModel(str(resource_path("models") / "demo-nodules.nlseg"))
    ui.methodSelector.setProperty("currentIndex", ui.methodSelector.findData("model-with-labels"))
    assert ui.estimateButton.property("enabled")
    ui.estimateButton.click()
    host.wait_for(lambda: not opened.truthSection._job.running)
    assert "3 annotators and the image" in ui.truthMessage.property("text")
    assert "together with the annotators' labels" in opened.truth.described()
    everybody = opened.truth.truth.copy()
    opened.case.use("misses", used=False)
    opened.case.use("wide", used=False)
    assert not opened.truthSection._job.running
    assert "1 annotator" in ui.truthMessage.property("text")
    kept = opened.truthSection._prediction._labeled.combine(["exact"])
    assert np.array_equal(opened.truth.truth, kept.labels)
    assert everybody.shape == opened.truth.truth.shape
