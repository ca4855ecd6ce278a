"""DICOM RTSTRUCT: closed contours in patient space become segments on the grid of the series they were drawn on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.dicom_seg import References
from NoisyLabelSegLib.cases.dicom_series import dicom_errors, read_header
from NoisyLabelSegLib.cases.geometry import Geometry
from NoisyLabelSegLib.cases.lidc import fill_polygon
from NoisyLabelSegLib.cases.segments import Mask, Segment, Segmentation
from NoisyLabelSegLib.errors import UserError

STRUCTURE_SET = "1.2.840.10008.5.1.4.1.1.481.3"
"""SOP class of RT Structure Set Storage."""

_CLOSED = ("CLOSED_PLANAR", "CLOSEDPLANAR_XOR")
_FLAT = 0.1  # how far, in slices, the points of a contour may lie from each other


def is_structure_set(header: Any) -> bool:
    """Whether a header is that of an RTSTRUCT."""
    return str(header.get("SOPClassUID", "")) == STRUCTURE_SET


def structure_set_label(path: Path) -> str:
    """What the structure set is called, such as the name of its reader; empty where it has no name."""
    header = read_header(path, ["StructureSetLabel", "StructureSetName"])
    return str(header.get("StructureSetLabel", "") or header.get("StructureSetName", "") or "").strip()


def structure_set_references(path: Path) -> References:
    """The series and images that the contours were drawn on."""
    header = read_header(path)
    series, instances = set(), set()
    with dicom_errors(path):
        for frame in header.get("ReferencedFrameOfReferenceSequence", None) or []:
            for study in frame.get("RTReferencedStudySequence", None) or []:
                for item in study.get("RTReferencedSeriesSequence", None) or []:
                    series.add(str(item.SeriesInstanceUID))
        for roi in header.get("ROIContourSequence", None) or []:
            for contour in roi.get("ContourSequence", None) or []:
                for image in contour.get("ContourImageSequence", None) or []:
                    instances.add(str(image.ReferencedSOPInstanceUID))
    return References(frozenset(series), frozenset(instances))


def read_rtstruct(path: str | Path, *, images: Geometry) -> Segmentation:
    """The structures with closed contours as segments on the grid of the images.

    A voxel belongs to a structure where its center lies inside the contours of its slice. Contours inside others cut
    holes (even-odd rule). Points and open contours have no inside and are left out.
    """
    path = Path(path)
    header = read_header(path)
    with dicom_errors(path):
        names = {int(item.ROINumber): str(item.get("ROIName", "")) for item in header.StructureSetROISequence}
        masks: list[tuple[Segment, Mask]] = []
        for roi in header.get("ROIContourSequence", None) or []:
            contours = list(_contours(roi))
            if contours:
                number = len(masks) + 1
                name = names.get(int(roi.ReferencedROINumber), "").strip() or f"structure {number}"
                masks.append((Segment(name, number, color=_color(roi)), _filled(contours, name, images, path)))
    if not masks:
        raise UserError("holds no closed contour", file=path, remedy="export the structures with their contours")
    packed = Segmentation.from_masks(images, masks)
    return Segmentation(packed.geometry, packed.layers, packed.segments, source=path)


def _contours(roi: Any) -> Iterator[NDArray[np.float64]]:
    """The closed contours of a structure, (n, 3) in mm, x, y, z."""
    for contour in roi.get("ContourSequence", None) or []:
        if str(contour.get("ContourGeometricType", "CLOSED_PLANAR")) in _CLOSED:
            points = np.asarray(contour.ContourData, dtype=np.float64).reshape(-1, 3)
            if not np.isfinite(points).all():
                raise ValueError("a coordinate is not a number")
            if len(points) > 2:
                yield points


def _filled(contours: list[NDArray[np.float64]], name: str, images: Geometry, path: Path) -> Mask:
    mask = np.zeros(images.shape, np.bool_)
    for points in contours:
        indices = images.indices(points)  # z, y, x
        place = int(np.rint(indices[0, 0]))
        if np.ptp(indices[:, 0]) > _FLAT:
            raise UserError(
                f"has a contour of {name} that does not lie in a slice of the images",
                file=path,
                remedy="check that the contours were drawn on these images, in their own plane",
            )
        if not 0 <= place < images.shape[0]:
            raise UserError(
                f"has a contour of {name} outside the images", file=path, remedy="add the slices that are missing"
            )
        mask[place] ^= fill_polygon(indices[:, :0:-1], (images.shape[1], images.shape[2]))
    return mask


def _color(roi: Any) -> tuple[float, float, float] | None:
    color = roi.get("ROIDisplayColor", None)
    if not color or len(color) != 3:
        return None
    red, green, blue = (min(max(float(part) / 255, 0.0), 1.0) for part in color)
    return red, green, blue
