"""Simulated readers who segment what is in their package."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Geometry, Image, Study, read_image, write_image, write_labels

GRID = Geometry((6, 24, 24), (0.7, 0.7, 2.5), (-30.5, 12.0, 101.0), (1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0))


@pytest.fixture
def scans(tmp_path: Path) -> Study:
    """Eight scans of four patients with a bright ball each, without labels."""
    random, cases = np.random.default_rng(4), []
    z, y, x = np.indices(GRID.shape)
    for number in range(8):
        center = random.uniform(9, 15, 2)
        ball = ((z - 3) * 2.5) ** 2 + ((y - center[0]) * 0.7) ** 2 + ((x - center[1]) * 0.7) ** 2 < 20
        image = (100 * ball + random.normal(0, 5, GRID.shape)).astype(np.int16)
        path = tmp_path / "study" / f"Miller_{number}" / "Miller.nrrd"
        write_image(path, Image(image, GRID))
        cases.append(Case(f"Miller_{number}", (path,), patient=f"patient{number // 2}"))
    Study("Miller family", ("background", "ball"), ("senior",), tuple(cases)).write(tmp_path / "study")
    return Study.read(tmp_path / "study")


Read = Callable[..., None]


@pytest.fixture
def read() -> Read:
    """Segments a package at a threshold with some noise, noting when and how long in the worklist."""

    def work(package: Path, threshold: float, *, only: int | None = None, noise: float = 0.0) -> None:
        worklist: dict[str, Any] = json.loads((package / "worklist.json").read_text(encoding="utf-8"))
        random = np.random.default_rng(len(package.name))
        for entry in worklist["cases"][:only]:
            path = package / entry["labels"]
            image = read_image(path.parent / "image.nrrd")
            drawn = image.array + random.normal(0, noise, image.array.shape) > threshold
            write_labels(path, drawn, image.geometry)
            entry |= {"finished": True, "started": "2026-03-01T09:30:00", "seconds": 90}
        (package / "worklist.json").write_text(json.dumps(worklist), encoding="utf-8")

    return work
