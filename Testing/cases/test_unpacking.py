"""Large compressed files are read in steps, and say the same as when they are read at once."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, read_image, write_image
from NoisyLabelSegLib.cases.files import reading_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import finished

GRID = Geometry((4, 30, 20), (1.0, 2.0, 3.0), (5.0, 6.0, 7.0), (0, 1, 0, -1, 0, 0, 0, 0, 1))
VOXELS = np.random.default_rng(0).integers(-500, 500, GRID.shape, dtype=np.int16)


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("NoisyLabelSegLib.cases.files.LARGE_BYTES", 1)
    monkeypatch.setattr("NoisyLabelSegLib.cases.files._BYTES_AT_ONCE", 1000)


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize(("name", "steps"), [("a.nrrd", 6), ("a.nii.gz", 6), ("a.nii", 1), ("a.mha", 1)])
def test_a_file_read_in_steps_is_the_same(name: str, steps: int, tmp_path: Path, temporary: Path) -> None:
    path = tmp_path / name
    write_image(path, Image(VOXELS, GRID))
    assert len(list(reading_image(path))) >= steps
    image, whole = finished(reading_image(path)), read_image(path)
    np.testing.assert_array_equal(image.array, whole.array)
    assert image.array.dtype == whole.array.dtype
    assert image.geometry == whole.geometry
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("name", ["a.nrrd", "a.nii.gz"])
def test_a_damaged_file_is_named_as_ever(name: str, tmp_path: Path, temporary: Path) -> None:
    path = tmp_path / name
    write_image(path, Image(VOXELS, GRID))
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(UserError) as direct:
        read_image(path)
    with pytest.raises(UserError) as stepwise:
        finished(reading_image(path))
    assert stepwise.value.sentence == direct.value.sentence
    assert not list(temporary.iterdir())


def test_what_is_canceled_leaves_nothing(tmp_path: Path, temporary: Path) -> None:
    path = tmp_path / "a.nrrd"
    write_image(path, Image(VOXELS, GRID))
    reading = reading_image(path)
    next(reading)
    assert list(temporary.iterdir())
    reading.close()
    assert not list(temporary.iterdir())
