"""Ways to spoil a good input, and what every refusal has in common."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, write_image, write_labels
from NoisyLabelSegLib.cli import main

GRID = Geometry.plain((4, 5, 6), (0.7, 0.7, 2.5))
SHIFTED = Geometry(GRID.shape, GRID.spacing, (3.0, 0.0, 0.0), GRID.direction)
LABEL = "case1/reader1.nrrd"
IMAGE = "case1/image.nrrd"


@dataclass
class Bad:
    """How a good input is spoilt, the file that the sentence must name, and a word it must hold."""

    spoil: Callable[[Path], Any]
    names: str
    word: str
    command: tuple[str, ...] = ("import", "folder", "{source}", "--out", "{out}")


def assert_refused(bad: Bad, source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, one sentence that names the file, and nothing written."""
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


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


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


def to_2d(folder: Path) -> None:
    write_image(folder / LABEL, Image(np.zeros((5, 6), np.uint8), Geometry.plain((5, 6))))
