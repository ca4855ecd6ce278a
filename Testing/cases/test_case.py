"""A case reads nothing until it is asked, and then checks what it reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, write_image, write_labels
from NoisyLabelSegLib.errors import UserError

GRID = Geometry.plain((2, 3, 4))


def image(value: int = 0, grid: Geometry = GRID) -> Image:
    return Image(np.full(grid.shape, value, np.uint8), grid)


def test_channels_are_stacked_and_components_count_as_channels(tmp_path: Path) -> None:
    write_image(tmp_path / "a.nrrd", image(1))
    write_image(tmp_path / "b.nrrd", Image(np.zeros((2, *GRID.shape), np.float32), GRID))
    case = Case("c", (tmp_path / "a.nrrd", tmp_path / "b.nrrd"))
    assert case.image().shape == (3, 2, 3, 4)
    assert case.image().dtype == np.float32


def test_a_case_of_files_that_do_not_exist_can_be_made(tmp_path: Path) -> None:
    case = Case("c", (tmp_path / "absent.nrrd",))
    with pytest.raises(UserError, match=r"absent\.nrrd: does not exist"):
        case.image()


def test_a_case_lives_in_memory_too() -> None:
    case = Case("c", (image(3),), {"r": Annotation(image(1))}, truth_source=image(1))
    assert case.image().max() == 3
    np.testing.assert_array_equal(case.truth(), case.labels("r"))
    assert case.all_labels(["r", "absent"])[1] is None


def test_labels_alone_give_the_grid(tmp_path: Path) -> None:
    write_labels(tmp_path / "r.nrrd", np.zeros(GRID.shape), GRID)
    assert Case("c", annotations={"r": Annotation(tmp_path / "r.nrrd")}).geometry.shape == GRID.shape


def test_labels_on_another_grid_name_the_difference() -> None:
    case = Case("c", (image(),), {"r": Annotation(image(grid=Geometry.plain((2, 3, 5))))})
    with pytest.raises(UserError, match="5 x 3 x 2, not 4 x 3 x 2 voxels"):
        case.labels("r")


def test_a_label_beyond_the_classes_is_refused() -> None:
    case = Case("c", (image(),), {"r": Annotation(image(2))}, classes=2)
    with pytest.raises(UserError, match="label 2, but the study names 2 classes"):
        case.labels("r")


def test_a_case_with_nothing_says_so() -> None:
    with pytest.raises(UserError, match="neither an image nor labels"):
        _ = Case("c").geometry
    with pytest.raises(UserError, match="has no image"):
        Case("c", annotations={"r": Annotation(image())}).image()
