from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, Study, write_image, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation import SimulationSettings, real_scan_recipe, simulate_study

GRID = Geometry((6, 20, 24), (1.5, 1.0, 4.0), (7.0, -3.0, 12.0), (0, 1, 0, 1, 0, 0, 0, 0, -1))
TRUTH = np.zeros(GRID.shape, dtype=np.uint8)
TRUTH[2:5, 6:14, 6:16] = 1
TRUTH[3, 8:11, 9:13] = 2


@pytest.fixture
def files(tmp_path) -> Path:
    image = np.where(TRUTH > 0, 300, 100).astype(np.int16)
    write_image(tmp_path / "flair.nii.gz", Image(image, GRID))
    write_image(tmp_path / "t1.nrrd", Image(image[::-1].copy(), GRID))
    write_labels(tmp_path / "truth.nrrd", TRUTH, GRID)
    return tmp_path


def test_an_image_with_a_truth_becomes_a_study_on_its_own_grid(files, tmp_path):
    recipe = real_scan_recipe([[files / "flair.nii.gz", files / "t1.nrrd"]], [files / "truth.nrrd"])
    made = simulate_study(recipe, tmp_path / "out", SimulationSettings(panel="readers-classes"))
    study = Study.read(tmp_path / "out")
    case = study.cases[0]
    assert case.id == "flair"
    assert study.classes == ("background", "class 1", "class 2")
    assert case.image().shape == (2, *GRID.shape)
    assert not case.geometry.differences(GRID)
    assert np.array_equal(case.truth(), TRUTH)
    assert set(case.annotations) == set(study.annotators)
    assert made.annotator_dice["good"] == 1
    assert made.annotator_dice["confuses"] < 1


def test_names_of_classes_can_be_given_and_must_suffice(files):
    images, truths = [[files / "t1.nrrd"]], [files / "truth.nrrd"]
    assert real_scan_recipe(images, truths, ["none", "edema", "core"]).classes == ("none", "edema", "core")
    with pytest.raises(UserError, match=r"truth\.nrrd.*only 2 classes"):
        list(real_scan_recipe(images, truths, ["none", "edema"]).cases)


def test_equal_file_names_of_several_cases_stay_apart(files):
    recipe = real_scan_recipe([[files / "t1.nrrd"], [files / "t1.nrrd"]], [files / "truth.nrrd"] * 2)
    assert [case.id for case in recipe.cases] == ["t1", "t1_2"]


def test_channels_of_equal_names_stay_apart(files):
    (files / "again").mkdir()
    (files / "again" / "t1.nrrd").write_bytes((files / "t1.nrrd").read_bytes())
    recipe = real_scan_recipe([[files / "t1.nrrd", files / "again" / "t1.nrrd"]], [files / "truth.nrrd"])
    assert list(next(iter(recipe.cases)).phantom.channels) == ["image_t1", "image_t1_2"]


def test_an_empty_truth_or_a_missing_one_is_refused(files):
    with pytest.raises(UserError, match="one --truth for every --image"):
        real_scan_recipe([[files / "t1.nrrd"]], [])
    write_labels(files / "empty.nrrd", np.zeros(GRID.shape), GRID)
    with pytest.raises(UserError, match=r"empty\.nrrd"):
        list(real_scan_recipe([[files / "t1.nrrd"]], [files / "empty.nrrd"]).cases)


def test_a_truth_on_another_grid_is_refused(files):
    write_labels(files / "elsewhere.nrrd", TRUTH, Geometry.plain(GRID.shape))
    with pytest.raises(UserError, match=r"grid .*; resample it onto the image first, with nearest neighbor"):
        list(real_scan_recipe([[files / "t1.nrrd"]], [files / "elsewhere.nrrd"]).cases)


def test_masks_of_0_and_255_count_as_two_classes(files):
    write_labels(files / "mask.nrrd", np.where(TRUTH > 0, 255, 0), GRID)
    recipe = real_scan_recipe([[files / "t1.nrrd"]], [files / "mask.nrrd"])
    assert recipe.classes == ("background", "foreground")
    assert np.array_equal(next(iter(recipe.cases)).phantom.truth, TRUTH > 0)


def test_real_lesions_get_annotators(shared_data, tmp_path):
    folder = shared_data / "ms-lesion-mr" / "patient19"
    recipe = real_scan_recipe([[folder / "flair.nii.gz"]], [folder / "lesion_consensus.nii.gz"])
    made = simulate_study(recipe, tmp_path / "out", SimulationSettings(panel="readers"))
    assert made.annotator_dice["misses-small"] > 0.9
    assert 0.3 < made.annotator_dice["shifted"] < 0.9
