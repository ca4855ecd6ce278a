"""Small studies whose agreement is known by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, write_labels

MakeStudy = Callable[..., Study]


@pytest.fixture
def make_study(tmp_path: Path) -> MakeStudy:
    """Makes a study of rectangles in 20 x 20 pictures from the columns that each reading covers.

    Each case maps readers to one width, or to a list of widths for repeated readings; a width of 0 is an empty mask.
    """

    def make(cases: list[dict[str, int | list[int]]], patients: list[str] | None = None, name: str = "study") -> Study:
        folder, made = tmp_path / name, []
        for number, drawn in enumerate(cases):
            files: dict[str, list[Annotation]] = {}
            for reader, widths in drawn.items():
                for reading, width in enumerate(widths if isinstance(widths, list) else [widths]):
                    labels = np.zeros((20, 20), np.uint8)
                    labels[5:15, 2 : 2 + width] = 1
                    path = folder / f"case{number}" / f"{reader}_{reading}.nrrd"
                    write_labels(path, labels, Geometry.plain((20, 20)))
                    files.setdefault(reader, []).append(Annotation(path))
            first = {reader: readings[0] for reader, readings in files.items()}
            repeats = {reader: tuple(readings[1:]) for reader, readings in files.items() if len(readings) > 1}
            patient = patients[number] if patients else None
            made.append(Case(f"case{number}", (), first, patient=patient, repeats=repeats))
        readers = tuple(dict.fromkeys(reader for drawn in cases for reader in drawn))
        Study("bars", ("background", "bar"), readers, tuple(made)).write(folder)
        return Study.read(folder)

    return make
