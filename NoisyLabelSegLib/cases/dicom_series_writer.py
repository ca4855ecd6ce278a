"""Writes an image as a DICOM MR series: what a phantom needs for a DICOM SEG to refer to it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.geometry import Geometry


def write_series(folder: Path, voxels: NDArray[Any], geometry: Geometry) -> Path:
    """Writes voxels (z, y, x), rounded to int16, a file per slice, into a new folder; returns the folder."""
    from pydicom.uid import generate_uid

    folder.mkdir(parents=True)
    uids = [generate_uid() for _ in range(3)]
    for place, plane in enumerate(np.rint(voxels).astype(np.int16)):
        _write_slice(folder / f"{place:03d}.dcm", place, plane, geometry, uids)
    return folder


def _write_slice(path: Path, place: int, plane: NDArray[Any], geometry: Geometry, uids: list[str]) -> None:
    from pydicom.dataset import FileDataset, FileMetaDataset
    from pydicom.uid import ExplicitVRLittleEndian, MRImageStorage, generate_uid

    meta = FileMetaDataset()
    meta.MediaStorageSOPClassUID, meta.MediaStorageSOPInstanceUID = MRImageStorage, generate_uid()
    meta.TransferSyntaxUID = ExplicitVRLittleEndian
    data = FileDataset(str(path), {}, file_meta=meta, preamble=bytes(128))
    data.SOPClassUID, data.SOPInstanceUID = MRImageStorage, meta.MediaStorageSOPInstanceUID
    data.StudyInstanceUID, data.SeriesInstanceUID, data.FrameOfReferenceUID = uids
    data.Modality, data.PatientName, data.PatientID, data.StudyID = "MR", "Phantom", "phantom", "1"
    data.PatientBirthDate = data.PatientSex = data.StudyDate = data.StudyTime = data.AccessionNumber = ""
    data.SeriesNumber, data.InstanceNumber, data.ReferringPhysicianName = 1, place + 1, ""
    direction = np.reshape(geometry.direction, (3, 3))
    data.ImagePositionPatient = (np.array(geometry.origin) + place * geometry.spacing[2] * direction[:, 2]).tolist()
    data.ImageOrientationPatient = [*direction[:, 0].tolist(), *direction[:, 1].tolist()]
    data.PixelSpacing, data.SliceThickness = [geometry.spacing[1], geometry.spacing[0]], geometry.spacing[2]
    data.Rows, data.Columns = plane.shape
    data.SamplesPerPixel, data.PhotometricInterpretation = 1, "MONOCHROME2"
    data.BitsAllocated = data.BitsStored = 16
    data.HighBit, data.PixelRepresentation = 15, 1
    data.PixelData = plane.tobytes()
    data.save_as(path, enforce_file_format=True)
