"""Frames find their slices, on the grid of the images or on one of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pydicom
import pytest

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.cases.dicom_seg import read_dicom_seg
from NoisyLabelSegLib.cases.dicom_seg_frames import common_grid
from NoisyLabelSegLib.cases.dicom_series import read_dicom_series
from Testing.cases.two_segments import SHAPE, two_segments


def test_frames_left_out_between_others_are_empty(tmp_path: Path, slices, make_seg):
    labels = np.zeros(SHAPE, np.uint8)
    labels[0, 1, 1] = labels[1, 1, 2] = labels[3, 1, 3] = 1
    path = make_seg(tmp_path / "seg", slices, labels, ["liver"])
    assert pydicom.dcmread(path).NumberOfFrames == 3
    np.testing.assert_array_equal(read_dicom_seg(path).as_labels().array, labels)


@pytest.mark.parametrize(("stated", "slices_read"), [(2.0, 3), (1.6, 2), (4.0, 2), (None, 2)])
def test_the_stated_distance_of_slices_fills_gaps_where_it_fits_the_positions(
    tmp_path: Path, slices, make_seg, stated, slices_read
):
    labels = np.zeros(SHAPE, np.uint8)
    labels[0, 1, 1] = labels[2, 1, 3] = 1  # 4 mm apart
    path = make_seg(tmp_path / "seg.dcm", slices, labels, ["liver"])
    data = pydicom.dcmread(path)
    measures = data.SharedFunctionalGroupsSequence[0].PixelMeasuresSequence[0]
    measures.SpacingBetweenSlices = stated
    if stated is None:
        del measures.SpacingBetweenSlices
    data.save_as(path)
    read = read_dicom_seg(path).as_labels()
    assert read.geometry.shape[0] == slices_read
    np.testing.assert_array_equal(read.array[[0, -1]], labels[[0, 2]])
    assert read.geometry.points((slices_read - 1, 0, 0)).tolist() == [-5.0, 7.0, -6.0]


def test_an_oblique_series_and_its_segmentation_share_their_grid(tmp_path: Path, make_series, make_seg):
    c, s = np.cos(0.3), np.sin(0.3)
    normal = np.cross([c, s, 0], [0, 0, -1])
    positions = [(np.array([1.0, 2.0, 3.0]) - 2.5 * z * normal).round(6).tolist() for z in range(4)]
    orientation = [round(float(part), 6) for part in (c, s, 0, 0, 0, -1)]
    slices = make_series(tmp_path / "ct", np.zeros(SHAPE), positions=positions, orientation=orientation)
    path = make_seg(tmp_path / "seg", slices, two_segments(), ["liver", "lung"])
    segmentation = read_dicom_seg(path, images=tmp_path / "ct")
    np.testing.assert_array_equal(segmentation.as_labels().array, two_segments()[::-1])  # stored against the normal
    own = read_dicom_seg(path).as_labels()
    at = np.argwhere(own.array == 2)[0]
    there = np.argwhere(segmentation.as_labels().array == 2)[0]
    np.testing.assert_allclose(own.geometry.points(at), segmentation.geometry.points(there), atol=1e-4)


def test_positions_that_the_scanner_rounded_still_find_their_slices(tmp_path: Path, make_series, make_seg):
    positions = [(0, 0, z) for z in (0, 0.7, 1.5, 2.2)]  # every 0.7333 mm
    slices = make_series(tmp_path / "ct", np.zeros(SHAPE), positions=positions)
    path = make_seg(tmp_path / "seg", slices, two_segments(), ["liver", "lung"])
    segmentation = read_dicom_seg(path, images=tmp_path / "ct")
    assert segmentation.geometry == read_dicom_series(tmp_path / "ct").geometry
    np.testing.assert_array_equal(segmentation.as_labels().array, two_segments())


def test_a_segmentation_on_other_pixels_keeps_its_own_grid(tmp_path: Path, slices, make_seg):
    path = make_seg(tmp_path / "seg", slices, two_segments(), ["liver", "lung"])
    coarser = Geometry((4, 3, 5), (1.0, 1.2, 2.0), (-5.0, 7.0, -10.0), (1, 0, 0, 0, 1, 0, 0, 0, 1))
    assert read_dicom_seg(path, images=coarser).geometry.shape == (2, 3, 5)


def test_stacks_that_leave_out_different_frames_find_a_common_grid():
    whole = Geometry((9, 3, 5), (0.5, 0.6, 2.0), (-5.0, 7.0, -10.0), (1, 0, 0, 0, 1, 0, 0, 0, 1))
    low = Geometry((2, 3, 5), whole.spacing, (-5.0, 7.0, -8.0), whole.direction)
    high = Geometry((3, 3, 5), whole.spacing, (-5.0, 7.0, 0.0), whole.direction)
    assert common_grid([high, low]) == Geometry((7, 3, 5), whole.spacing, (-5.0, 7.0, -8.0), whole.direction)
    assert common_grid([low, Geometry((3, 3, 5), whole.spacing, (-5.0, 7.0, 1.0), whole.direction)]) is None
