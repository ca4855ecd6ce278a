"""Uncompressed files are read where they lie."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, write_components, write_labels
from NoisyLabelSegLib.cases.mapped import map_nrrd, part_by_part
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import finished

GRID = Geometry.plain((3, 4, 5))


def test_labels_and_components_are_those_that_were_written(tmp_path: Path) -> None:
    labels = np.arange(60, dtype=np.uint8).reshape(GRID.shape)
    field = np.stack([labels / 60, 1 - labels / 60]).astype(np.float32)
    write_labels(tmp_path / "labels.nrrd", labels, GRID, compressed=False)
    write_components(tmp_path / "field.nrrd", field, GRID, compressed=False)
    assert np.array_equal(map_nrrd(tmp_path / "labels.nrrd"), labels)
    assert np.array_equal(finished(part_by_part(map_nrrd(tmp_path / "field.nrrd")[..., 1])), field[1])
    assert np.array_equal(np.moveaxis(map_nrrd(tmp_path / "field.nrrd"), -1, 0), field)


def test_a_compressed_file_is_refused(tmp_path: Path) -> None:
    write_labels(tmp_path / "labels.nrrd", np.zeros(GRID.shape), GRID)
    with pytest.raises(UserError, match="not an uncompressed NRRD"):
        map_nrrd(tmp_path / "labels.nrrd")
