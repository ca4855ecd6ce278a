"""A plan shows what was found, then becomes a study or nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, read_image, write_image
from NoisyLabelSegLib.cases.import_plan import ImportPlan, PlannedCase
from NoisyLabelSegLib.errors import UserError

GRID = Geometry((2, 3, 4), (0.5, 0.6, 2.0), (-3.0, 4.0, 5.0), (-1, 0, 0, 0, -1, 0, 0, 0, 1))
SCAN = Image(np.arange(24, dtype=np.int16).reshape(2, 3, 4) - 1000, GRID)


def mask(value: int = 1, grid: Geometry = GRID) -> Image:
    array = np.zeros(grid.shape, np.uint8)
    array[0, 1, 2] = value
    return Image(array, grid)


def plan_of(*cases: PlannedCase, annotators: tuple[str, ...] = ("ann", "bob")) -> ImportPlan:
    return ImportPlan("small", ("background", "lesion"), annotators, cases)


def test_rows_show_each_case_before_anything_is_written():
    plan = plan_of(
        PlannedCase("a", (SCAN,), {"ann": mask(), "bob": mask()}),
        PlannedCase("b", (), {"bob": mask()}, None, "no image"),
    )
    assert plan.rows() == [("a", 1, "ann, bob", ""), ("b", 0, "bob", "no image")]


def test_a_written_plan_is_a_study_with_the_same_voxels_and_number_type(tmp_path: Path):
    plan = plan_of(PlannedCase("a", (SCAN,), {"ann": lambda: mask(), "bob": mask()}, truth=mask()))
    study = plan.write(tmp_path / "out")
    case = study.case("a")
    stored = read_image(case.images[0])
    assert stored.array.dtype == np.int16
    np.testing.assert_array_equal(stored.array, SCAN.array)
    assert case.geometry == GRID
    for labels in [*case.all_labels(study.annotators), case.truth()]:
        np.testing.assert_array_equal(labels, mask().array)


def test_files_are_converted_to_nrrd_below_the_study(tmp_path: Path):
    write_image(tmp_path / "scan.nii.gz", SCAN)
    study = plan_of(PlannedCase("a", (tmp_path / "scan.nii.gz", SCAN), {"ann": mask()})).write(tmp_path / "out")
    assert [path.relative_to(tmp_path / "out").as_posix() for path in study.cases[0].images] == [
        "a/image_1.nrrd",
        "a/image_2.nrrd",
    ]
    assert study.cases[0].image().shape == (2, 2, 3, 4)


def test_masks_of_0_and_255_become_0_and_1_and_it_says_so(tmp_path: Path):
    plan = plan_of(PlannedCase("a", (SCAN,), {"ann": mask(255), "bob": mask(1)}))
    study = plan.write(tmp_path / "out")
    np.testing.assert_array_equal(study.cases[0].labels("ann"), mask().array)
    assert plan.remarks == ["Masks of 0 and 255 written as 0 and 1: 1."]


def test_labels_on_another_grid_are_refused_with_the_file_and_nothing_is_left(tmp_path: Path):
    shifted = Geometry(GRID.shape, GRID.spacing, (0.0, 4.0, 5.0), GRID.direction)
    write_image(tmp_path / "ann.nrrd", mask(grid=shifted))
    with pytest.raises(UserError, match=r"ann\.nrrd: is not on the grid of case a: its origin is 3 mm away"):
        plan_of(PlannedCase("a", (SCAN,), {"ann": tmp_path / "ann.nrrd"})).write(tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["ann.nrrd"]


def test_labels_on_another_grid_are_resampled_when_asked(tmp_path: Path):
    shifted = Geometry(GRID.shape, GRID.spacing, (-3.5, 4.0, 5.0), GRID.direction)  # one voxel along x
    plan = plan_of(PlannedCase("a", (SCAN,), {"ann": mask(grid=shifted)}))
    labels = plan.write(tmp_path / "out", regrid=True).cases[0].labels("ann")
    assert np.argwhere(labels).tolist() == [[0, 1, 3]]
    assert plan.remarks == ["Labels resampled onto the grid of their image: 1."]


def test_a_label_beyond_the_classes_is_refused(tmp_path: Path):
    with pytest.raises(UserError, match="label 2, but the study has 2 classes"):
        plan_of(PlannedCase("a", (SCAN,), {"ann": mask(2)})).write(tmp_path / "out")


def test_a_name_that_cannot_stand_in_a_file_name_is_refused_before_reading(tmp_path: Path):
    with pytest.raises(UserError, match=r"out/study\.json.*'id' that holds the character '/'"):
        plan_of(PlannedCase("a/b", (tmp_path / "absent.nrrd",))).write(tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_an_existing_study_is_kept_unless_forced(tmp_path: Path):
    plan = plan_of(PlannedCase("a", (SCAN,), {"ann": mask()}))
    plan.write(tmp_path / "out")
    with pytest.raises(UserError, match="exists already"):
        plan.write(tmp_path / "out")
    plan.write(tmp_path / "out", force=True)
