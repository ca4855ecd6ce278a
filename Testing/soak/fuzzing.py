"""Good inputs of every kind that is read, ways to damage them, and the commands that then read them."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from NoisyLabelSegLib.cases import Geometry, Image, write_image, write_labels
from NoisyLabelSegLib.cases.seg_nrrd import write_seg_nrrd
from NoisyLabelSegLib.cases.segments import Segment, Segmentation
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.resources import resource_path
from Testing.cases.conftest import _make_seg, _make_series
from Testing.cases.test_lidc import SQUARE, lidc_xml, roi, session
from Testing.cases.two_segments import two_segments
from Testing.spoiling import good_folder, good_study

GRID = Geometry.plain((4, 5, 6), (0.7, 0.7, 2.5))
FUSE = ("fuse", "{folder}/{file}", "{folder}/other.nrrd", "--out", "{out}")
STUDY_VERBS = {
    "check": ("check", "{folder}"),
    "fuse": ("fuse", "{folder}", "--out", "{out}"),
    "review": ("review", "{folder}", "--truth", "majority", "--pictures", "0", "--out", "{out}"),
    "evaluate": ("evaluate", "{folder}/fused", "{folder}", "--out", "{out}"),
}


@dataclass(frozen=True)
class Seed:
    """A folder of good inputs, the file of it that is damaged, and the command that reads it."""

    folder: Path
    file: str
    command: tuple[str, ...]


def make_seeds(root: Path) -> dict[str, Seed]:
    """One good input of every kind, below `root`."""
    seeds = {name: Seed(_labels(root / name, name), name, FUSE) for name in _LABEL_FILES}
    seeds["a.mhd"] = Seed(_labels(root / "mhd", "a.mhd"), "a.mhd", FUSE)
    seeds["a.nhdr"] = Seed(_labels(root / "nhdr", "a.nhdr"), "a.nhdr", FUSE)
    for name in ("a.png", "a.tif"):
        seeds[name] = Seed(_pictures(root / name, name), name, FUSE)
    seeds["a.seg.nrrd"] = Seed(_segmentation(root / "seg"), "a.seg.nrrd", FUSE)
    slices = _make_series(root / "dicom" / "scan", np.arange(60).reshape(4, 3, 5))
    words = ("import", "dicom-seg", "{folder}", "--out", "{out}")
    _make_seg(root / "dicom" / "seg.dcm", slices, two_segments(), ["one", "two"])
    seeds["a DICOM SEG"] = Seed(root / "dicom", "seg.dcm", words)
    seeds["a DICOM slice"] = Seed(root / "dicom", str(slices[1].relative_to(root / "dicom")), words)
    _make_series(root / "lidc", np.zeros((3, 8, 8)))
    lidc_xml(root / "lidc" / "a.xml", session(roi("1.2.3.4.2", SQUARE)), session(roi("1.2.3.4.2", SQUARE)))
    seeds["an LIDC file"] = Seed(root / "lidc", "a.xml", ("import", "lidc", "{folder}", "--out", "{out}"))
    study = root / "study"
    good_folder(study)
    good_study(study)
    assert main(["fuse", str(study), "--out", str(study / "fused")]) == 0
    for verb, command in STUDY_VERBS.items():
        seeds[f"a study: {verb}"] = Seed(study, "study.json", command)
    truth, probabilities = "fused/case1/truth.nrrd", "fused/case1/truth_probability.nrrd"
    against_folder = ("review", "{folder}", "--truth", "{folder}/fused", "--pictures", "0", "--out", "{out}")
    seeds["a truth"] = Seed(study, truth, against_folder)
    seeds["probabilities"] = Seed(study, probabilities, STUDY_VERBS["evaluate"])
    seeds["annotators.json"] = Seed(study, "fused/annotators.json", STUDY_VERBS["evaluate"])
    model = root / "model"
    model.mkdir()
    shutil.copy(resource_path("models") / "demo-nodules.nlseg", model / "model.nlseg")
    write_image(model / "scan.nrrd", Image(np.zeros((16, 16), np.float32), Geometry.plain((16, 16))))
    seeds["a listed model"] = Seed(model, "model.nlseg", ("models", "{folder}/{file}"))
    predict = ("predict", "{folder}/model.nlseg", "{folder}/scan.nrrd", "--annotators", "--device", "cpu", "--no-flips")
    seeds["a model"] = Seed(model, "model.nlseg", (*predict, "--out", "{out}"))
    seeds["an image"] = Seed(model, "scan.nrrd", (*predict, "--out", "{out}"))
    return seeds


_LABEL_FILES = ("a.nrrd", "a.nii", "a.nii.gz", "a.mha")


def _labels(folder: Path, name: str) -> Path:
    labels = np.arange(120, dtype=np.uint8).reshape(GRID.shape) % 2
    write_labels(folder / name, labels, GRID, compressed=name != "a.mha")
    write_labels(folder / "other.nrrd", labels, GRID)
    return folder


def _pictures(folder: Path, name: str) -> Path:
    picture = Image(np.arange(30, dtype=np.uint8).reshape(5, 6) % 2, Geometry.plain((5, 6)))
    for file in (name, "other.nrrd"):
        write_image(folder / file, picture)
    return folder


def _segmentation(folder: Path) -> Path:
    _labels(folder, "other.nrrd")
    layers = (np.arange(120, dtype=np.uint8).reshape(1, *GRID.shape)) % 2
    folder.mkdir(exist_ok=True)
    write_seg_nrrd(folder / "a.seg.nrrd", Segmentation(GRID, layers, (Segment("one", 1, 0, (1.0, 0.0, 0.0)),)))
    return folder


NUMBERS = (b"-1", b"0", b"1e308", b"1e-308", b"nan", b"inf", b"1000000", b"99999999999999999999", b"1.5", b"", b"x")
WORDS = (b"/etc/passwd", b"../../secret", b"x" * 1500, b"\xff\xfe", b"\0", b'"', b"LIST", b"%n%s", b"\\ud800", b"{}")


def damage(content: bytes, chance: random.Random) -> bytes:
    """The content with one to three pieces of damage."""
    for _ in range(chance.choice((1, 1, 2, 3))):
        content = chance.choice(_WAYS)(content, chance) or b"\n"
    return content


def _flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice((1, 4, 20))):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _flip_early(content: bytes, chance: random.Random) -> bytes:
    """Headers come first, and damage there does most."""
    early = min(len(content), 400)
    return _flip(content[:early], chance) + content[early:]


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content))]


def _cut_out(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    return content[:start] + content[start + chance.choice((1, 4, 50)) :]


def _repeat(content: bytes, chance: random.Random) -> bytes:
    start, length = chance.randrange(len(content)), chance.choice((1, 8, 200))
    return content[: start + length] + content[start : start + length] + content[start + length :]


def _overwrite(content: bytes, chance: random.Random) -> bytes:
    start, value = (
        chance.randrange(len(content)),
        chance.choice((b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x00\x00\x80\x7f")),
    )
    return content[:start] + value + content[start + len(value) :]


def _other_number(content: bytes, chance: random.Random) -> bytes:
    return _replaced(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?", content, chance.choice(NUMBERS), chance)


def _other_word(content: bytes, chance: random.Random) -> bytes:
    return _replaced(rb"[A-Za-z_./]{2,40}", content, chance.choice(WORDS), chance)


def _replaced(pattern: bytes, content: bytes, new: bytes, chance: random.Random) -> bytes:
    """One of the matches among the first 5,000 bytes, replaced."""
    found = list(re.finditer(pattern, content[:5000]))
    if not found:
        return content
    match = chance.choice(found)
    return content[: match.start()] + new + content[match.end() :]


_WAYS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _flip_early, _cut, _cut_out, _repeat, _overwrite),
    *(_other_number, _other_number, _other_number, _other_word, _other_word),
)
