"""What the networks would run on, in words."""

from __future__ import annotations


def test_a_gpu_is_named_with_its_memory(module):
    from NoisyLabelSegLib.widget.torch_support import sentenceOf

    assert module.panel is not None
    answer = '{"name": "NVIDIA RTX A5000", "gigabytes": 25.3}'
    assert sentenceOf(answer) == "Networks can run on NVIDIA RTX A5000 with 25 GB of memory."
    assert sentenceOf('{"name": "Apple GPU", "gigabytes": null}') == "Networks can run on this computer's Apple GPU."
    assert "run on the CPU" in sentenceOf('{"name": null}')
    assert sentenceOf("ModuleNotFoundError: No module named 'torch'") == ""


def test_opening_the_section_asks_another_process(host, module):
    ui = module.panel.trainSection._ui
    ui.trainSection.collapsed = False
    host.wait_for(lambda: ui.deviceText.property("text"))
    assert "run on" in ui.deviceText.property("text")
