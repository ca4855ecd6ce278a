"""A folder of DICOM slices becomes one image, or a sentence that says why not."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import read_image
from NoisyLabelSegLib.cases.dicom_series import list_series, read_dicom_series
from NoisyLabelSegLib.errors import UserError

VOXELS = np.arange(4 * 3 * 5, dtype=np.int16).reshape(4, 3, 5)


def test_slices_are_sorted_by_position_and_rescaled_to_hounsfield_units(tmp_path: Path, make_series):
    make_series(tmp_path, VOXELS)
    image = read_dicom_series(tmp_path)
    np.testing.assert_array_equal(image.array, VOXELS - 1024)
    assert image.array.dtype == np.int16
    assert image.geometry.shape == (4, 3, 5)
    assert image.geometry.spacing == (0.5, 0.6, 2.0)
    assert image.geometry.origin == (-5.0, 7.0, -10.0)
    assert image.geometry.direction == (1, 0, 0, 0, 1, 0, 0, 0, 1)


def test_a_stack_stored_from_head_to_feet_starts_at_its_lowest_slice(tmp_path: Path, make_series):
    make_series(tmp_path, VOXELS, positions=[(0, 0, -2 * z) for z in range(4)])
    image = read_dicom_series(tmp_path)
    assert image.geometry.origin == (0, 0, -6)
    np.testing.assert_array_equal(image.array, VOXELS[::-1] - 1024)


def test_a_sagittal_series_keeps_every_voxel_at_its_place_in_the_patient(tmp_path: Path, make_series):
    # Rows run to the back (+y), columns to the feet (-z); the normal of that is -x.
    make_series(tmp_path, VOXELS, orientation=(0, 1, 0, 0, 0, -1), positions=[(3 * i, 10, 20) for i in range(4)])
    image = read_dicom_series(tmp_path)
    at = np.argwhere(image.array == VOXELS[1, 2, 3] - 1024)[0]
    # slice 1 lies at x = 3; 3 columns further back by 0.5 mm each; 2 rows further down by 0.6 mm each
    np.testing.assert_allclose(image.geometry.points(at), [3, 10 + 3 * 0.5, 20 - 2 * 0.6])


def test_other_files_and_segmentations_in_the_folder_are_passed_over(tmp_path: Path, make_series, make_seg):
    paths = make_series(tmp_path / "deep" / "er", VOXELS, names=["a", "b.ima", "1.2.3.4.5", "d.dcm"])
    make_seg(tmp_path / "seg", paths, (VOXELS > 30).astype(np.uint8), ["lesion"])
    (tmp_path / "69.xml").write_text("<LidcReadMessage/>")
    (tmp_path / "empty").touch()
    np.testing.assert_array_equal(read_dicom_series(tmp_path).array, VOXELS - 1024)


def test_fractional_slopes_give_floats_and_whole_ones_beyond_int16_stay_whole(tmp_path: Path, make_series):
    make_series(tmp_path / "pet", VOXELS, slope=0.5, intercept=0.25)
    image = read_dicom_series(tmp_path / "pet")
    assert image.array.dtype == np.float32
    np.testing.assert_allclose(image.array, VOXELS * 0.5 + 0.25)
    make_series(tmp_path / "big", VOXELS, slope=1000, intercept=0)
    image = read_dicom_series(tmp_path / "big")
    assert np.issubdtype(image.array.dtype, np.integer)
    np.testing.assert_array_equal(image.array, VOXELS.astype(int) * 1000)


def test_a_single_slice_is_a_volume_as_thick_as_the_slice(tmp_path: Path, make_series):
    make_series(tmp_path, VOXELS[:1])
    assert read_dicom_series(tmp_path).geometry.shape == (1, 3, 5)
    assert read_dicom_series(tmp_path).geometry.spacing == (0.5, 0.6, 2.0)


def test_several_series_are_listed_and_one_can_be_chosen(tmp_path: Path, make_series):
    make_series(tmp_path / "a", VOXELS, uid="1.2.3.4", SeriesDescription="Thorax")
    make_series(tmp_path / "b", VOXELS + 7, uid="1.2.3.5")
    assert [series.uid for series in list_series(tmp_path)] == ["1.2.3.4", "1.2.3.5"]
    with pytest.raises(UserError, match=r"2 series: CT 'Thorax' \(files: 4, UID 1\.2\.3\.4\); CT \(files: 4") as caught:
        read_dicom_series(tmp_path)
    assert "Secret" not in caught.value.sentence
    np.testing.assert_array_equal(read_dicom_series(tmp_path, "1.2.3.5").array, VOXELS + 7 - 1024)
    with pytest.raises(UserError, match=r"no series with the UID 9\.9"):
        read_dicom_series(tmp_path, "9.9")


def test_rounded_positions_are_still_one_stack(tmp_path: Path, make_series):
    make_series(tmp_path, VOXELS, positions=[(0, 0, z) for z in (0, 0.7, 1.5, 2.2)])  # 0.7333 mm, rounded to 0.1
    assert read_dicom_series(tmp_path).geometry.spacing[2] == pytest.approx(2.2 / 3)


@pytest.mark.parametrize(
    ("positions", "sentence"),
    [
        (
            [(0, 0, 0), (0, 0, 2), (0, 0, 6), (0, 0, 8)],
            r"gaps \(missing slices: 1\): .* are 4 mm apart, the others 2 mm",
        ),
        ([(0, 0, 0), (0, 0, 2), (0, 0, 2), (0, 0, 4)], "two slices at the same place"),
        ([(0, 0, 0), (0, 0, 2), (0, 0, 4.8), (0, 0, 6.8)], "uneven distances"),
        ([(0, 0, 0), (0, 0.5, 2), (0, 1, 4), (0, 1.5, 6)], r"sheared by 14 degrees \(gantry tilt\)"),
    ],
)
def test_an_irregular_stack_is_reported_with_its_folder(tmp_path: Path, make_series, positions, sentence):
    make_series(tmp_path, VOXELS, positions=positions)
    with pytest.raises(UserError, match=sentence) as caught:
        read_dicom_series(tmp_path)
    assert caught.value.file == tmp_path


def test_slices_that_are_not_parallel_or_of_another_size_are_reported(tmp_path: Path, make_series):
    make_series(tmp_path / "a", VOXELS)
    make_series(tmp_path / "a", VOXELS[:1], names=["scout"], orientation=(0, 1, 0, 0, 0, -1))
    with pytest.raises(UserError, match="is not parallel to"):
        read_dicom_series(tmp_path / "a")
    make_series(tmp_path / "b", VOXELS)
    make_series(tmp_path / "b", VOXELS[:1, :2], names=["small"])
    with pytest.raises(UserError, match=r"small: has another size|of the same series"):
        read_dicom_series(tmp_path / "b")


@pytest.mark.parametrize("size", [140, 400, 700, -20])
def test_a_truncated_slice_is_named(tmp_path: Path, make_series, size):
    paths = make_series(tmp_path, VOXELS)
    paths[2].write_bytes(paths[2].read_bytes()[:size])
    with pytest.raises(UserError) as caught:
        read_dicom_series(tmp_path)
    assert caught.value.file == paths[2]


def test_numbers_that_cannot_be_used_are_refused(tmp_path: Path, make_series):
    import pydicom

    paths = make_series(tmp_path, VOXELS)
    good = paths[1].read_bytes()
    paths[1].write_bytes(good.replace(rb"0.6\0.5", rb"nan\0.5"))
    with pytest.raises(UserError, match="not a usable number"):
        read_dicom_series(tmp_path)
    data = pydicom.dcmread(paths[0])
    data.PixelSpacing = [0, 0]
    data.save_as(paths[0])
    paths[1].write_bytes(good)
    with pytest.raises(UserError, match="pixel spacing"):
        read_dicom_series(tmp_path)


def test_a_folder_without_images_is_refused(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("nothing here")
    with pytest.raises(UserError, match="holds no DICOM images"):
        read_dicom_series(tmp_path)
    with pytest.raises(UserError, match="is not a folder"):
        read_dicom_series(tmp_path / "absent")


def test_the_lidc_scan_equals_its_nrrd(shared_data: Path, tmp_path: Path):
    folder = shared_data / "lidc-ct-xml" / "LIDC-IDRI-0001"
    shutil.copytree(folder / "dicom", tmp_path / "scan")
    image, expected = read_dicom_series(tmp_path / "scan"), read_image(folder / "ct.nrrd")
    assert image.geometry == expected.geometry
    assert image.array.dtype == expected.array.dtype
    np.testing.assert_array_equal(image.array, expected.array)
