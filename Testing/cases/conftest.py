"""Small DICOM objects that the tests of the readers share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from Testing.cases.two_segments import SHAPE

CT_IMAGE = "1.2.840.10008.5.1.4.1.1.2"


@pytest.fixture
def make_series() -> Callable[..., list[Path]]:
    return _make_series


@pytest.fixture
def make_seg() -> Callable[..., Path]:
    return _make_seg


@pytest.fixture
def slices(tmp_path: Path) -> list[Path]:
    """The files of an empty series on which two_segments() fits."""
    return _make_series(tmp_path / "ct", np.zeros(SHAPE))


def _make_series(
    folder: Path,
    voxels: Any,
    *,
    positions: Sequence[Sequence[float]] | None = None,
    orientation: Sequence[float] = (1, 0, 0, 0, 1, 0),
    spacing: Sequence[float] = (0.6, 0.5),
    uid: str = "1.2.3.4",
    slope: float = 1,
    intercept: float = -1024,
    names: Sequence[str] | None = None,
    **tags: Any,
) -> list[Path]:
    """One CT file per slice of the stored values (z, y, x), 2 mm apart from z = -10 unless positions are given."""
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian

    voxels = np.asarray(voxels, np.int16)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for index, plane in enumerate(voxels):
        meta = FileMetaDataset()
        meta.MediaStorageSOPClassUID = CT_IMAGE
        meta.MediaStorageSOPInstanceUID = f"{uid}.{index + 1}"
        meta.TransferSyntaxUID = ExplicitVRLittleEndian
        path = folder / (names[index] if names else f"{(index * 7) % 10}{index}.dcm")  # not in the order of the slices
        data = FileDataset(str(path), {}, file_meta=meta, preamble=b"\0" * 128)
        data.SOPClassUID, data.SOPInstanceUID = CT_IMAGE, f"{uid}.{index + 1}"
        data.StudyInstanceUID, data.SeriesInstanceUID, data.FrameOfReferenceUID = "1.2.3", uid, "1.2.9"
        data.Modality, data.PatientName, data.PatientID = "CT", "Secret^Name", "secret-number"
        data.PatientBirthDate = data.PatientSex = data.StudyDate = data.StudyTime = data.AccessionNumber = ""
        data.StudyID, data.SeriesNumber, data.InstanceNumber, data.ReferringPhysicianName = "1", 1, index + 1, ""
        data.ImagePositionPatient = list(positions[index]) if positions else [-5.0, 7.0, -10.0 + 2.0 * index]
        data.ImageOrientationPatient = list(orientation)
        data.PixelSpacing, data.SliceThickness = list(spacing), 2.0
        data.Rows, data.Columns = plane.shape
        data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
        data.BitsAllocated = data.BitsStored = 16
        data.HighBit, data.PixelRepresentation = 15, 1
        data.RescaleSlope, data.RescaleIntercept = slope, intercept
        data.PixelData = plane.tobytes()
        for keyword, value in tags.items():
            setattr(data, keyword, value)
        data.save_as(path, enforce_file_format=True)
        paths.append(path)
    return paths


def _make_seg(
    path: Path, slices: Sequence[Path], pixels: Any, names: Sequence[str], *, kind: str = "BINARY", **options: Any
) -> Path:
    """A SEG by highdicom on these slices: `pixels` (z, y, x) numbers, or (z, y, x, segment) masks or fractions."""
    import highdicom
    import pydicom
    from pydicom.sr.codedict import codes

    descriptions = [
        highdicom.seg.SegmentDescription(
            segment_number=number,
            segment_label=name,
            segmented_property_category=codes.SCT.Tissue,
            segmented_property_type=codes.SCT.Tissue,
            algorithm_type="MANUAL",
        )
        for number, name in enumerate(names, start=1)
    ]
    seg = highdicom.seg.Segmentation(
        source_images=[pydicom.dcmread(file) for file in slices],
        pixel_array=np.asarray(pixels),
        segmentation_type=kind,
        segment_descriptions=descriptions,
        series_instance_uid=highdicom.UID(),
        series_number=2,
        sop_instance_uid=highdicom.UID(),
        instance_number=1,
        manufacturer="test",
        manufacturer_model_name="test",
        software_versions="1",
        device_serial_number="1",
        **options,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    seg.save_as(path)
    return path
