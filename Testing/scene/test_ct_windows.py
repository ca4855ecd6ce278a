"""The gray window of a CT follows what people look at, until they choose one themselves."""

from __future__ import annotations

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.scene.ct_windows import LUNG, SOFT_TISSUE, chooseCtWindow
from NoisyLabelSegLib.scene.volumes import SCALAR, chooseWindow, fillVolume

GRID = Geometry((10, 80, 80), (1.0, 1.0, 2.0), (-40.0, -40.0, 100.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
IN_LUNG, IN_TISSUE = (-20.0, 0.0, 110.0), (20.0, 0.0, 110.0)


@pytest.fixture
def ct(scene):
    """A thorax: lung on one side of the midline, soft tissue with some bone on the other."""
    values = np.full(GRID.shape, -800, dtype=np.int16)
    values[:, :, 40:] = 50
    values[:, :5, 40:] = 1200
    node = scene.AddNewNodeByClass(SCALAR, "ct")
    fillVolume(node, values, GRID)
    node.GetDisplayNode().AutoWindowLevelOn()
    return node


def window(node):
    return node.GetDisplayNode().GetWindow(), node.GetDisplayNode().GetLevel()


@pytest.mark.parametrize(("place", "wanted"), [(IN_LUNG, LUNG), (IN_TISSUE, SOFT_TISSUE)])
def test_a_ct_is_shown_as_what_lies_around_the_place(ct, place, wanted):
    chooseCtWindow(ct, place, 8.0)
    assert window(ct) == pytest.approx(wanted)


def test_the_window_is_chosen_once_and_one_that_people_chose_stays(ct):
    chooseCtWindow(ct, IN_LUNG, 8.0)
    chooseCtWindow(ct, IN_TISSUE, 8.0)
    assert window(ct) == pytest.approx(LUNG)
    ct.GetDisplayNode().SetWindowLevel(80, 40)
    chooseCtWindow(ct, IN_LUNG, 8.0)
    assert window(ct) == pytest.approx((80, 40))


def test_a_preset_of_the_scanner_stays(ct):
    ct.GetDisplayNode().AutoWindowLevelOff()
    ct.GetDisplayNode().SetWindowLevel(2000, 300)
    chooseCtWindow(ct, IN_LUNG, 8.0)
    assert window(ct) == pytest.approx((2000, 300))


def test_the_window_of_a_large_scan_that_was_sampled_on_loading_gives_way(ct):
    from NoisyLabelSegLib.scene.arrays import arrayOf

    chooseWindow(ct, arrayOf(ct))
    chooseCtWindow(ct, IN_LUNG, 8.0)
    assert window(ct) == pytest.approx(LUNG)


def test_a_window_that_people_chose_on_a_large_scan_stays(ct):
    from NoisyLabelSegLib.scene.arrays import arrayOf

    chooseWindow(ct, arrayOf(ct))
    ct.GetDisplayNode().SetWindowLevel(80, 40)
    chooseCtWindow(ct, IN_LUNG, 8.0)
    assert window(ct) == pytest.approx((80, 40))


def test_an_mr_keeps_its_window(scene):
    node = scene.AddNewNodeByClass(SCALAR, "mr")
    fillVolume(node, np.random.default_rng(0).integers(0, 500, GRID.shape).astype(np.int16), GRID)
    before = window(node)
    chooseCtWindow(node, IN_LUNG, 8.0)
    assert window(node) == before


def test_a_view_is_black_beside_the_scan(ct, view):
    chooseCtWindow(ct, IN_LUNG, 8.0)
    red = view("Red")
    red.compositeNode.SetBackgroundVolumeID(ct.GetID())
    red.fit()
    red.node.SetFieldOfView(400.0, 400.0, 1.0)
    picture = red.picture()
    assert not picture[2, 2].any()
    assert picture[picture.shape[0] // 2, picture.shape[1] // 2].any()
