"""DICOM SEG of every type gives the same voxels at the same places."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pydicom
import pytest

from NoisyLabelSegLib.cases import Geometry, read_image, read_labels
from NoisyLabelSegLib.cases.dicom_seg import is_dicom_seg, read_dicom_seg, references
from NoisyLabelSegLib.cases.dicom_series import read_dicom_series
from NoisyLabelSegLib.errors import UserError
from Testing.cases.two_segments import SHAPE, two_segments


@pytest.mark.parametrize("kind", ["BINARY", "FRACTIONAL", "LABELMAP"])
def test_every_type_gives_the_same_labels_on_the_grid_of_its_images(tmp_path: Path, slices, make_seg, kind):
    path = make_seg(tmp_path / "seg", slices, two_segments(), ["liver", "lung"], kind=kind)
    segmentation = read_dicom_seg(path, images=tmp_path / "ct")
    assert segmentation.geometry == read_dicom_series(tmp_path / "ct").geometry
    assert [(segment.name, segment.value) for segment in segmentation.segments] == [("liver", 1), ("lung", 2)]
    np.testing.assert_array_equal(segmentation.as_labels().array, two_segments())


@pytest.mark.parametrize("kind", ["BINARY", "LABELMAP"])
def test_without_images_the_frames_that_were_stored_span_the_grid(tmp_path: Path, slices, make_seg, kind):
    path = make_seg(tmp_path / "seg", slices, two_segments(), ["liver", "lung"], kind=kind)
    labels = read_labels(path)
    assert labels.geometry == Geometry((2, 3, 5), (0.5, 0.6, 2.0), (-5.0, 7.0, -8.0), (1, 0, 0, 0, 1, 0, 0, 0, 1))
    np.testing.assert_array_equal(labels.array, two_segments()[1:3])


def test_overlapping_segments_stay_apart(tmp_path: Path, slices, make_seg):
    masks = np.zeros((*SHAPE, 2), np.uint8)
    masks[1, 0, :3, 0] = masks[1, 0, 2:, 1] = 1
    segmentation = read_dicom_seg(make_seg(tmp_path / "seg", slices, masks, ["nodule", "wall"]), images=tmp_path / "ct")
    assert segmentation.overlap
    for index, segment in enumerate(segmentation.segments):
        np.testing.assert_array_equal(segmentation.mask(segment), masks[..., index])
    with pytest.raises(UserError, match="segments that overlap"):
        segmentation.as_labels()


def test_fractions_at_the_threshold_belong_to_the_segment(tmp_path: Path, slices, make_seg):
    fractions = np.zeros((*SHAPE, 1))
    fractions[1, 0, :4, 0] = [0.2, 0.5, 0.6, 1.0]
    path = make_seg(tmp_path / "seg", slices, fractions, ["tumor"], kind="FRACTIONAL", max_fractional_value=10)
    assert read_dicom_seg(path).as_labels().array[0, 0].tolist() == [0, 1, 1, 1, 0]
    assert read_dicom_seg(path, threshold=0.6).as_labels().array[0, 0].tolist() == [0, 0, 1, 1, 0]
    assert read_dicom_seg(path, threshold=0.1).as_labels().array[0, 0].tolist() == [1, 1, 1, 1, 0]
    with pytest.raises(UserError, match="threshold"):
        read_dicom_seg(path, threshold=0)


def test_a_label_map_may_have_more_than_255_segments(tmp_path: Path, slices, make_seg):
    labels = np.zeros(SHAPE, np.uint16)
    labels[1, 0, 0], labels[1, 0, 1] = 3, 300
    path = make_seg(tmp_path / "seg", slices, labels, [f"part {n}" for n in range(1, 301)], kind="LABELMAP")
    segmentation = read_dicom_seg(path, images=tmp_path / "ct")
    assert len(segmentation.segments) == 300
    assert np.argwhere(segmentation.mask(segmentation.segments[299])).tolist() == [[1, 0, 1]]


@pytest.mark.parametrize("kind", ["BINARY", "FRACTIONAL", "LABELMAP"])
@pytest.mark.parametrize("tiles", ["TILED_SPARSE", "TILED_FULL"])
def test_a_slide_becomes_a_picture(tmp_path: Path, make_seg, kind, tiles):
    _make_slide(tmp_path / "slide.dcm")
    labels = np.zeros((1, 10, 12), np.uint8)
    labels[0, 7:9, 9], labels[0, 0, 0] = 1, 2
    path = make_seg(
        tmp_path / "seg",
        [tmp_path / "slide.dcm"],
        labels,
        ["cell", "debris"],
        kind=kind,
        tile_pixel_array=True,
        tile_size=(4, 4),
        dimension_organization_type=tiles,
        omit_empty_frames=tiles == "TILED_SPARSE",
    )
    read = read_labels(path)
    np.testing.assert_array_equal(read.array, labels[0])
    assert read.geometry.spacing == (0.25, 0.5)


def test_a_label_map_may_be_colored_and_compressed(tmp_path: Path, slices, make_seg):
    from highdicom import UID, PaletteColorLUTTransformation

    palette = PaletteColorLUTTransformation.from_colors(["black", "red", "green"], palette_color_lut_uid=UID())
    path = make_seg(
        tmp_path / "seg",
        slices,
        two_segments(),
        ["liver", "lung"],
        kind="LABELMAP",
        palette_color_lut_transformation=palette,
        transfer_syntax_uid="1.2.840.10008.1.2.5",  # RLE
    )
    segmentation = read_dicom_seg(path, images=tmp_path / "ct")
    assert [segment.name for segment in segmentation.segments] == ["liver", "lung"]  # 0 is described as background
    np.testing.assert_array_equal(segmentation.as_labels().array, two_segments())


def test_a_radiograph_without_a_place_in_the_patient_becomes_a_picture(tmp_path: Path, slices, make_seg):
    data = pydicom.dcmread(slices[0])
    for keyword in ("FrameOfReferenceUID", "ImagePositionPatient", "ImageOrientationPatient"):
        delattr(data, keyword)
    data.SOPClassUID = data.file_meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.1"
    (tmp_path / "cr").mkdir()
    data.save_as(tmp_path / "cr" / "1.dcm")
    mask = np.eye(3, 5, dtype=np.uint8)[None]
    path = make_seg(tmp_path / "seg", [tmp_path / "cr" / "1.dcm"], mask, ["fracture"])
    for read in (read_dicom_seg(path), read_dicom_seg(path, images=tmp_path / "cr")):
        np.testing.assert_array_equal(read.as_labels().array, mask[0])
        assert read.geometry == Geometry.plain((3, 5), (0.5, 0.6))


def test_a_segmentation_tells_what_it_was_drawn_on(tmp_path: Path, slices, make_seg):
    path = make_seg(tmp_path / "seg", slices, two_segments(), ["liver", "lung"])
    assert references(path).series == {"1.2.3.4"}
    assert "1.2.3.4.2" in references(path).instances
    assert is_dicom_seg(path)
    assert not is_dicom_seg(slices[0])


def test_images_of_another_series_are_refused(tmp_path: Path, slices, make_series, make_seg):
    path = make_seg(tmp_path / "seg", slices, two_segments(), ["liver", "lung"])
    make_series(tmp_path / "other", np.zeros(SHAPE), uid="1.2.3.9")
    with pytest.raises(UserError, match="was not drawn on any series in"):
        read_dicom_seg(path, images=tmp_path / "other")


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8, 0.99])
def test_a_truncated_segmentation_is_refused_by_name(tmp_path: Path, slices, make_seg, share):
    path = make_seg(tmp_path / "seg.dcm", slices, two_segments(), ["liver", "lung"], omit_empty_frames=False)
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    with pytest.raises(UserError) as caught:
        read_dicom_seg(path)
    assert caught.value.file == path


def test_damaged_descriptions_are_refused_by_name(tmp_path: Path, slices, make_seg):
    path = make_seg(tmp_path / "seg.dcm", slices, two_segments(), ["liver", "lung"])

    def spoil(change) -> None:
        data = pydicom.dcmread(path)
        change(data)
        data.save_as(tmp_path / "bad.dcm")
        with pytest.raises(UserError) as caught:
            read_dicom_seg(tmp_path / "bad.dcm")
        assert caught.value.file == tmp_path / "bad.dcm"

    spoil(lambda data: data.pop("SegmentSequence"))
    spoil(lambda data: data.pop("PerFrameFunctionalGroupsSequence"))
    spoil(lambda data: data.pop("SharedFunctionalGroupsSequence"))
    spoil(lambda data: data.pop("PixelData"))
    spoil(lambda data: setattr(data, "NumberOfFrames", 9))
    spoil(lambda data: setattr(data, "Rows", 4000))
    spoil(lambda data: setattr(data, "SegmentationType", "SURFACE"))
    spoil(lambda data: setattr(_shared(data).PixelMeasuresSequence[0], "PixelSpacing", [0, 0]))
    spoil(lambda data: setattr(_shared(data).PlaneOrientationSequence[0], "ImageOrientationPatient", [0] * 6))
    spoil(lambda data: setattr(_first(data), "ImagePositionPatient", [1e30, 0, 0]))
    spoil(lambda data: setattr(_first(data), "ImagePositionPatient", [-5, 7, 1e7]))


def test_an_image_is_not_a_segmentation(slices):
    with pytest.raises(UserError, match="is not a DICOM SEG"):
        read_dicom_seg(slices[0])


def test_the_samples_of_dcmqi_equal_their_nrrds(shared_data: Path):
    folder = shared_data / "dicom-seg" / "dcmqi"
    for seg, images, nrrd in [
        ("liver.dcm", "ct-3slice", "liver_seg.nrrd"),
        ("23x38x3/seg/label.seg", "23x38x3/image", "23x38x3/nrrd/label.nrrd"),
    ]:
        expected = read_labels(folder / nrrd)
        for labels in (read_labels(folder / seg), read_dicom_seg(folder / seg, images=folder / images).as_labels()):
            np.testing.assert_array_equal(labels.array, expected.array)
            assert not expected.geometry.differences(labels.geometry)
    overlapping = read_dicom_seg(folder / "partial_overlaps.dcm", images=folder / "ct-3slice")
    assert [segment.name for segment in overlapping.segments] == [
        "GREEN",
        "ORANGE",
        "PURPLE",
        "LIGHT_BLUE",
        "DARK_BLUE",
    ]
    for number, file in zip([1, 2, 3, 4, 5], [1, 2, 3, 1, 1], strict=True):
        expected = read_image(folder / f"partial_overlaps-{file}.nrrd")
        np.testing.assert_array_equal(overlapping.mask(overlapping.segments[number - 1]), expected.array == number)


def test_the_samples_of_highdicom_are_read(shared_data: Path):
    folder = shared_data / "dicom-seg" / "highdicom"
    assert int(read_labels(folder / "seg_image_ct_binary.dcm").array.sum()) == 638
    overlapping = read_dicom_seg(folder / "seg_image_ct_binary_overlap.dcm")
    assert [int(overlapping.mask(segment).sum()) for segment in overlapping.segments] == [64, 16]
    fractional = read_dicom_seg(folder / "seg_image_ct_true_fractional.dcm", threshold=0.5)
    data = pydicom.dcmread(folder / "seg_image_ct_true_fractional.dcm")
    np.testing.assert_array_equal(fractional.as_labels().array, data.pixel_array / 255 >= 0.5)


def _shared(data):
    return data.SharedFunctionalGroupsSequence[0]


def _first(data):
    return data.PerFrameFunctionalGroupsSequence[0].PlanePositionSequence[0]


def _make_slide(path: Path) -> None:
    """The header of a whole-slide image of 10 x 12 pixels, which is all that highdicom needs."""
    from highdicom import UID
    from pydicom.dataset import Dataset, FileDataset, FileMetaDataset

    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID = "1.2.840.10008.5.1.4.1.1.77.1.6"
    meta.MediaStorageSOPInstanceUID = UID()
    meta.TransferSyntaxUID = "1.2.840.10008.1.2.1"
    data = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
    data.SOPClassUID, data.SOPInstanceUID = meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID
    data.StudyInstanceUID, data.SeriesInstanceUID, data.FrameOfReferenceUID = UID(), UID(), UID()
    data.Modality, data.PatientID, data.PatientName = "SM", "1", "A^B"
    data.PatientBirthDate = data.PatientSex = data.StudyDate = data.StudyTime = data.AccessionNumber = ""
    data.StudyID, data.ReferringPhysicianName, data.ContainerIdentifier = "1", "", "1"
    data.SpecimenDescriptionSequence, data.IssuerOfTheContainerIdentifierSequence = [Dataset()], []
    data.ContainerTypeCodeSequence = []
    data.ImageType = ["DERIVED", "PRIMARY", "VOLUME", "NONE"]
    data.Rows, data.Columns, data.NumberOfFrames = 10, 12, 1
    data.TotalPixelMatrixRows, data.TotalPixelMatrixColumns = 10, 12
    data.DimensionOrganizationType = "TILED_FULL"
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated = data.BitsStored = 8
    data.HighBit, data.PixelRepresentation = 7, 0
    data.ImageOrientationSlide = [0, -1, 0, -1, 0, 0]
    origin = Dataset()
    origin.XOffsetInSlideCoordinateSystem, origin.YOffsetInSlideCoordinateSystem = 1.0, 2.0
    data.TotalPixelMatrixOriginSequence = [origin]
    measures, shared = Dataset(), Dataset()
    measures.PixelSpacing, measures.SliceThickness = [0.5, 0.25], 0.001
    shared.PixelMeasuresSequence = [measures]
    data.SharedFunctionalGroupsSequence = [shared]
    data.PixelData = bytes(120)
    data.save_as(path, enforce_file_format=True)
