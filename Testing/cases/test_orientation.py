"""Nothing is flipped: voxels keep their places in the patient through files and onto other grids."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import SimpleITK as sitk

from NoisyLabelSegLib.cases import Geometry, Image, read_image, read_labels, resample, write_image, write_labels

SAMPLES = {
    "brain1": ("mr-brain-tumour/brain1_image.nrrd", "mr-brain-tumour/brain1_label.nrrd"),
    "CTChest4": ("ct-chest-slicer/CTChest4.nrrd", "ct-chest-slicer/Segmentation.seg.nrrd"),
}
NEGATIVE = Geometry((5, 6, 7), (0.5, 0.8, 2.0), (10.0, 20.0, -30.0), (-1, 0, 0, 0, -1, 0, 0, 0, 1))


@pytest.fixture(params=["synthetic", "brain1", "CTChest4"])
def scan(request: pytest.FixtureRequest) -> tuple[Image, Image]:
    """An image and labels on its grid, with axes that point against the patient's."""
    if request.param == "synthetic":
        array = np.random.default_rng(1).integers(-1000, 1000, NEGATIVE.shape, dtype=np.int16)
        return Image(array, NEGATIVE), Image((array > 500).astype(np.uint8), NEGATIVE)
    folder = request.getfixturevalue("shared_data") / "demo-volumes"
    image, labels = SAMPLES[request.param]
    return read_image(folder / image), read_labels(folder / labels)


def flipped(geometry: Geometry) -> Geometry:
    """The same voxel centers counted along +x, +y, +z."""
    signs = np.sign(np.diag(np.reshape(geometry.direction, (3, 3))))
    first = [0 if sign > 0 else length - 1 for sign, length in zip(signs[::-1], geometry.shape, strict=True)]
    return replace(geometry, origin=tuple(geometry.points(first).tolist()), direction=tuple(np.eye(3).ravel().tolist()))


def some_points(labels: Image, count: int = 50) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) in the patient, half of them labeled, and the labels there."""
    rng = np.random.default_rng(0)
    inside = rng.permutation(np.argwhere(labels.array))[: count // 2]
    outside = rng.permutation(np.argwhere(labels.array == 0))[: count // 2]
    indices = np.concatenate([inside, outside])
    return labels.geometry.points(indices), labels.array[tuple(indices.T)]


def values_at(image: Image, points: np.ndarray) -> np.ndarray:
    return image.array[tuple(np.rint(image.geometry.indices(points)).astype(int).T)]


def test_image_and_labels_share_negative_directions(scan: tuple[Image, Image]):
    image, labels = scan
    assert np.reshape(image.geometry.direction, (3, 3))[1, 1] == pytest.approx(-1)
    assert not image.geometry.differences(labels.geometry)


@pytest.mark.parametrize("ending", [".nrrd", ".nii.gz", ".mha"])
def test_points_keep_their_values_through_a_file(scan: tuple[Image, Image], tmp_path: Path, ending: str):
    image, labels = scan
    points, expected = some_points(labels)
    write_image(tmp_path / f"image{ending}", image)
    write_labels(tmp_path / f"labels{ending}", labels.array, labels.geometry)
    np.testing.assert_array_equal(values_at(read_labels(tmp_path / f"labels{ending}"), points), expected)
    np.testing.assert_array_equal(values_at(read_image(tmp_path / f"image{ending}"), points), values_at(image, points))
    stored = sitk.ReadImage(str(tmp_path / f"labels{ending}"))  # the same places by ITK's own arithmetic
    theirs = [stored[stored.TransformPhysicalPointToIndex(point)] for point in points.tolist()]
    np.testing.assert_array_equal(theirs, expected)


def test_labels_resampled_onto_a_grid_that_counts_the_other_way_keep_their_places(scan: tuple[Image, Image]):
    _, labels = scan
    onto = flipped(labels.geometry)
    moved = resample(labels, onto)
    points, expected = some_points(labels)
    np.testing.assert_array_equal(values_at(moved, points), expected)
    axes = [3 - 1 - axis for axis in range(3) if labels.geometry.direction[4 * axis] < 0]
    np.testing.assert_array_equal(moved.array, np.flip(labels.array, axes))


def test_labels_resampled_onto_a_coarser_shifted_grid_keep_their_places(scan: tuple[Image, Image]):
    _, labels = scan
    fine = flipped(labels.geometry)
    onto = Geometry(
        tuple(-(-length * 2 // 3) for length in fine.shape),
        tuple(1.5 * edge for edge in fine.spacing),
        tuple(start + 0.3 * edge for start, edge in zip(fine.origin, fine.spacing, strict=True)),
        fine.direction,
    )
    moved = resample(labels, onto)
    indices = np.stack(np.meshgrid(*[np.arange(n) for n in onto.shape], indexing="ij"), -1).reshape(-1, 3)
    source = labels.geometry.indices(onto.points(indices))
    clear = (np.abs(source - np.floor(source) - 0.5) > 1e-3).all(axis=1)  # not halfway between two voxels
    inside = ((source > -0.5) & (source < np.array(labels.geometry.shape) - 0.5)).all(axis=1)
    chosen = indices[clear & inside]
    np.testing.assert_array_equal(moved.array[tuple(chosen.T)], values_at(labels, onto.points(chosen)))
    assert moved.array[tuple(chosen.T)].any()
