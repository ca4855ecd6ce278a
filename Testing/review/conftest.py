"""Shapes and small studies that the tests of the review share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_image, write_labels

Ball = Callable[..., NDArray[np.uint8]]


@pytest.fixture
def ball() -> Ball:
    """A ball (or disk) on a grid: `ball(geometry, center index zyx, radius mm)`."""

    def make(geometry: Geometry, center: tuple[float, ...], radius: float) -> NDArray[np.uint8]:
        indices = np.stack(np.indices(geometry.shape), axis=-1)
        away = (indices - np.array(center)) * geometry.spacing_zyx
        return (np.linalg.norm(away, axis=-1) <= radius).astype(np.uint8)

    return make


@pytest.fixture
def small_study(tmp_path: Path, ball: Ball) -> Study:
    """Four small 3D cases: `wide` draws 1.5 mm too far, `careful` is right, `blank` marks nothing and skips a case."""
    geometry = Geometry.plain((10, 32, 32), (0.8, 0.8, 2.0))
    cases = []
    for number in range(4):
        folder = tmp_path / "study" / f"PATIENT-{number}"
        center, radius = (5, 14 + number, 16), 6 + 0.5 * number
        truth = ball(geometry, center, radius)
        drawn = {"careful": truth, "wide": ball(geometry, center, radius + 1.5), "blank": np.zeros_like(truth)}
        if number == 3:
            del drawn["blank"]
        noise = np.random.default_rng(number).normal(0, 20, geometry.shape)
        write_image(folder / "ct.nrrd", Image((100.0 * truth + noise).astype(np.float32), geometry))
        write_labels(folder / "truth.nrrd", truth, geometry)
        for name, labels in drawn.items():
            write_labels(folder / f"{name}.nrrd", labels, geometry)
        cases.append(
            Case(
                f"PATIENT-{number}",
                (folder / "ct.nrrd",),
                {name: Annotation(folder / f"{name}.nrrd") for name in drawn},
                folder / "truth.nrrd",
            )
        )
    study = Study("secret study", ("background", "lesion"), ("careful", "wide", "blank"), tuple(cases))
    study.write(tmp_path / "study")
    return Study.read(tmp_path / "study")
