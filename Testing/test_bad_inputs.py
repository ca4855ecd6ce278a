"""Every bad input ends with exit code 2, one sentence that names the file, and nothing written."""

from __future__ import annotations

import gzip
import json
import os
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import SimpleITK as sitk

from NoisyLabelSegLib.cases import Geometry, Image, write_image, write_labels
from NoisyLabelSegLib.cli import main

GRID = Geometry.plain((4, 5, 6), (0.7, 0.7, 2.5))
LABEL = "case1/reader1.nrrd"
IMAGE = "case1/image.nrrd"


@dataclass
class Bad:
    """How a good input is spoilt, the file that the sentence must name, and a word it must hold."""

    spoil: Callable[[Path], Any]
    names: str
    word: str
    command: tuple[str, ...] = ("import", "folder", "{source}", "--out", "{out}")


CHECK = ("check", "{source}")
LIDC = ("import", "lidc", "{source}", "--out", "{out}")
SEG = ("import", "dicom-seg", "{source}", "--out", "{out}")
ENTITY_BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]>'
    b'<LidcReadMessage xmlns="http://www.nih.gov">&y;</LidcReadMessage>'
)


def good_folder(folder: Path) -> None:
    for case in ("case1", "case2"):
        image = np.arange(120, dtype=np.int16).reshape(GRID.shape)
        write_image(folder / case / "image.nrrd", Image(image, GRID))
        for reader in ("reader1", "reader2"):
            write_labels(folder / case / f"{reader}.nrrd", image % 2, GRID)


def good_study(folder: Path) -> dict[str, Any]:
    study = {
        "format": "noisylabelseg-study/1",
        "name": "small",
        "classes": ["background", "lesion"],
        "annotators": ["reader1", "reader2"],
        "cases": [
            {
                "id": case,
                "images": [f"{case}/image.nrrd"],
                "annotations": {reader: f"{case}/{reader}.nrrd" for reader in ("reader1", "reader2")},
            }
            for case in ("case1", "case2")
        ],
    }
    (folder / "study.json").write_text(json.dumps(study), encoding="utf-8")
    return study


def content(name: str, data: bytes) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        (folder / name).write_bytes(data)

    return spoil


def cut(name: str, keep: float) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: int(len(data) * keep)])

    return spoil


def labels(array: Any, *, grid: Geometry = GRID, name: str = LABEL) -> Callable[[Path], Any]:
    return lambda folder: write_image(folder / name, Image(np.broadcast_to(array, grid.shape).copy(), grid))


def instead(name: str, array: Any, grid: Geometry = GRID) -> Callable[[Path], Any]:
    """The label file replaced by one of another name, and so perhaps of another format."""

    def spoil(folder: Path) -> None:
        (folder / LABEL).unlink()
        write_image(folder / name, Image(np.broadcast_to(array, grid.shape).copy(), grid))

    return spoil


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


def vector_labels(folder: Path) -> None:
    array = np.stack([np.zeros(GRID.shape, np.uint8), np.ones(GRID.shape, np.uint8)])
    write_image(folder / LABEL, Image(array, GRID))


def four_dimensions(folder: Path) -> None:
    sitk.WriteImage(sitk.GetImageFromArray(np.zeros((2, 3, 4, 5), np.uint8), isVector=False), str(folder / LABEL))


def nothing_but(*names: str) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        for path in folder.glob("*/*"):
            if path.name not in names:
                path.unlink()

    return spoil


def study(change: Callable[[dict[str, Any]], Any]) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        written = good_study(folder)
        change(written)
        (folder / "study.json").write_text(json.dumps(written), encoding="utf-8")

    return spoil


def study_with(spoil: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def both(folder: Path) -> None:
        good_study(folder)
        spoil(folder)

    return both


def study_text(data: bytes) -> Callable[[Path], Any]:
    return lambda folder: (folder / "study.json").write_bytes(data)


def to_2d(folder: Path) -> None:
    write_image(folder / LABEL, Image(np.zeros((5, 6), np.uint8), Geometry.plain((5, 6))))


SHIFTED = Geometry(GRID.shape, GRID.spacing, (3.0, 0.0, 0.0), GRID.direction)
OTHER_SIZE = Geometry.plain((4, 5, 7), GRID.spacing)
OTHER_SPACING = Geometry.plain(GRID.shape, (0.7, 0.7, 3.0))
FLIPPED = Geometry(GRID.shape, GRID.spacing, GRID.origin, (-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
NAN, HUGE = float("nan"), b"2000000 2000000 2000000"

TABLE = {
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
    # labels that are not labels
    "NaN labels": Bad(labels(np.float32(NAN)), LABEL, "NaN"),
    "infinite labels": Bad(labels(np.float32(np.inf)), LABEL, "infinity"),
    "negative labels": Bad(labels(np.int16(-1)), LABEL, "-1"),
    "labels with fractions": Bad(labels(np.float32(0.5)), LABEL, "fractions"),
    "labels above 255": Bad(labels(np.int16(256)), LABEL, "256"),
    "large float labels": Bad(labels(np.float64(1e9)), LABEL, "above 255"),
    "large unsigned labels": Bad(labels(np.uint32(4_000_000_000)), LABEL, "above 255"),
    "grey levels as labels": Bad(labels(np.arange(6, dtype=np.uint8) * 40), LABEL, "200"),
    "two components per voxel": Bad(vector_labels, LABEL, "components"),
    # grids that do not fit
    "label of another size": Bad(labels(np.uint8(1), grid=OTHER_SIZE), LABEL, "7 x 5 x 4"),
    "label of another spacing": Bad(labels(np.uint8(1), grid=OTHER_SPACING), LABEL, "spacing"),
    "label elsewhere": Bad(labels(np.uint8(1), grid=SHIFTED), LABEL, "3 mm"),
    "label flipped": Bad(labels(np.uint8(1), grid=FLIPPED), LABEL, "axes"),
    "2D label of a 3D image": Bad(to_2d, LABEL, "2D"),
    "second channel on another grid": Bad(
        labels(np.int16(1), grid=OTHER_SIZE, name="case1/image2.nrrd"), "image2.nrrd", "size"
    ),
    # folders
    "no such folder": Bad(lambda folder: folder.rename(folder.parent / "moved"), "source", "not a folder"),
    "an empty folder": Bad(lambda folder: [f.unlink() for f in folder.glob("*/*")], "source", "layout"),
    "images but no labels": Bad(nothing_but("image.nrrd"), "source", "layout"),
    "labels but no images": Bad(nothing_but("reader1.nrrd"), "source", "layout"),
    "one annotator twice": Bad(instead("case1/reader2.mha", np.uint8(1)), "reader2", "both"),
    "annotators that differ in case only": Bad(labels(np.uint8(1), name="case1/READER1.nrrd"), "study.json", "repeat"),
    "an id with a colon": Bad(lambda folder: (folder / "case1").rename(folder / "a:b"), "study.json", "':'"),
    "an output folder that holds something": Bad(
        lambda folder: (folder.parent / "out").mkdir() or (folder.parent / "out" / "mine.txt").write_text("keep"),
        "out",
        "--force",
    ),
    "an output folder that is a file": Bad(lambda folder: (folder.parent / "out").write_text("keep"), "out", "a file"),
    # study files
    "no study": Bad(lambda _: None, "study.json", "does not exist", CHECK),
    "an empty study": Bad(study_text(b""), "study.json", "JSON", CHECK),
    "study cut short": Bad(study_text(b'{"format": "noisylabel'), "study.json", "line 1", CHECK),
    "study that is not UTF-8": Bad(study_text('{"name": "Größe"}'.encode("latin-1")), "study.json", "UTF-8", CHECK),
    "study nested too deeply": Bad(study_text(b"[" * 100_000), "study.json", "nested", CHECK),
    "study that is a list": Bad(study_text(b"[]"), "study.json", "object", CHECK),
    "study of another version": Bad(
        study(lambda s: s.update(format="noisylabelseg-study/9")), "study.json", "/9", CHECK
    ),
    "path that leaves the study": Bad(
        study(lambda s: s["cases"][0].update(truth="../../secret.nrrd")), "study.json", "leaves", CHECK
    ),
    "absolute path": Bad(
        study(lambda s: s["cases"][0].update(images=["/etc/passwd"])), "study.json", "absolute", CHECK
    ),
    "duplicate ids": Bad(study(lambda s: s["cases"][1].update(id="case1")), "study.json", "case1", CHECK),
    "unknown annotator": Bad(study(lambda s: s.update(annotators=["reader1"])), "study.json", "reader2", CHECK),
    "missing file": Bad(study_with(lambda f: (f / LABEL).unlink()), LABEL, "missing", CHECK),
    "label beyond the classes": Bad(study_with(labels(np.uint8(2))), LABEL, "2 classes", CHECK),
    "study with another grid": Bad(study_with(labels(np.uint8(1), grid=SHIFTED)), LABEL, "grid", CHECK),
    "study with mixed 2D and 3D": Bad(study_with(to_2d), LABEL, "2D", CHECK),
    "study with a folder as label": Bad(
        study_with(lambda f: [(f / LABEL).unlink(), (f / LABEL).mkdir()]), LABEL, "DICOM", CHECK
    ),
    # hospital formats
    "LIDC without XML": Bad(lambda _: None, "source", "XML", LIDC),
    "LIDC of another XML": Bad(content("69.xml", b"<note>hello</note>"), "69.xml", "LIDC", LIDC),
    "LIDC of broken XML": Bad(content("69.xml", b"<LidcReadMessage><readingSess"), "69.xml", "XML", LIDC),
    "LIDC with an entity bomb": Bad(content("69.xml", ENTITY_BOMB), "69.xml", "", LIDC),
    "no SEG in the folder": Bad(lambda _: None, "source", "SEG", SEG),
    "a SEG that is text": Bad(content("a.dcm", b"hello"), "a.dcm", "DICOM", (*SEG[:2], "{source}/a.dcm", *SEG[3:])),
    "a SEG of a prefix only": Bad(
        content("a.dcm", bytes(128) + b"DICM"), "a.dcm", "", (*SEG[:2], "{source}/a.dcm", *SEG[3:])
    ),
    "a SEG that is not there": Bad(lambda _: None, "a.dcm", "exist", (*SEG[:2], "{source}/a.dcm", *SEG[3:])),
    # the command itself
    "no verb": Bad(lambda _: None, "", "VERB", ()),
    "unknown verb": Bad(lambda _: None, "", "guess", ("guess",)),
    "unknown kind": Bad(lambda _: None, "", "tape", ("import", "tape", "{source}", "--out", "{out}")),
    "no output folder": Bad(lambda _: None, "", "--out", ("import", "folder", "{source}")),
    "unknown benchmark": Bad(lambda _: None, "", "sprint", ("bench", "sprint")),
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    good_folder(folder)
    return folder


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("bad", TABLE.values(), ids=TABLE.keys())
def test_bad_input_gets_one_sentence(bad: Bad, source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    bad.spoil(source)
    before = snapshot(source.parent)
    code = main([word.format(source=source, out=source.parent / "out") for word in bad.command])
    errors = capfd.readouterr().err
    assert code == 2
    assert errors.count("\n") == 1, errors
    assert "Traceback" not in errors
    assert errors.rstrip().endswith(".")
    assert bad.names in errors
    assert bad.word in errors
    assert snapshot(source.parent) == before, "something was written"


def test_the_table_is_long_enough() -> None:
    assert len(TABLE) >= 60


def test_the_good_input_is_accepted(source: Path) -> None:
    assert main(["import", "folder", str(source), "--out", str(source.parent / "out")]) == 0
    good_study(source)
    assert main(["check", str(source)]) == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_folder_is_named(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (source / "case1").chmod(0)
    try:
        assert main(["import", "folder", str(source), "--out", str(source.parent / "out")]) == 2
    finally:
        (source / "case1").chmod(0o755)
    assert "case1: cannot be opened" in capfd.readouterr().err
