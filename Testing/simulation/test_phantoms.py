from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import ndimage

from NoisyLabelSegLib.simulation import SimulationSettings, phantom_recipe
from NoisyLabelSegLib.simulation.phantoms import PHANTOMS
from NoisyLabelSegLib.simulation.threshold import ThresholdSearch


@pytest.fixture(scope="module", params=PHANTOMS)
def cases(request):
    """Three cases of each phantom at its default size."""
    return list(phantom_recipe(request.param, SimulationSettings(cases=3, seed=1)).cases)


def test_truth_and_channels_share_the_grid_and_the_tissue_holds_the_truth(cases):
    for case in cases:
        shapes = {channel.shape for channel in case.phantom.channels.values()} | {case.phantom.truth.shape}
        assert shapes == {case.geometry.shape}
        assert case.geometry.spacing[2] > 2 * case.geometry.spacing[0]
        assert case.phantom.truth.dtype == np.uint8
        assert case.phantom.tissue.any()


def test_no_threshold_finds_the_truth(cases):
    search = ThresholdSearch()
    for case in cases:
        search.add(list(case.phantom.channels.values()), case.phantom.truth)
    assert search.best_dice() <= search.best_dice_per_case() < 0.6


def test_a_longer_study_begins_with_the_shorter_one(cases):
    kind = cases[0].id.split("_")[0]
    first = next(iter(phantom_recipe(kind, SimulationSettings(cases=20, seed=1)).cases))
    assert np.array_equal(first.phantom.truth, cases[0].phantom.truth)


def test_lesions_are_many_bright_and_of_mixed_size():
    for case in phantom_recipe("lesions", SimulationSettings(cases=4, seed=2)).cases:
        objects, count = ndimage.label(case.phantom.truth, np.ones((3, 3, 3)))
        sizes = np.bincount(objects.reshape(-1))[1:]
        assert 3 <= count <= 30
        assert sizes.max() > 3 * sizes.min()
        flair = case.phantom.channels["flair"].astype(float)
        white = case.phantom.tissue & (case.phantom.truth == 0)
        assert np.median(flair[case.phantom.truth == 1]) > 1.15 * np.median(flair[white])


def test_tumors_are_nested():
    for case in phantom_recipe("tumour", SimulationSettings(cases=3, seed=2)).cases:
        truth = case.phantom.truth
        assert set(np.unique(truth)) == {0, 1, 2, 3}
        around = ndimage.binary_dilation(truth == 3) & (truth != 3)
        assert (truth[around] == 2).mean() > 0.9


def test_nodules_are_single_and_in_hounsfield_units():
    for case in phantom_recipe("nodules", SimulationSettings(cases=4, seed=2)).cases:
        ct, truth = case.phantom.channels["ct"], case.phantom.truth
        assert ndimage.label(truth, np.ones((3, 3, 3)))[1] == 1
        assert -950 < np.median(ct) < -750
        assert -700 < ct[truth == 1].mean() < 100
        assert ct.max() > 200


def test_size_and_spacing_can_be_chosen():
    def grid(**wishes):
        case = next(iter(phantom_recipe("lesions", SimulationSettings(cases=1, **wishes)).cases))
        return case.geometry.shape, case.geometry.spacing

    assert grid(size=(40,)) == ((16, 40, 40), (4.4, 4.4, 6.0))
    assert grid(size=(40, 30, 8), spacing=(3.0, 3.0, 9.0)) == ((8, 30, 40), (3.0, 3.0, 9.0))


def test_phantoms_need_neither_scikit_image_nor_torch():
    code = (
        "import sys; from NoisyLabelSegLib.simulation import *;"
        "next(iter(phantom_recipe('lesions', SimulationSettings(cases=1, size=(32, 32, 4))).cases));"
        "assert not {'skimage', 'torch', 'mlxtend', 'rich'} & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
