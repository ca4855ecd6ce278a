"""Labels written as DICOM SEG come back, by our reader and by highdicom alone."""

from __future__ import annotations

from pathlib import Path

import highdicom
import numpy as np
import pydicom
import pytest

from NoisyLabelSegLib.cases import Image
from NoisyLabelSegLib.cases.dicom_seg import read_dicom_seg, references
from NoisyLabelSegLib.cases.dicom_seg_writer import write_dicom_seg
from NoisyLabelSegLib.cases.dicom_series import read_dicom_series
from NoisyLabelSegLib.errors import UserError


@pytest.fixture
def labels(tmp_path: Path, make_series) -> Image:
    make_series(tmp_path / "ct", np.zeros((4, 3, 5)), positions=[(0, 0, -2 * z) for z in range(4)])
    array = np.zeros((4, 3, 5), np.uint8)
    array[0, 1, 2], array[2, 0, 4] = 1, 2
    return Image(array, read_dicom_series(tmp_path / "ct").geometry)


def test_labels_come_back_on_their_grid_with_their_names(tmp_path: Path, labels: Image):
    path = tmp_path / "truth.dcm"
    write_dicom_seg(path, labels, ["background", "liver", "lung"], tmp_path / "ct")
    read = read_dicom_seg(path, images=tmp_path / "ct")
    np.testing.assert_array_equal(read.as_labels().array, labels.array)
    assert read.geometry == labels.geometry
    assert [segment.name for segment in read.segments] == ["liver", "lung"]
    assert references(path).series == {"1.2.3.4"}


def test_highdicom_finds_the_labels_on_the_slices_they_were_drawn_on(tmp_path: Path, labels: Image):
    write_dicom_seg(tmp_path / "truth.dcm", labels, ["background", "liver", "lung"], tmp_path / "ct")
    seg = highdicom.seg.segread(tmp_path / "truth.dcm")
    # The fixture numbers instances from the top of the patient, the array counts slices from below.
    frames = seg.get_pixels_by_source_instance(["1.2.3.4.4", "1.2.3.4.2"], combine_segments=True)
    np.testing.assert_array_equal(frames, labels.array[[0, 2]])


def test_labels_without_any_segment_are_written_too(tmp_path: Path, labels: Image):
    empty = Image(np.zeros_like(labels.array), labels.geometry)
    write_dicom_seg(tmp_path / "truth.dcm", empty, ["background", "liver"], tmp_path / "ct", drawn_by_hand=True)
    assert not read_dicom_seg(tmp_path / "truth.dcm").as_labels().array.any()
    assert pydicom.dcmread(tmp_path / "truth.dcm").SegmentSequence[0].SegmentAlgorithmType == "MANUAL"


def test_the_same_labels_get_the_same_uid_and_others_another(tmp_path: Path, labels: Image):
    other = Image(labels.array[::-1].copy(), labels.geometry)
    for name, content in (("a", labels), ("b", labels), ("c", other)):
        write_dicom_seg(tmp_path / name, content, ["background", "liver", "lung"], tmp_path / "ct")
    first, second, third = (pydicom.dcmread(tmp_path / name).SOPInstanceUID for name in "abc")
    assert first == second != third


def test_labels_that_do_not_fit_the_series_are_refused(tmp_path: Path, labels: Image):
    from dataclasses import replace

    moved = Image(labels.array, replace(labels.geometry, origin=(0.0, 0.0, 0.0)))
    with pytest.raises(UserError, match="not on the grid of its series: its origin is 6 mm away"):
        write_dicom_seg(tmp_path / "truth.dcm", moved, ["background", "liver", "lung"], tmp_path / "ct")
    with pytest.raises(UserError, match="label 2, but only 2 classes"):
        write_dicom_seg(tmp_path / "truth.dcm", labels, ["background", "liver"], tmp_path / "ct")
    assert not (tmp_path / "truth.dcm").exists()


def test_segments_have_the_codes_of_their_names_and_the_reader_as_creator(tmp_path: Path, labels: Image):
    classes = ["background", "kidneys", "Lung nodule"]
    given = {
        "kidneys": {"category": ["1", "99TEST", "Organ"], "type": {"value": "2", "scheme": "99TEST", "meaning": "K"}}
    }
    write_dicom_seg(tmp_path / "a.dcm", labels, classes, tmp_path / "ct", drawn_by_hand=True, creator="Anna")
    write_dicom_seg(tmp_path / "b.dcm", labels, classes, tmp_path / "ct", codes=given)
    kidney, nodule = _descriptions(tmp_path / "a.dcm")
    assert (kidney.segmented_property_type.meaning, kidney.segmented_property_type.value) == ("Kidney", "64033007")
    assert kidney.segmented_property_category.meaning == "Anatomical Structure"
    assert nodule.segmented_property_type.meaning == "Nodule"
    assert nodule.segmented_property_category.meaning == "Morphologically Abnormal Structure"
    assert pydicom.dcmread(tmp_path / "a.dcm").ContentCreatorName == "Anna"
    assert _descriptions(tmp_path / "b.dcm")[0].segmented_property_type.value == "2"
    with pytest.raises(UserError, match="not DICOM codes"):
        write_dicom_seg(tmp_path / "c.dcm", labels, classes, tmp_path / "ct", codes={"kidneys": {"type": "kidney"}})


def _descriptions(path: Path) -> list[highdicom.seg.SegmentDescription]:
    seg = highdicom.seg.segread(path)
    return [seg.get_segment_description(number) for number in seg.segment_numbers]
