"""Finds and opens DICOM files: what pydicom and highdicom complain about becomes one sentence, or silence."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.errors import UserError

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
    try:
        with path.open("rb") as file:
            return file.read(132)[128:] == b"DICM"
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", file=path, remedy="check its permissions") from error


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
