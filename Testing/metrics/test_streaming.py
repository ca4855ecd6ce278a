from __future__ import annotations

import gzip

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, write_components, write_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.metrics.counts import CHUNK
from NoisyLabelSegLib.metrics.streaming import component_blocks, component_count

SHAPE = (3, 200, 250)  # more than two chunks


@pytest.fixture
def field() -> np.ndarray:
    return np.random.default_rng(0).random((4, *SHAPE), dtype=np.float32)


def whole(path, components: int = 4) -> np.ndarray:
    voxels = int(np.prod(SHAPE))
    parts = list(component_blocks(path, components, voxels))
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
