"""Labels as a DICOM SEG that refers to the series they were drawn on, for PACS and other viewers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.cases.dicom_series import Series, dicom_errors, list_series, read_header
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.terminology import segment_codes
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file


def write_dicom_seg(
    path: str | Path,
    labels: Image,
    classes: Sequence[str],
    source: str | Path | Series,
    *,
    drawn_by_hand: bool = False,
    corrected: bool = False,
    description: str = "NoisyLabelSeg",
    codes: Mapping[str, Any] | None = None,
    creator: str = "",
    comments: str = "",
    force: bool = True,
) -> None:
    """Writes a BINARY SEG with one segment per class but the first, which is the background.

    `labels` must be on the grid of `source`, the series (or the folder that holds only it) that was segmented.
    `drawn_by_hand` says that a person made the labels, `corrected` that a person decided about or edited computed ones;
    otherwise they are marked as computed. `codes` maps classes to their category and type (see `segment_codes`),
    `creator` is the person who drew or corrected the labels, `comments` says how they came about.
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
            segments = [
                _description(number, name, _ORIGINS[drawn_by_hand, corrected], (codes or {}).get(name))
                for number, name in enumerate(classes[1:], start=1)
            ]
            segmentation = _segmentation(labels, segments, headers, description, creator)
            if comments:
                segmentation.ImageComments = comments[:10240]
            segmentation.save_as(partial)


def _only_series(source: str | Path | Series) -> Series:
    if isinstance(source, Series):
        return source
    found = list_series(source)
    if len(found) != 1:
        raise UserError(f"holds {len(found)} image series instead of one", file=source, remedy="give one series")
    return found[0]


def _segmentation(
    labels: Image, segments: Sequence[Any], headers: Sequence[Any], description: str, creator: str
) -> Any:
    import highdicom

    array = labels.array.astype(np.uint8).reshape(len(headers), headers[0].Rows, headers[0].Columns)
    return highdicom.seg.Segmentation(
        source_images=list(headers),
        pixel_array=array,
        segmentation_type="BINARY",
        segment_descriptions=segments,
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
        content_creator_name=creator.replace("^", " ").replace("=", " ")[:64] or None,
        series_description=description[:64],
    )


_MANUAL = "MANUAL"
_ORIGINS = {(False, False): "AUTOMATIC", (False, True): "SEMIAUTOMATIC", (True, False): _MANUAL, (True, True): _MANUAL}
"""Segment Algorithm Type by whether a person made the labels, and whether one corrected them."""


def _description(number: int, name: str, origin: str, given: Mapping[str, Any] | None) -> Any:
    import highdicom
    from pydicom.sr.codedict import codes

    algorithm = highdicom.AlgorithmIdentificationSequence(
        name="NoisyLabelSeg", family=codes.DCM.ArtificialIntelligence, version=__version__
    )
    category, kind = segment_codes(name, given)
    return highdicom.seg.SegmentDescription(
        segment_number=number,
        segment_label=name[:64],
        segmented_property_category=category,
        segmented_property_type=kind,
        algorithm_type=origin,
        algorithm_identification=None if origin == _MANUAL else algorithm,
    )


def _uid(role: str, headers: Sequence[Any], array: Any, description: str) -> str:
    """The same labels of the same series get the same UID, others another one."""
    digest = hashlib.sha256(array.tobytes()).hexdigest()
    number = hashlib.sha256("|".join([role, str(headers[0].SeriesInstanceUID), digest, description]).encode()).digest()
    return f"2.25.{int.from_bytes(number[:16], 'big')}"
