"""Studies of any number of cases for the benchmark of `review`: lesions in noise, and five readers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_image, write_labels

GRID = Geometry.plain((16, 64, 64), (1.0, 1.0, 3.0))
READERS = tuple(f"reader{number}" for number in range(1, 6))


def write_study(folder: Path, cases: int) -> Study:
    """Cases of 64 x 64 x 16 voxels with three lesions; readers draw them larger or smaller and miss some."""
    made = []
    for number in range(cases):
        random = np.random.default_rng(number)
        truth, drawn = _draw(random)
        place = folder / f"case{number:04d}"
        scan = 100.0 * truth + random.normal(0, 30, GRID.shape)
        write_image(place / "image.nrrd", Image(scan.astype(np.int16), GRID))
        annotations = {}
        for name, labels in zip(READERS, drawn, strict=True):
            write_labels(place / f"{name}.nrrd", labels, GRID)
            annotations[name] = Annotation(place / f"{name}.nrrd")
        made.append(Case(place.name, (place / "image.nrrd",), annotations))
    study = Study("lesions", ("background", "lesion"), READERS, tuple(made))
    study.write(folder)
    return Study.read(folder)


def _draw(random: np.random.Generator) -> tuple[NDArray[np.uint8], list[NDArray[np.uint8]]]:
    truth = np.zeros(GRID.shape, np.uint8)
    drawn = [np.zeros(GRID.shape, np.uint8) for _ in READERS]
    indices = np.moveaxis(np.indices(GRID.shape), 0, -1)
    for _ in range(3):
        center, radius = random.uniform((4, 12, 12), np.array(GRID.shape) - (4, 12, 12)), random.uniform(3, 9)
        away = np.linalg.norm((indices - center) * GRID.spacing_zyx, axis=-1)
        truth |= (away <= radius).astype(np.uint8)
        for number, labels in enumerate(drawn):
            if random.random() > 0.1:
                labels |= (away <= radius + 0.8 * (number - 2) + random.normal(0, 0.4)).astype(np.uint8)
    return truth, drawn
