"""Studies and folders as nodes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_image, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.arrays import arrayOf
from NoisyLabelSegLib.scene.loading import loadCase, loadStudy, openStudy
from NoisyLabelSegLib.scene.nodes import Role
from NoisyLabelSegLib.scene.placing import geometryOf
from NoisyLabelSegLib.scene.scene_case import caseOfFolder

Node = Any
GRID = Geometry((4, 5, 6), (1.0, 1.0, 2.0), (1.0, 2.0, 3.0), (0, 1, 0, -1, 0, 0, 0, 0, 1))


def labels(value: int = 1) -> Any:
    array = np.zeros(GRID.shape, dtype=np.uint8)
    array[1:3, 1:4, 2:5] = value
    return array


def write_folder(folder: Path, *, value: int = 1) -> None:
    for case in ("a", "b"):
        write_image(folder / case / "image.nrrd", Image(np.arange(120, dtype=np.int16).reshape(GRID.shape), GRID))
        write_labels(folder / case / "anna.nrrd", labels(value), GRID)
        write_labels(folder / case / "ben.nrrd", labels(value), GRID)


def write_study(folder: Path) -> None:
    write_folder(folder)
    write_labels(folder / "a" / "truth.nrrd", labels(), GRID)
    cases = [
        Case(
            id,
            (folder / id / "image.nrrd",),
            {name: Annotation(folder / id / f"{name}.nrrd") for name in ("anna", "ben")},
            truth_source=folder / "a" / "truth.nrrd" if id == "a" else None,
        )
        for id in ("a", "b")
    ]
    Study("nodules", ("background", "nodule"), ("anna", "ben"), cases, folder).write()


def test_a_study_is_loaded_case_by_case(scene: Node, tmp_path: Path) -> None:
    write_study(tmp_path)
    seen = []
    study = openStudy(tmp_path)
    folders = loadStudy(scene, study, report=lambda progress: seen.append((progress.done, progress.total)))
    assert [folder.case for folder in folders] == ["a", "b"]
    assert seen == [(0, 2), (1, 2), (2, 2)]
    assert not GRID.differences(geometryOf(folders[0].image))
    np.testing.assert_array_equal(caseOfFolder(folders[1]).case.labels("ben"), labels())


def test_the_known_truth_is_loaded_but_not_shown(scene: Node, tmp_path: Path) -> None:
    write_study(tmp_path)
    (folder,) = loadStudy(scene, openStudy(tmp_path), ["a"])
    known = folder.find(Role.KNOWN_TRUTH)
    assert known.GetSegmentation().GetNthSegment(0).GetName() == "nodule"
    assert not known.GetDisplayNode().GetVisibility()
    assert folder.find(Role.TRUTH) is None


@pytest.mark.parametrize("value", [1, 255])
def test_a_folder_without_a_study_file_is_understood_and_left_alone(value: int, scene: Node, tmp_path: Path) -> None:
    write_folder(tmp_path, value=value)
    before = sorted(tmp_path.rglob("*"))
    (folder,) = loadStudy(scene, openStudy(tmp_path), ["b"])
    assert folder.annotators == ("anna", "ben")
    np.testing.assert_array_equal(caseOfFolder(folder).case.labels("anna"), labels())
    assert sorted(tmp_path.rglob("*")) == before


def test_an_annotator_has_the_same_color_in_every_case(scene: Node, small_case: Callable[..., Case]) -> None:
    whole = loadCase(scene, small_case(3), annotators=["reader1", "reader2", "reader3"])
    some = Case("case2", small_case().images, {"reader3": small_case().annotations["reader3"]}, classes=2)
    other = loadCase(scene, some, annotators=["reader1", "reader2", "reader3"])
    colors = [
        folder.find(Role.ANNOTATOR, annotator="reader3").GetSegmentation().GetNthSegment(0).GetColor()
        for folder in (whole, other)
    ]
    assert colors[0] == colors[1]


def test_a_photo_is_shown_in_color(scene: Node) -> None:
    photo = Image(np.random.default_rng(0).integers(0, 255, (3, 7, 9), dtype=np.uint8), Geometry.plain((7, 9)))
    folder = loadCase(scene, Case("cells", (photo,)))
    assert folder.image.IsA("vtkMRMLVectorVolumeNode")
    np.testing.assert_array_equal(arrayOf(folder.image)[:, 0], photo.array)


def test_every_channel_is_a_volume(scene: Node) -> None:
    channels = Image(np.zeros((4, *GRID.shape), np.float32), GRID)
    folder = loadCase(scene, Case("multi", (channels, Image(np.zeros(GRID.shape, np.int64), GRID))))
    assert len(folder.nodes(Role.IMAGE)) == 5
    assert caseOfFolder(folder).case.image().shape == (5, *GRID.shape)


def test_a_picture_and_its_labels_lie_on_each_other(scene: Node) -> None:
    plain = Geometry.plain((7, 9), (0.5, 0.5))
    drawn = np.zeros((7, 9), np.uint8)
    drawn[2:4, 3:7] = 1
    case = Case(
        "flat", (Image(np.zeros((7, 9), np.uint8), plain),), {"anna": Annotation(Image(drawn, plain))}, classes=2
    )
    again = caseOfFolder(loadCase(scene, case)).case
    np.testing.assert_array_equal(again.labels("anna")[0], drawn)


def test_whole_numbers_beyond_32_bits_are_refused(scene: Node) -> None:
    large = Image(np.full(GRID.shape, 2**40, np.int64), GRID)
    with pytest.raises(UserError, match="whole numbers beyond 32 bits"):
        loadCase(scene, Case("large", (large,)))


def test_a_folder_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no image with labels"):
        openStudy(tmp_path)


def test_a_very_large_scan_gets_the_window_that_slicer_would_choose(
    scene: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.random.default_rng(0).normal(100, 20, (40, 50, 60)).astype(np.int16)
    case = Case("a", (Image(array, Geometry.plain(array.shape)),))
    usual = loadCase(scene, case).image.GetDisplayNode()
    expected = usual.GetWindowLevelMin(), usual.GetWindowLevelMax()
    assert usual.GetAutoWindowLevel()
    scene.Clear(0)
    monkeypatch.setattr("NoisyLabelSegLib.scene.loading.MANY_VOXELS", 10)
    display = loadCase(scene, case).image.GetDisplayNode()
    assert (display.GetWindowLevelMin(), display.GetWindowLevelMax()) == pytest.approx(expected, abs=6)
    assert not display.GetAutoWindowLevel()
