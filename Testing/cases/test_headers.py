"""Headers that make ITK crash, hang or open other files never reach it; a child process reads the worst of them."""

from __future__ import annotations

import gzip
import json
import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, read_image, read_labels, write_image, write_labels
from NoisyLabelSegLib.cases.files import reading_image
from NoisyLabelSegLib.errors import UserError

ROOT = Path(__file__).resolve().parents[2]
GRID = Geometry.plain((2, 2, 2))
READ = """
import json, sys
from pathlib import Path
from NoisyLabelSegLib.cases import read_image
from NoisyLabelSegLib.errors import UserError
try:
    read_image(Path(sys.argv[1]))
except UserError as error:
    print(json.dumps(error.sentence))
"""


def nrrd(*more: str, directions: str = "(1,0,0) (0,1,0) (0,0,1)", origin: str = "(0,0,0)") -> bytes:
    lines = [
        *("NRRD0004", "type: uint8", "dimension: 3", "space: left-posterior-superior", "sizes: 2 2 2"),
        *(f"space directions: {directions}", "encoding: raw", f"space origin: {origin}"),
    ]
    return "\n".join([*lines, *more]).encode() + b"\n\n" + bytes(8)


def meta_image(*more: str, dimensions: str = "3", data: str = "LOCAL") -> bytes:
    lines = [f"NDims = {dimensions}", "DimSize = 2 2 2", "ElementType = MET_UCHAR", *more, f"ElementDataFile = {data}"]
    return "\n".join(["ObjectType = Image", *lines]).encode() + b"\n" + bytes(8)


def nifti(offset: int, form: str, *values: float) -> bytes:
    header = bytearray(352)
    struct.pack_into("<i", header, 0, 348)
    struct.pack_into("<8h", header, 40, 3, 2, 2, 2, 1, 1, 1, 1)
    struct.pack_into("<2h", header, 70, 2, 8)
    struct.pack_into("<8f", header, 76, 1, 1, 1, 1, 1, 1, 1, 1)
    struct.pack_into("<f", header, 108, 352)
    header[344:348] = b"n+1\0"
    struct.pack_into(form, header, offset, *values)
    return bytes(header) + bytes(8)


CRASHED = {
    "a dimension below zero": ("a.mha", meta_image("TransformMatrix = 1 0 0 0 1 0 0 0 1", dimensions="-1")),
    "a dimension of 1e308": ("a.mha", meta_image("TransformMatrix = 1 0 0 0 1 0 0 0 1", dimensions="1e308")),
    "a million dimensions": ("a.mha", meta_image(dimensions="1000000")),
    "no matrix and a dimension below zero": ("a.mha", meta_image(dimensions="-1")),
    "a long line": ("a.nrrd", nrrd("x" * 1000)),
    "a long type": ("a.nrrd", nrrd("type: " + "(1," * 500)),
}


@pytest.mark.parametrize(("name", "content"), CRASHED.values(), ids=CRASHED.keys())
def test_a_header_that_crashes_itk_is_a_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    command = [sys.executable, "-c", READ, str(tmp_path / name)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0
    assert "damaged" in json.loads(done.stdout)


REFUSED = {
    "a huge NRRD spacing": ("a.nrrd", nrrd(directions="(1e300,0,0) (0,1,0) (0,0,1)"), "spacing is 1e+300 mm"),
    "a tiny NRRD spacing": ("a.nrrd", nrrd(directions="(1e-300,0,0) (0,1,0) (0,0,1)"), "spacing is 1e-300 mm"),
    "an infinite NRRD origin": ("a.nrrd", nrrd(origin="(inf,0,0)"), "position"),
    "an NRRD dimension of 99": ("a.nrrd", nrrd("dimension: 99"), "dimension"),
    "a tiny MetaImage spacing": ("a.mha", meta_image("ElementSpacing = 1e-300 1 1"), "spacing is 1e-300 mm"),
    "a MetaImage spacing of two numbers": ("a.mha", meta_image("ElementSpacing = 1 1"), "has 2 numbers"),
    "two MetaImage dimensions": ("a.mha", meta_image("NDims = 2"), "twice"),
    "an infinite NIfTI offset": ("a.nii", nifti(108, "<f", np.inf), "begin at byte inf"),
    "an infinite NIfTI spacing": ("a.nii", nifti(80, "<f", np.inf), "spacing is inf mm"),
    "eleven NIfTI dimensions": ("a.nii", nifti(40, "<h", 11), "11 dimensions"),
}


@pytest.mark.parametrize(("name", "content", "words"), REFUSED.values(), ids=REFUSED.keys())
def test_a_header_with_impossible_numbers_is_refused(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError) as error:
        read_image(tmp_path / name)
    assert words in error.value.sentence


def test_sound_headers_pass(tmp_path: Path) -> None:
    for name, content in {
        "a.nrrd": nrrd("content: " + "x" * 3000, "key:=" + "y" * 9000),
        "a.mha": meta_image(),
    }.items():
        (tmp_path / name).write_bytes(content)
        assert read_image(tmp_path / name).geometry == GRID
    (tmp_path / "a.nii").write_bytes(nifti(80, "<3f", 1, 1, 1))
    assert read_image(tmp_path / "a.nii").geometry.shape == (2, 2, 2)


@pytest.mark.parametrize("place", ["/etc/passwd", "../secret.raw", "{folder}/secret.raw", "sub/../../secret.raw"])
@pytest.mark.parametrize("kind", ["nrrd", "nrrd list", "mhd", "mhd list"])
def test_voxels_are_never_read_from_outside_the_folder_of_the_header(tmp_path: Path, kind: str, place: str) -> None:
    (tmp_path / "secret.raw").write_bytes(bytes(range(65, 73)))
    folder = tmp_path / "study"
    (folder / "sub").mkdir(parents=True)
    place = place.format(folder=tmp_path)
    contents = {
        "nrrd": nrrd(f"data file: {place}"),
        "nrrd list": nrrd("data file: LIST", place),
        "mhd": meta_image(data=place),
        "mhd list": meta_image(data=f"LIST\n{place}\n{place}"),
    }
    (folder / "a.mhd").write_bytes(contents[kind].rstrip(b"\0").rstrip(b"\n") + b"\n")
    with pytest.raises(UserError, match=r"folder|absolute"):
        read_image(folder / "a.mhd")


def test_voxels_beside_the_header_are_read(tmp_path: Path) -> None:
    labels = np.arange(8, dtype=np.uint8).reshape(2, 2, 2)
    for name in ("a.mhd", "a.nhdr"):
        write_labels(tmp_path / name, labels, GRID)
        assert np.array_equal(read_labels(tmp_path / name).array, labels)


class TestTheLimitOfMemory:
    @pytest.fixture
    def large(self, tmp_path: Path) -> Path:
        """A file of some kilobytes that unpacks to 6.0 GB."""
        header = nrrd().split(b"\n\n")[0].replace(b"sizes: 2 2 2", b"sizes: 2000 2000 1500")
        packed = gzip.compress(bytes(2**24))
        path = tmp_path / "large.nrrd"
        path.write_bytes(header.replace(b"encoding: raw", b"encoding: gzip") + b"\n\n" + packed * 50)
        return path

    def test_a_small_file_that_unpacks_to_gigabytes_is_refused(self, large: Path) -> None:
        with pytest.raises(UserError, match=r"unpacks to 6\.0 GB, more than the limit of 4\.0 GB"):
            read_image(large)

    def test_it_is_not_unpacked_to_the_disk_either(self, large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("NoisyLabelSegLib.cases.files.LARGE_BYTES", 1000)
        with pytest.raises(UserError, match="unpacks to"):
            list(reading_image(large))

    def test_the_limit_can_be_set(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_image(tmp_path / "a.nrrd", Image(np.zeros((20, 20, 20), np.float32), Geometry.plain((20, 20, 20))))
        read_image(tmp_path / "a.nrrd")
        monkeypatch.setenv("NOISYLABELSEG_LARGEST_IMAGE_GB", "0.00003")
        with pytest.raises(UserError, match=r"more than the limit of 0\.0 MB; .*NOISYLABELSEG_LARGEST_IMAGE_GB"):
            read_image(tmp_path / "a.nrrd")
        monkeypatch.setenv("NOISYLABELSEG_LARGEST_IMAGE_GB", "many")
        with pytest.raises(UserError, match="number of gigabytes"):
            read_image(tmp_path / "a.nrrd")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipes_and_devices_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.nrrd")
    with pytest.raises(UserError, match="is a named pipe, not a file"):
        read_image(tmp_path / "pipe.nrrd")
    with pytest.raises(UserError, match="is a device, not a file"):
        read_image("/dev/zero")
