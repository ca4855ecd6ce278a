"""Any known format is read by what it holds, and labels are whole numbers or refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import SimpleITK as sitk

from NoisyLabelSegLib.cases import (
    Geometry,
    Image,
    read_geometry,
    read_image,
    read_labels,
    write_components,
    write_image,
)
from NoisyLabelSegLib.cases.file_kinds import FileFormat, kind_of, plain_stem
from NoisyLabelSegLib.cases.itk_files import nifti_is_whole
from NoisyLabelSegLib.errors import UserError

OBLIQUE = Geometry((3, 4, 5), (0.5, 0.75, 2.0), (-3.0, 4.0, 5.0), (0.0, -1.0, 0.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0))
RAMP = np.arange(60, dtype=np.int16).reshape(3, 4, 5)


@pytest.mark.parametrize("ending", ["nrrd", "nhdr", "nii", "nii.gz", "mha", "mhd"])
def test_a_volume_keeps_its_voxels_and_its_place(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"volume.{ending}"
    write_image(path, Image(RAMP, OBLIQUE))
    image = read_image(path)
    assert image.array.dtype == np.int16
    np.testing.assert_array_equal(image.array, RAMP)
    assert OBLIQUE.differences(image.geometry) == []
    assert read_geometry(path) == image.geometry


@pytest.mark.parametrize(("ending", "number_type"), [("png", np.uint8), ("png", np.uint16), ("tif", np.uint16)])
def test_a_picture_is_two_dimensional_with_unit_pixels(ending: str, number_type: Any, tmp_path: Path) -> None:
    array = np.arange(12, dtype=number_type).reshape(3, 4)
    picture = sitk.GetImageFromArray(array)
    picture.SetSpacing((0.1, 0.2))
    sitk.WriteImage(picture, str(tmp_path / f"a.{ending}"))
    image = read_image(tmp_path / f"a.{ending}")
    np.testing.assert_array_equal(image.array, array)
    assert image.geometry == Geometry.plain((3, 4))


@pytest.mark.parametrize("name", ["scan.nrrd", "scan.dat", "scan"])
def test_the_content_decides_not_the_name(name: str, tmp_path: Path) -> None:
    write_image(tmp_path / "volume.nii.gz", Image(RAMP, OBLIQUE))
    shutil.move(tmp_path / "volume.nii.gz", tmp_path / name)
    assert kind_of(tmp_path / name) is FileFormat.NIFTI
    np.testing.assert_array_equal(read_image(tmp_path / name).array, RAMP)


def test_components_come_first(tmp_path: Path) -> None:
    field = np.random.default_rng(1).random((4, 3, 4, 5), dtype=np.float32)
    write_components(tmp_path / "p.nrrd", field, OBLIQUE)
    np.testing.assert_array_equal(read_image(tmp_path / "p.nrrd").array, field)
    assert sitk.ReadImage(str(tmp_path / "p.nrrd")).GetNumberOfComponentsPerPixel() == 4


def test_transparency_is_not_a_channel(tmp_path: Path) -> None:
    pixels = np.zeros((3, 4, 4), np.uint8)
    pixels[..., 0], pixels[..., 3] = 7, 255
    sitk.WriteImage(sitk.GetImageFromArray(pixels, isVector=True), str(tmp_path / "a.png"))
    assert read_image(tmp_path / "a.png").array.shape == (3, 3, 4)


def test_a_grey_mask_saved_as_color_is_a_mask(tmp_path: Path) -> None:
    mask = np.eye(4, dtype=np.uint8)
    sitk.WriteImage(sitk.GetImageFromArray(np.stack([mask] * 3, -1), isVector=True), str(tmp_path / "a.png"))
    np.testing.assert_array_equal(read_labels(tmp_path / "a.png").array, mask)


@pytest.mark.parametrize("number_type", [np.uint8, np.int32, np.float64])
def test_whole_numbers_of_any_type_are_labels(number_type: Any, tmp_path: Path) -> None:
    write_image(tmp_path / "a.nrrd", Image((RAMP % 3).astype(number_type), OBLIQUE))
    labels = read_labels(tmp_path / "a.nrrd").array
    assert labels.dtype == np.uint8
    np.testing.assert_array_equal(labels, RAMP % 3)


def test_label_255_is_a_label(tmp_path: Path) -> None:
    write_image(tmp_path / "a.nrrd", Image(np.full((3, 4, 5), 255, np.int32), OBLIQUE))
    assert read_labels(tmp_path / "a.nrrd").array.max() == 255


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("a.nii.gz", "a"),
        ("b.seg.nrrd", "b"),
        ("c.1.nrrd", "c.1"),
        ("plain", "plain"),
        ("D.PNG", "D"),
        ("e.txt", "e.txt"),
    ],
)
def test_endings_of_two_parts_go_whole(name: str, stem: str) -> None:
    assert plain_stem(Path(name)) == stem


def test_a_nifti_of_several_gzip_parts_is_whole(tmp_path: Path) -> None:
    import gzip

    write_image(tmp_path / "a.nii", Image(RAMP, OBLIQUE))
    data = (tmp_path / "a.nii").read_bytes()
    (tmp_path / "a.nii.gz").write_bytes(gzip.compress(data[:400]) + gzip.compress(data[400:]))
    assert nifti_is_whole(tmp_path / "a.nii.gz")
    np.testing.assert_array_equal(read_image(tmp_path / "a.nii.gz").array, RAMP)


@pytest.mark.parametrize("ending", ["nrrd", "nii", "nii.gz", "mha"])
@pytest.mark.parametrize("keep", [0.5, 0.9, 0.99])
def test_a_file_that_ends_early_is_refused(ending: str, keep: float, tmp_path: Path) -> None:
    path = tmp_path / f"a.{ending}"
    noise = np.random.default_rng(0).integers(0, 255, (10, 20, 20), dtype=np.uint8)
    sitk.WriteImage(sitk.GetImageFromArray(noise), str(path), useCompression=False)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * keep)])
    with pytest.raises(UserError, match="damaged or truncated"):
        read_image(path)
