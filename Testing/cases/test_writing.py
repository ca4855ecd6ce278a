"""Images are written whole, or it is said that they could not be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, read_labels, write_labels
from NoisyLabelSegLib.errors import UserError


@pytest.mark.parametrize("edge", [4, 300])
@pytest.mark.parametrize("ending", ["nrrd", "nii", "nii.gz", "mha", "mhd", "tif", "png"])
def test_a_full_disk_is_never_taken_for_a_written_image(small_disk: Path, ending: str, edge: int) -> None:
    labels = np.random.default_rng(0).integers(0, 256, (edge, edge), dtype=np.uint8)
    (small_disk / "filling").write_bytes(bytes(240 * 1024 if edge == 300 else 256 * 1024))
    with pytest.raises(UserError, match="cannot be written"):
        write_labels(small_disk / f"labels.{ending}", labels, Geometry.plain(labels.shape))
    assert [path.name for path in small_disk.iterdir()] == ["filling"]


def test_an_image_that_just_fits_is_written(small_disk: Path) -> None:
    labels = np.random.default_rng(0).integers(0, 256, (300, 300), dtype=np.uint8)
    write_labels(small_disk / "labels.nii", labels, Geometry.plain(labels.shape))
    assert np.array_equal(read_labels(small_disk / "labels.nii").array, labels)


@pytest.mark.parametrize("ending", ["nrrd", "nii.gz", "mha"])
def test_a_note_says_in_the_header_how_labels_came_about(tmp_path, ending):
    import SimpleITK as sitk

    path, note = tmp_path / f"truth.{ending}", "Majority of the annotators' labels (Müller, Ødegård); " + "edited " * 40
    labels = np.zeros((2, 3, 4), dtype=np.uint8)
    write_labels(path, labels, Geometry.plain((2, 3, 4)), note=note)
    image = sitk.ReadImage(str(path))
    texts = [image.GetMetaData(key) for key in image.GetMetaDataKeys()]
    kept = 60 if ending == "nii.gz" else 200  # a NIfTI header has room for 79 bytes
    assert any(text.startswith(note[:kept]) for text in texts)
    assert not read_labels(path).array.any()
