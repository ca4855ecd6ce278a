"""Slicer's segmentations are read whole, and written so that other programs read the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk
import slicerio

from NoisyLabelSegLib.cases import Geometry, read_geometry, read_labels
from NoisyLabelSegLib.cases.file_kinds import FileFormat, kind_of
from NoisyLabelSegLib.cases.seg_nrrd import read_seg_nrrd, write_seg_nrrd
from NoisyLabelSegLib.cases.segments import Segment, Segmentation
from NoisyLabelSegLib.errors import UserError

GRID = Geometry((2, 3, 4), (0.5, 0.6, 2.0), (-3.0, 4.0, 5.0), (0, -1, 0, -1, 0, 0, 0, 0, 1))


def overlapping() -> Segmentation:
    first, second = np.zeros((2, *GRID.shape), bool)
    first[0, :2], second[:, 1] = True, True
    segments = [
        (Segment("left lung", 1, color=(1.0, 0.5, 0.0), id="lung"), first),
        (Segment("right kidney", 2), second),
    ]
    return Segmentation.from_masks(GRID, segments)


def test_segments_come_back_with_voxels_names_colors_and_grid(tmp_path: Path):
    written = overlapping()
    write_seg_nrrd(tmp_path / "a.seg.nrrd", written)
    read = read_seg_nrrd(tmp_path / "a.seg.nrrd")
    assert kind_of(tmp_path / "a.seg.nrrd") is FileFormat.SEGMENTATION
    assert read.overlap
    assert not GRID.differences(read.geometry)
    assert [(s.name, s.value, s.layer) for s in read.segments] == [("left lung", 1, 0), ("right kidney", 2, 1)]
    assert (read.segments[0].color, read.segments[0].id) == ((1.0, 0.5, 0.0), "lung")
    for before, after in zip(written.segments, read.segments, strict=True):
        np.testing.assert_array_equal(read.mask(after), written.mask(before))


def test_slicerio_and_simpleitk_read_what_was_written(tmp_path: Path):
    written = overlapping()
    write_seg_nrrd(tmp_path / "a.seg.nrrd", written)
    other = slicerio.read_segmentation(str(tmp_path / "a.seg.nrrd"))
    for segment in written.segments:
        theirs = slicerio.segment_mask(other, segment.name)  # i, j, k order
        np.testing.assert_array_equal(theirs.transpose(2, 1, 0), written.mask(segment))
    np.testing.assert_allclose(other["ijkToLPS"][:3, 3], GRID.origin)
    image = sitk.ReadImage(str(tmp_path / "a.seg.nrrd"))
    assert image.GetNumberOfComponentsPerPixel() == 2
    np.testing.assert_array_equal(np.moveaxis(sitk.GetArrayFromImage(image), -1, 0), written.layers)
    assert image.TransformIndexToPhysicalPoint((1, 2, 1)) == pytest.approx(GRID.points((1, 2, 1)).tolist())


def test_a_segmentation_by_slicerio_is_read(tmp_path: Path):
    matrix = np.diag([0.5, 0.6, 2.0, 1.0])
    made = slicerio.create_segmentation((4, 3, 2), matrix)
    mask = np.zeros((4, 3, 2), bool)
    mask[1, 2, 0] = True
    slicerio.add_segment(made, mask, {"name": "spot", "color": [0.2, 0.4, 0.6]})
    slicerio.add_segment(made, mask, {"name": "same spot"})
    slicerio.write_segmentation(str(tmp_path / "a.seg.nrrd"), made)
    read = read_seg_nrrd(tmp_path / "a.seg.nrrd")
    assert [segment.name for segment in read.segments] == ["spot", "same spot"]
    assert read.overlap
    assert np.argwhere(read.mask(read.segments[1])).tolist() == [[0, 2, 1]]


def test_files_from_before_slicer_shared_layers_have_one_segment_per_component(tmp_path: Path):
    path = tmp_path / "old.seg.nrrd"
    masks = np.zeros((2, *GRID.shape), bool)
    masks[0, 0, 0], masks[1, :, 0] = True, True
    write_seg_nrrd(path, Segmentation.from_masks(GRID, [(Segment("a", 1), masks[0]), (Segment("b", 1), masks[1])]))
    header, data = path.read_bytes().split(b"\n\n", 1)
    kept = [line for line in header.split(b"\n") if b"_Layer:=" not in line and b"_LabelValue:=" not in line]
    path.write_bytes(b"\n".join(kept) + b"\n\n" + data)
    read = read_seg_nrrd(path)
    for segment, mask in zip(read.segments, masks, strict=True):
        np.testing.assert_array_equal(read.mask(segment), mask)


def test_a_picture_is_written_as_a_volume_of_one_slice(tmp_path: Path):
    flat = Geometry.plain((3, 4), (0.5, 0.6))
    write_seg_nrrd(tmp_path / "a.seg.nrrd", Segmentation.from_masks(flat, [(Segment("a", 1), np.ones((3, 4), bool))]))
    assert read_seg_nrrd(tmp_path / "a.seg.nrrd").geometry.shape == (1, 3, 4)


def test_labels_above_255_are_written_with_16_bits(tmp_path: Path):
    write_seg_nrrd(
        tmp_path / "a.seg.nrrd", Segmentation.from_masks(GRID, [(Segment("a", 300), np.ones(GRID.shape, bool))])
    )
    read = read_seg_nrrd(tmp_path / "a.seg.nrrd")
    assert read.segments[0].value == 300
    assert read.mask(read.segments[0]).all()


def test_an_empty_segment_may_have_a_value_that_no_voxel_has(tmp_path: Path):
    masks = [(Segment("a", 3), np.ones(GRID.shape, bool)), (Segment("none", 300), np.zeros(GRID.shape, bool))]
    write_seg_nrrd(tmp_path / "a.seg.nrrd", Segmentation.from_masks(GRID, masks))
    read = read_seg_nrrd(tmp_path / "a.seg.nrrd")
    assert [int(read.mask(segment).sum()) for segment in read.segments] == [24, 0]


def test_umlauts_lines_and_backslashes_in_names_survive(tmp_path: Path):
    name = "Lösung a\\nb\nc := d"
    write_seg_nrrd(
        tmp_path / "a.seg.nrrd", Segmentation.from_masks(GRID, [(Segment(name, 1), np.ones(GRID.shape, bool))])
    )
    assert read_seg_nrrd(tmp_path / "a.seg.nrrd").segments[0].name == name


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b"Segment1_Layer:=1", b"Segment1_Layer:=7", "layer 7, which it does not have"),
        (b"Segment1_LabelValue:=2", b"Segment1_LabelValue:=x", "not a number"),
        (b"Segment1_LabelValue:=2", b"Segment1_LabelValue:=0", "label value 0"),
        (b"Segment1_LabelValue:=2", b"Segment999999999_Layer:=9", "segment 999999999 .* layer 9"),
        (b"sizes: 2 4 3 2", b"sizes: 2 4 3 9", "damaged or truncated"),
        (b"space origin: (-3.0", b"space origin: (nan", "not a usable number|damaged"),
    ],
)
def test_a_header_that_makes_no_sense_is_refused(tmp_path: Path, old: bytes, new: bytes, sentence: str):
    path = tmp_path / "a.seg.nrrd"
    write_seg_nrrd(path, overlapping())
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    with pytest.raises(UserError, match=sentence) as caught:
        read_seg_nrrd(path)
    assert caught.value.file == path


def test_plain_readers_understand_a_segmentation_that_does_not_overlap(tmp_path: Path):
    masks = [(Segment("a", 3), np.eye(3, 4, dtype=bool)[None].repeat(2, 0))]
    write_seg_nrrd(tmp_path / "a.seg.nrrd", Segmentation.from_masks(GRID, masks))
    assert np.unique(read_labels(tmp_path / "a.seg.nrrd").array).tolist() == [0, 3]
    assert not GRID.differences(read_geometry(tmp_path / "a.seg.nrrd"))


@pytest.mark.parametrize(("name", "count"), [("Segmentation", 7), ("SegmentationOverlapping", 8)])
def test_the_segmentations_of_slicer_survive_a_round_trip(shared_data: Path, tmp_path: Path, name: str, count: int):
    path = shared_data / "demo-volumes" / "ct-chest-slicer" / f"{name}.seg.nrrd"
    read = read_seg_nrrd(path)
    assert len(read.segments) == count
    assert read.overlap == (count == 8)
    write_seg_nrrd(tmp_path / "copy.seg.nrrd", read)
    ours, theirs = (slicerio.read_segmentation(str(file)) for file in (tmp_path / "copy.seg.nrrd", path))
    np.testing.assert_array_equal(ours.pop("voxels"), theirs.pop("voxels"))
    np.testing.assert_allclose(ours.pop("ijkToLPS"), theirs.pop("ijkToLPS"), rtol=1e-12)
    assert dict(ours) == dict(theirs)
    copy, original = (sitk.ReadImage(str(file)) for file in (tmp_path / "copy.seg.nrrd", path))
    np.testing.assert_array_equal(sitk.GetArrayFromImage(copy), sitk.GetArrayFromImage(original))
    assert {key: copy.GetMetaData(key) for key in original.GetMetaDataKeys() if key.startswith("Segment")} == {
        key: original.GetMetaData(key) for key in original.GetMetaDataKeys() if key.startswith("Segment")
    }
