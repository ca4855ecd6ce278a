"""DICOM files and series: files in any order and of any name become one image in patient space."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.file_kinds import FileFormat
from NoisyLabelSegLib.cases.geometry import Geometry, Image
from NoisyLabelSegLib.cases.itk_files import read_itk
from NoisyLabelSegLib.cases.slice_stack import Slice, stack_geometry
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.untrusted import open_regular

SEGMENTATION_CLASSES = ("1.2.840.10008.5.1.4.1.1.66.4", "1.2.840.10008.5.1.4.1.1.66.7")
"""SOP classes of DICOM SEG: Segmentation Storage and Label Map Segmentation Storage."""


@contextmanager
def dicom_errors(path: Path, problem: str = "is damaged or not valid DICOM") -> Iterator[None]:
    """Turns whatever the DICOM libraries raise about a file into a UserError; their warnings go nowhere."""
    for name in ("pydicom", "highdicom"):
        logger = logging.getLogger(name)
        if not logger.handlers:  # without a handler Python writes warnings to stderr
            logger.addHandler(logging.NullHandler())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except UserError:
        raise
    except Exception as error:  # a damaged file makes the libraries raise anything, even bare Exceptions
        detail = f"{type(error).__name__}: {error}"
        raise UserError(problem, file=path, remedy="copy or export it again", detail=detail) from error


def read_header(path: Path, tags: Sequence[str] | None = None) -> Any:
    """The pydicom dataset of a file without its pixels, and with only these keywords where they are given."""
    import pydicom

    with dicom_errors(path):
        header = pydicom.dcmread(path, stop_before_pixels=True, specific_tags=None if tags is None else list(tags))
        for element in header:  # values are parsed when they are looked at: now, where errors name the file
            _ = element.value
        return header


def find_dicom(folder: Path, tags: Sequence[str]) -> list[tuple[Path, Any]]:
    """Every DICOM file in a folder and below it with its header, sorted by path; other files are passed over."""
    return [(path, read_header(path, tags)) for path in _files(folder) if is_dicom(path)]


def is_dicom(path: Path) -> bool:
    """Whether a file has the DICOM mark after its preamble, whatever it is called."""
    with open_regular(path) as file:
        return file.read(132)[128:] == b"DICM"


def is_segmentation(header: Any) -> bool:
    """Whether a header is that of a DICOM SEG."""
    return str(header.get("SOPClassUID", "")) in SEGMENTATION_CLASSES


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UserError("is not a folder", file=folder, remedy="give the folder that holds the DICOM files")
    try:
        return sorted(path for path in folder.rglob("*") if path.is_file())
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", file=folder, remedy="check its permissions") from error


SERIES_TAGS = (
    "SOPClassUID",
    "SOPInstanceUID",
    "SeriesInstanceUID",
    "SeriesDescription",
    "Modality",
    "ImagePositionPatient",
    "ImageOrientationPatient",
    "PixelSpacing",
    "ImagerPixelSpacing",
    "SliceThickness",
    "SpacingBetweenSlices",
    "Rows",
    "Columns",
    "NumberOfFrames",
)


@dataclass(frozen=True)
class Series:
    """The image files of one series with their headers; `place` is the folder (or lone file) that errors name."""

    uid: str
    members: tuple[tuple[Path, Any], ...]
    place: Path

    @property
    def files(self) -> tuple[Path, ...]:
        return tuple(path for path, _ in self.members)

    @property
    def instance_uids(self) -> tuple[str, ...]:
        """The SOP instance UID of each file, by which annotations point at slices."""
        return tuple(str(header.get("SOPInstanceUID", "")) for _, header in self.members)

    @property
    def words(self) -> str:
        """How the series is named in a list: what tells it from its neighbors, and nothing about the patient."""
        header = self.members[0][1]
        description = f" {header.SeriesDescription!r}" if header.get("SeriesDescription") else ""
        modality = str(header.get("Modality", "") or "images")
        return f"{modality}{description} (files: {len(self.members)}, UID {self.uid})"

    def ordered(self) -> tuple[Series, Geometry]:
        """The series with its slices in the order of the array, and its grid; an irregular stack is refused."""
        order, geometry = stack_geometry([_slice(path, header) for path, header in self.members], self.place)
        return replace(self, members=tuple(self.members[index] for index in order)), geometry

    def read(self) -> Image:
        """The voxels with slope and intercept applied (CT: Hounsfield units), int16 where all values fit."""
        series, geometry = self.ordered()
        array = np.stack([_read_slice(path, geometry.shape[-2:]) for path in series.files])
        return Image(array.reshape(geometry.shape), geometry)


def list_series(folder: str | Path) -> list[Series]:
    """The image series in a folder and below it, in the order of their first files.

    Segmentations, reports and other DICOM files without an image are passed over, as are files that are not DICOM.
    """
    folder = Path(folder)
    return group_series(find_dicom(folder, SERIES_TAGS), folder)


def group_series(found: Sequence[tuple[Path, Any]], folder: Path) -> list[Series]:
    """The image series among files whose headers (at least SERIES_TAGS) were read already."""
    groups: dict[str, list[tuple[Path, Any]]] = {}
    for path, header in found:
        with dicom_errors(path):
            if "Rows" not in header and _claims_an_image(header):
                raise UserError("is a truncated DICOM image", file=path, remedy="copy or export it again")
            if "Rows" in header and not is_segmentation(header):
                groups.setdefault(str(header.get("SeriesInstanceUID", "")), []).append((path, header))
    return [
        Series(uid, tuple(members), folder if len(members) > 1 else members[0][0]) for uid, members in groups.items()
    ]


def read_dicom_series(folder: str | Path, series_uid: str | None = None) -> Image:
    """The image of the one series in a folder and below it, or of the one with this UID."""
    folder = Path(folder)
    found = list_series(folder)
    if not found:
        raise UserError("holds no DICOM images", file=folder, remedy="give the folder that holds the slices")
    if series_uid is not None:
        found = [series for series in found if series.uid == series_uid]
        if not found:
            raise UserError(f"holds no series with the UID {series_uid}", file=folder, remedy="check the UID")
    if len(found) > 1:
        raise UserError(
            f"holds {len(found)} series: {'; '.join(series.words for series in found)}",
            file=folder,
            remedy="put the one you want in a folder of its own (in Python: series_uid=...)",
        )
    return found[0].read()


def _claims_an_image(header: Any) -> bool:
    """By the class that the file's first bytes name, which survive where the rest is cut off."""
    kind = header.file_meta.get("MediaStorageSOPClassUID")
    return kind is None or "Image Storage" in kind.name


def _slice(path: Path, header: Any) -> Slice:
    with dicom_errors(path, "has a position, orientation or spacing that is not a usable number"):
        if int(header.get("NumberOfFrames", 1) or 1) > 1:
            raise UserError(
                "holds many slices in one file (enhanced DICOM), which is not supported",
                file=path,
                remedy="export it as one file per slice, or as NRRD",
            )
        spacing = header.get("PixelSpacing") or header.get("ImagerPixelSpacing")
        return Slice(
            file=path,
            shape=(int(header.Rows), int(header.Columns)),
            pixel_spacing=_numbers(spacing, 2) or (1.0, 1.0),
            position=_numbers(header.get("ImagePositionPatient"), 3),
            orientation=_numbers(header.get("ImageOrientationPatient"), 6),
            thickness=_thickness(header),
        )


def _thickness(header: Any) -> float:
    """How thick a lone slice is; between slices the positions decide."""
    for keyword in ("SpacingBetweenSlices", "SliceThickness"):
        value = header.get(keyword)
        if value not in (None, "") and np.isfinite(float(value)) and float(value) > 0:
            return float(value)
    return 1.0


def _numbers(value: Any, count: int) -> tuple[float, ...] | None:
    if value is None or value == "":
        return None
    numbers = tuple(float(number) for number in value)
    if len(numbers) != count or not np.isfinite(numbers).all():
        raise ValueError(f"{count} finite numbers expected, found {numbers}")
    return numbers


def _read_slice(path: Path, shape: tuple[int, ...]) -> NDArray[Any]:
    array = read_itk(path, FileFormat.DICOM).array
    if array.size != shape[0] * shape[1]:
        raise UserError(
            "has several values per pixel (a color picture)", file=path, remedy="give a series of gray slices"
        )
    array = array.reshape(shape)
    fits = np.iinfo(np.int16)
    whole = np.issubdtype(array.dtype, np.integer) or (array == np.rint(array)).all()
    if whole and array.min() >= fits.min and array.max() <= fits.max:
        return array.astype(np.int16)
    return array if np.issubdtype(array.dtype, np.integer) else array.astype(np.float32)
