"""The module file: what Slicer calls on it, from loading to quitting."""

from __future__ import annotations

import ast
import re
import sys
import types
import unittest
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import slicer

REPOSITORY = Path(__file__).resolve().parents[2]
MODULE = REPOSITORY / "NoisyLabelSeg"


TESTS = sorted(
    node.name
    for node in ast.walk(ast.parse((MODULE / "NoisyLabelSeg.py").read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
)
"""The tests that run inside Slicer."""


def run_inside(name):
    case = sys.modules["NoisyLabelSeg"].NoisyLabelSegTest(name)
    assert case.shortDescription(), "each says what it proves"
    result = unittest.TestResult()
    unittest.TestSuite([case]).run(result)
    assert result.testsRun == 1
    assert not result.errors + result.failures
    assert "torch" not in sys.modules


@pytest.mark.parametrize("name", TESTS)
def test_what_runs_inside_slicer_passes_here(module, name):
    assert module.parent.isEntered
    run_inside(name)


@pytest.mark.parametrize("name", TESTS)
def test_what_runs_inside_slicer_passes_without_a_main_window(no_main_window, module, name):
    assert no_main_window is None
    assert not module.parent.isEntered
    run_inside(name)


def test_there_is_a_test_for_every_part_of_the_work():
    assert len(TESTS) == 12


def test_the_demo_case_is_offered_as_sample_data_and_made_offline(module):
    from SampleData import SampleDataLogic

    assert "NoisyLabelSeg" in SampleDataLogic.titles
    SampleDataLogic.click("NoisyLabelSegDemo")
    assert len(module.panel.case.annotators) == 5


def test_a_script_can_fuse_without_the_panel(module, volume, readers):
    truth = module.logic.fuse(volume, list(readers.values()), "majority")
    array = slicer.util.arrayFromSegmentBinaryLabelmap(truth, truth.GetSegmentation().GetNthSegmentID(0), volume)
    assert np.array_equal(array, slicer.util.arrayFromVolume(readers["exact"]))


@pytest.fixture
def library() -> Iterator[None]:
    """Reloading forgets the library; the tests that follow go on with the one they know."""
    before = {name: loaded for name, loaded in sys.modules.items() if name.startswith("NoisyLabelSegLib")}
    yield
    for name in [name for name in sys.modules if name.startswith("NoisyLabelSegLib")]:
        del sys.modules[name]
    sys.modules.update(before)


@pytest.mark.usefixtures("library")
def test_reloading_twice_leaves_one_panel_that_works(host, module):
    module.onReload()
    slicer.util.getModuleWidget("NoisyLabelSeg").onReload()
    newest = slicer.util.getModuleWidget("NoisyLabelSeg")
    assert newest is not module
    newest.panel.opening.openDemo()
    assert newest.panel.truth.truth is not None
    assert module.panel.truth.truth is None, "the old panel does not listen any more"
    newest.cleanup()
    assert not host.faults


def test_closing_the_scene_empties_the_panel(host, opened):
    host.close_scene()
    assert not opened.case.isOpen
    assert opened.truth.truth is None
    assert opened.caseSection._ui.annotatorTable.model().rowCount() == 0
    host.wait_for(lambda: opened.annotatorsSection._ui.statisticsTable.model().rowCount() == 0)


def test_every_control_that_is_off_says_why(module):
    from PySide6.QtWidgets import QPushButton

    buttons = module.parent.findChildren(QPushButton)
    silent = [
        button.objectName() for button in buttons if not button.property("enabled") and not button.property("toolTip")
    ]
    assert len(buttons) > 10
    assert not silent


def test_without_a_main_window_the_panel_works(no_main_window, module):
    assert no_main_window is None
    module.panel.caseSection._ui.demoButton.click()
    assert module.panel.truth.truth is not None


@pytest.mark.usefixtures("library")
def test_a_panel_that_was_reloaded_lets_go_of_the_keys(module):
    from PySide6.QtGui import QShortcut

    window = slicer.util.mainWindow()
    before = [shortcut for shortcut in window.findChildren(QShortcut) if shortcut.isEnabled()]
    module.onReload()
    newest = slicer.util.getModuleWidget("NoisyLabelSeg")
    assert len([shortcut for shortcut in window.findChildren(QShortcut) if shortcut.isEnabled()]) == len(before)
    newest.exit()
    newest.cleanup()


def test_the_help_links_to_the_page_about_the_panel(module):
    source = sys.modules["NoisyLabelSeg"]
    about = types.SimpleNamespace(path=source.__file__)
    source.NoisyLabelSeg(about)
    link = re.search(r'href="([^"]+)"', about.helpText).group(1)
    homepage = re.search(r'EXTENSION_HOMEPAGE "([^"]+)"', (REPOSITORY / "CMakeLists.txt").read_text()).group(1)
    assert link.startswith(f"{homepage}/blob/main/")
    assert (REPOSITORY / link.removeprefix(f"{homepage}/blob/main/")).is_file()
    assert module is not None
