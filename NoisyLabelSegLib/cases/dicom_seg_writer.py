"""Labels as a DICOM SEG that refers to the series they were drawn on, for PACS and other viewers."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.cases.dicom_series import Series, dicom_errors, list_series, read_header
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file


def write_dicom_seg(
    path: str | Path,
    labels: Image,
    classes: Sequence[str],
    source: str | Path | Series,
    *,
    drawn_by_hand: bool = False,
    description: str = "NoisyLabelSeg",
    force: bool = True,
) -> None:
    """Writes a BINARY SEG with one segment per class but the first, which is the background.

    `labels` must be on the grid of `source`, the series (or the folder that holds only it) that was segmented.
    `drawn_by_hand` says that a person made the labels; otherwise they are marked as computed.
    """
    path = Path(path)
    series, geometry = _only_series(source).ordered()
    differences = geometry.differences(labels.geometry)
    if differences:
        raise UserError(
            f"labels are not on the grid of its series: {' and '.join(differences)}",
            file=series.place,
            remedy="resample them onto the series first",
        )
    if labels.array.max(initial=0) >= len(classes):
        raise UserError(f"There is a label {int(labels.array.max())}, but only {len(classes)} classes are named")
    with output_file(path, force=force) as partial:
        headers = [read_header(file) for file in series.files]
        with dicom_errors(series.place, "lacks what a DICOM SEG must repeat from its images"):
            _segmentation(labels, classes, headers, drawn_by_hand, description).save_as(partial)


def _only_series(source: str | Path | Series) -> Series:
    if isinstance(source, Series):
        return source
    found = list_series(source)
    if len(found) != 1:
        raise UserError(f"holds {len(found)} image series instead of one", file=source, remedy="give one series")
    return found[0]


def _segmentation(
    labels: Image, classes: Sequence[str], headers: Sequence[Any], drawn_by_hand: bool, description: str
) -> Any:
    import highdicom

    array = labels.array.astype(np.uint8).reshape(len(headers), headers[0].Rows, headers[0].Columns)
    return highdicom.seg.Segmentation(
        source_images=list(headers),
        pixel_array=array,
        segmentation_type="BINARY",
        segment_descriptions=[
            _description(number, name, drawn_by_hand) for number, name in enumerate(classes[1:], start=1)
        ],
        series_instance_uid=_uid("series", headers, array, description),
        series_number=900,
        sop_instance_uid=_uid("instance", headers, array, description),
        instance_number=1,
        manufacturer="NoisyLabelSeg",
        manufacturer_model_name="NoisyLabelSeg",
        software_versions=__version__,
        device_serial_number="0",
        content_description=description[:64],
        content_label="SEGMENTATION",
        series_description=description[:64],
    )


def _description(number: int, name: str, drawn_by_hand: bool) -> Any:
    import highdicom
    from pydicom.sr.codedict import codes

    algorithm = highdicom.AlgorithmIdentificationSequence(
        name="NoisyLabelSeg", family=codes.DCM.ArtificialIntelligence, version=__version__
    )
    return highdicom.seg.SegmentDescription(
        segment_number=number,
        segment_label=name[:64],
        # What a class stands for is known only by its name, so the codes say no more than "tissue".
        segmented_property_category=codes.SCT.Tissue,
        segmented_property_type=codes.SCT.Tissue,
        algorithm_type="MANUAL" if drawn_by_hand else "AUTOMATIC",
        algorithm_identification=None if drawn_by_hand else algorithm,
    )


def _uid(role: str, headers: Sequence[Any], array: Any, description: str) -> str:
    """The same labels of the same series get the same UID, others another one."""
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    number = hashlib.sha256("|".join([role, str(headers[0].SeriesInstanceUID), digest, description]).encode()).digest()
    return f"2.25.{int.from_bytes(number[:16], 'big')}"
