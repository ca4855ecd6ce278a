"""NRRD files in parts: memory-mapped where they are uncompressed, streamed where they are compressed."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, write_components, write_image, write_labels
from NoisyLabelSegLib.cases.nrrd import component_blocks, component_count, map_nrrd, part_by_part
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.overlap import CHUNK, chunks
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


SHAPE = (3, 200, 250)  # more than two chunks


@pytest.fixture
def field() -> np.ndarray:
    return np.random.default_rng(0).random((4, *SHAPE), dtype=np.float32)


def whole(path, components: int = 4) -> np.ndarray:
    voxels = int(np.prod(SHAPE))
    parts = list(component_blocks(path, components, chunks(voxels)))
    assert [part.start for part, _ in parts] == list(range(0, voxels, CHUNK))
    return np.concatenate([block for _, block in parts], axis=1).reshape(components, *SHAPE)


@pytest.mark.parametrize("name", ["field.nrrd", "field.nii.gz", "field.mha"])
def test_blocks_hold_what_was_written_in_any_format(name, field, tmp_path):
    write_components(tmp_path / name, field, Geometry.plain(SHAPE))
    assert component_count(tmp_path / name) == 4
    assert np.array_equal(whole(tmp_path / name), field)


def test_fields_of_other_numbers_are_read_too(field, tmp_path):
    write_image(tmp_path / "double.nrrd", Image(field.astype(np.float64), Geometry.plain(SHAPE)))
    assert np.array_equal(whole(tmp_path / "double.nrrd"), field)


def test_a_truncated_or_garbled_file_is_refused_by_name(field, tmp_path):
    path = tmp_path / "field.nrrd"
    write_components(path, field, Geometry.plain(SHAPE))
    content = path.read_bytes()
    head, _, packed = content.partition(b"\n\n")
    for damaged in (packed[:-5000], b"hello" + packed, gzip.compress(b"short")):
        path.write_bytes(head + b"\n\n" + damaged)
        with pytest.raises(UserError, match=r"field\.nrrd"):
            whole(path)
