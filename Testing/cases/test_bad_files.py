"""Files that are damaged, of another format or with headers that lie."""

from __future__ import annotations

import gzip
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import SimpleITK as sitk

from Testing.spoiling import GRID, IMAGE, LABEL, Bad, assert_refused, content, cut, instead

HUGE = b"2000000 2000000 2000000"


def header(old: bytes, new: bytes, name: str = LABEL) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        head, data = (folder / name).read_bytes().split(b"\n\n", 1)
        assert re.search(old, head)
        (folder / name).write_bytes(re.sub(old, new, head) + b"\n\n" + data)

    return spoil


def truncated_after(name: str, keep: float) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        instead(name, np.random.default_rng(0).integers(0, 2, GRID.shape, dtype=np.uint8))(folder)
        cut(name, keep)(folder)

    return spoil


def nifti(change: Callable[[bytearray], Any], *, zipped: bool = False) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        instead("case1/reader1.nii", np.uint8(1))(folder)
        data = bytearray((folder / "case1/reader1.nii").read_bytes())
        change(data)
        (folder / "case1/reader1.nii").write_bytes(bytes(data))
        if zipped:
            (folder / "case1/reader1.nii.gz").write_bytes(gzip.compress(bytes(data)))
            (folder / "case1/reader1.nii").unlink()

    return spoil


def four_dimensions(folder: Path) -> None:
    sitk.WriteImage(sitk.GetImageFromArray(np.zeros((2, 3, 4, 5), np.uint8), isVector=False), str(folder / LABEL))


BAD = {
    # files that are not what they seem
    "empty label": Bad(content(LABEL, b""), LABEL, "empty"),
    "empty image": Bad(content(IMAGE, b""), IMAGE, "empty"),
    "text called nrrd": Bad(content(LABEL, b"hello"), LABEL, "format"),
    "random bytes": Bad(content(LABEL, bytes(range(256)) * 9), LABEL, "format"),
    "wrong magic": Bad(content(LABEL, b"NRRX0004\ntype: uint8\n\n"), LABEL, "format"),
    "a zip called nrrd": Bad(content(LABEL, b"PK\x03\x04" + bytes(500)), LABEL, "format"),
    "a pickle called nrrd": Bad(content(LABEL, b"\x80\x04\x95" + bytes(500)), LABEL, "format"),
    "nrrd magic and nothing else": Bad(content(LABEL, b"NRRD0005\n"), LABEL, "damaged"),
    "nrrd with a broken header": Bad(header(rb"sizes: .*", b"sizes: a b c"), LABEL, "damaged"),
    "nrrd of unknown type": Bad(header(rb"type: .*", b"type: octonion"), LABEL, "damaged"),
    "truncated nrrd": Bad(cut(LABEL, 0.9), LABEL, "damaged"),
    "truncated nrrd image": Bad(cut(IMAGE, 0.8), IMAGE, "damaged"),
    "nrrd cut in its header": Bad(cut(LABEL, 0.3), LABEL, "damaged"),
    "truncated nifti": Bad(truncated_after("case1/reader1.nii", 0.9), "reader1.nii", "damaged"),
    "truncated nii.gz": Bad(truncated_after("case1/reader1.nii.gz", 0.9), "reader1.nii.gz", "damaged"),
    "truncated mha": Bad(truncated_after("case1/reader1.mha", 0.95), "reader1.mha", "damaged"),
    "mhd without its data": Bad(
        lambda folder: [
            instead("case1/reader1.mhd", np.uint8(1))(folder),
            *(f.unlink() for f in folder.glob("*/*raw")),
        ],
        "reader1.mhd",
        "damaged",
    ),
    "truncated png": Bad(content("case1/reader3.png", b"\x89PNG\r\n\x1a\n" + bytes(20)), "reader3.png", "damaged"),
    "truncated tiff": Bad(content("case1/reader3.tif", b"II*\0" + bytes(20)), "reader3.tif", "damaged"),
    "gzip of nothing": Bad(content("case1/reader3.nii.gz", gzip.compress(b"")), "reader3.nii.gz", "format"),
    "dicom prefix and nothing else": Bad(content("case1/reader3.dcm", bytes(128) + b"DICM"), "reader3.dcm", "damaged"),
    # headers that cannot be true
    "huge sizes": Bad(header(rb"sizes: .*", b"sizes: " + HUGE), LABEL, "header"),
    "a size of zero": Bad(header(rb"sizes: .*", b"sizes: 0 5 6"), LABEL, ""),
    "a negative size": Bad(header(rb"sizes: .*", b"sizes: -6 5 4"), LABEL, "damaged"),
    "huge nifti": Bad(nifti(lambda d: struct.pack_into("<4h", d, 40, 3, 32000, 32000, 32000)), "reader1.nii", ""),
    "huge nifti in gzip": Bad(
        nifti(lambda d: struct.pack_into("<4h", d, 40, 3, 32000, 32000, 32000), zipped=True), "reader1.nii.gz", ""
    ),
    "nifti of unknown type": Bad(nifti(lambda d: struct.pack_into("<h", d, 70, 9999)), "reader1.nii", "damaged"),
    "spacing that is no number": Bad(
        header(rb"space directions: .*", b"space directions: (nan,0,0) (0,1,0) (0,0,1)"), LABEL, ""
    ),
    "four dimensions": Bad(four_dimensions, LABEL, "4 dimensions"),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_a_bad_file_gets_one_sentence(bad: Bad, good_input: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert_refused(bad, good_input, capfd)
