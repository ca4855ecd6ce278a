"""Folders, LIDC scans and DICOM SEG objects that cannot become a study."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cli import main
from Testing.spoiling import Bad, assert_refused, content, instead, labels

LIDC = ("import", "lidc", "{source}", "--out", "{out}")
SEG = ("import", "dicom-seg", "{source}", "--out", "{out}")
ONE_SEG = ("import", "dicom-seg", "{source}/a.dcm", "--out", "{out}")
ENTITY_BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;&x;&x;&x;&x;&x;&x;">]>'
    b'<LidcReadMessage xmlns="http://www.nih.gov">&y;</LidcReadMessage>'
)


def nothing_but(*names: str) -> Callable[[Path], Any]:
    def spoil(folder: Path) -> None:
        for path in folder.glob("*/*"):
            if path.name not in names:
                path.unlink()

    return spoil


BAD = {
    # folders
    "no such folder": Bad(lambda folder: folder.rename(folder.parent / "moved"), "source", "not a folder"),
    "an empty folder": Bad(lambda folder: [f.unlink() for f in folder.glob("*/*")], "source", "layout"),
    "images but no labels": Bad(nothing_but("image.nrrd"), "source", "layout"),
    "one annotator twice": Bad(instead("case1/reader2.mha", np.uint8(1)), "reader2", "both"),
    "annotators that differ in case only": Bad(labels(np.uint8(1), name="case1/READER1.nrrd"), "study.json", "repeat"),
    "an id with a colon": Bad(lambda folder: (folder / "case1").rename(folder / "a:b"), "study.json", "':'"),
    "an output folder that holds something": Bad(
        lambda folder: (folder.parent / "out").mkdir() or (folder.parent / "out" / "mine.txt").write_text("keep"),
        "out",
        "--force",
    ),
    "an output folder that is a file": Bad(lambda folder: (folder.parent / "out").write_text("keep"), "out", "a file"),
    # hospital formats
    "LIDC without XML": Bad(lambda _: None, "source", "XML", LIDC),
    "LIDC of another XML": Bad(content("69.xml", b"<note>hello</note>"), "69.xml", "LIDC", LIDC),
    "LIDC of broken XML": Bad(content("69.xml", b"<LidcReadMessage><readingSess"), "69.xml", "XML", LIDC),
    "LIDC with an entity bomb": Bad(content("69.xml", ENTITY_BOMB), "69.xml", "", LIDC),
    "no SEG in the folder": Bad(lambda _: None, "source", "SEG", SEG),
    "a SEG that is text": Bad(content("a.dcm", b"hello"), "a.dcm", "DICOM", ONE_SEG),
    "a SEG of a prefix only": Bad(content("a.dcm", bytes(128) + b"DICM"), "a.dcm", "", ONE_SEG),
    "a SEG that is not there": Bad(lambda _: None, "a.dcm", "exist", ONE_SEG),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_what_cannot_be_imported_gets_one_sentence(
    bad: Bad, good_input: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert_refused(bad, good_input, capfd)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_folder_is_named(good_input: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (good_input / "case1").chmod(0)
    try:
        assert main(["import", "folder", str(good_input), "--out", str(good_input.parent / "out")]) == 2
    finally:
        (good_input / "case1").chmod(0o755)
    assert "case1: cannot be opened" in capfd.readouterr().err
