"""Small studies and panels of annotators that the fusion tests share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, write_labels

GRID = Geometry((6, 20, 21), (0.7, 0.8, 2.5), (10.0, -20.0, 30.0), (0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0))


@pytest.fixture
def make_study(tmp_path: Path) -> Callable[..., Study]:
    """Writes a study of balls outlined by careful ann, generous bob and careless cy; `missing` leaves labels out."""

    def make(cases: int = 3, missing: Callable[[int, str], bool] = lambda _case, _name: False) -> Study:
        rng = np.random.default_rng(7)
        z, y, x = np.ogrid[:6, :20, :21]
        made = []
        for number in range(cases):
            depth = 6 - np.hypot(y - rng.uniform(8, 12), x - rng.uniform(8, 12)) - abs(z - 3)
            annotations = {}
            for name, bias, error in (("ann", 0.0, 0.3), ("bob", 0.7, 0.6), ("cy", 0.0, 2.0)):
                drawn = depth + bias + error * rng.standard_normal(depth.shape) > 0
                if missing(number, name):
                    continue
                file = tmp_path / "study" / f"case{number}" / f"{name}.nrrd"
                write_labels(file, drawn, GRID)
                annotations[name] = Annotation(file)
            made.append(Case(f"case{number}", annotations=annotations, classes=2))
        study = Study("balls", ("background", "ball"), ("ann", "bob", "cy"), tuple(made), tmp_path / "study")
        study.write()
        return study

    return make
