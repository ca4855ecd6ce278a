"""Fields written slab by slab are the files that SimpleITK reads, voxel for voxel and place for place."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, read_image
from NoisyLabelSegLib.cases.slab_writer import slabs_of, write_slabs

TURNED = Geometry((4, 5, 6), (0.5, 0.75, 3.0), (10.0, -20.5, 3.25), (0, 1, 0, 1, 0, 0, 0, 0, -1))


@pytest.mark.parametrize("geometry", [TURNED, Geometry.plain((5, 7), (0.3, 0.4))])
@pytest.mark.parametrize("components", [1, 2, 9])
@pytest.mark.parametrize("number", [np.float32, np.uint8])
@pytest.mark.parametrize("compressed", [True, False])
def test_a_field_comes_back(
    tmp_path: Path, geometry: Geometry, components: int, number: type, compressed: bool
) -> None:
    field = (np.random.default_rng(0).random((components, *geometry.shape)) * 200).astype(number)
    slabs = [field[:, row : row + 1] for row in range(geometry.shape[0])]
    write_slabs(tmp_path / "a.nrrd", slabs, components, geometry, number=number, compressed=compressed)
    read = read_image(tmp_path / "a.nrrd")
    np.testing.assert_array_equal(read.channels, field)
    assert read.array.dtype == number
    assert read.geometry.differences(geometry) == []


def test_a_field_that_lacks_a_slab_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lack 60 values"):
        write_slabs(tmp_path / "a.nrrd", [np.zeros((2, 3, 5, 6))], 2, TURNED)
    assert list(tmp_path.iterdir()) == []


def test_slabs_cover_every_row_once() -> None:
    rows = [row for part in slabs_of((600, 512, 512), 3) for row in range(part.start, part.stop)]
    assert rows == list(range(600))
