"""STEPS and non-local STAPLE by hand, and on a study whose annotations bring their own registered image."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_image, write_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import Votes, fuse
from NoisyLabelSegLib.fusion.local_em import Disputed, estimate, neighbors_alike
from NoisyLabelSegLib.fusion.methods import ATLAS_METHODS
from NoisyLabelSegLib.fusion.non_local_staple import _shares
from NoisyLabelSegLib.fusion.steps import correlation
from NoisyLabelSegLib.fusion.table import RegisteredImages

SCAN = np.random.default_rng(0).normal(size=24)
OTHER = np.random.default_rng(1).normal(size=24)


def test_one_step_of_the_estimation_is_as_computed_by_hand():
    """Two voxels, two annotators; the first says 1 and 0, the second has a say at the first voxel only: half 0, half 1.

    The mean votes are (1/4, 3/4) and (1, 0). The first annotator says 0 for all of the second voxel, so that
    theta[0 | 0] = 1 / 1.25 = 0.8 and theta[1 | 1] = 1. The second shows halves under either truth. The prior is
    (0.625, 0.375). At the first voxel: background 0.625 * 0.2 * 0.5, foreground 0.375 * 1 * 0.5.
    """
    votes = np.array([[[0, 1], [0.5, 0.5]], [[1, 0], [0, 0]]], dtype=float)
    posterior, iterations, _ = estimate(votes, pull=None, tolerance=0, max_iterations=1)
    assert iterations == 1
    np.testing.assert_allclose(posterior[0], [0.25, 0.75])
    np.testing.assert_allclose(posterior[1], [1, 0], atol=1e-12)


def test_neighbors_pull_with_their_probabilities():
    votes = Votes([[[1, 1, 0], [0, 0, 0]], [[1, 0, 0], [0, 0, 0]]])
    disputed = Disputed.of(votes.table)
    assert disputed.voxels.tolist() == [1]
    pulled = neighbors_alike(disputed, 0.5)(np.array([[0.5, 0.5]]))
    np.testing.assert_allclose(pulled, [[0.5 * 2, 0.5 * 1]])  # right and below are background, left is foreground


def test_images_are_compared_by_local_correlation():
    whole = np.where(np.arange(24) < 12, SCAN, OTHER)
    found = correlation(SCAN, 3 * whole + 7, 1.0)
    np.testing.assert_allclose(found[:8], 1, atol=1e-5)
    assert np.abs(found[16:]).max() < 0.9
    assert not correlation(SCAN, np.ones(24), 1.0).any()


def test_steps_listens_where_the_images_are_alike():
    """The first one's image resembles the scan on the left, the second's on the right, the third's nowhere."""
    left, right = np.where(np.arange(24) < 12, SCAN, OTHER), np.where(np.arange(24) < 12, OTHER, SCAN)
    labels = np.zeros((3, 24), dtype=np.uint8)
    labels[0, 2:8], labels[1, 14:22], labels[2, 4:20] = 1, 1, 1
    images = RegisteredImages(SCAN, (left, right, OTHER))
    fusion = fuse(labels, "steps", images=images, best=1, width=0.7, neighbors=0)
    assert fusion.labels.tolist() == np.r_[labels[0, :12], labels[1, 12:]].tolist()
    assert fusion.confusion.shape == (3, 2, 2)


def test_shares_of_labels_nearby_are_as_computed_by_hand():
    """One voxel, one step to either side: gray values 0, 0, 2 against 1; labels 1, 0, -1 (not looked at)."""
    own, scan = np.array([0, 0, 2], np.float32), np.array([9, 1, 9], np.float32)
    drawn, like = np.array([1, 0, -1], np.int16), np.zeros((1, 1, 2))
    found = _shares(scan, own, drawn, np.array([[1]]), 1, 0, 1.0, 1.0, like)
    near, here = np.exp(-0.5) * np.exp(-0.5), np.exp(-0.5)
    np.testing.assert_allclose(found, [[here / (here + near), near / (here + near)]], rtol=1e-6)


def test_non_local_staple_undoes_a_shift_that_registration_left():
    truth = np.zeros((20, 20), dtype=np.uint8)
    truth[6:14, 6:14] = 1
    scan = truth * 4 + np.random.default_rng(2).normal(0, 0.2, truth.shape)
    moved = [(0, 1), (0, 1), (1, 0)]
    labels = [np.roll(truth, step, axis=(0, 1)) for step in moved]
    images = RegisteredImages(scan, tuple(np.roll(scan, step, axis=(0, 1)) for step in moved))
    fusion = fuse(labels, "non-local-staple", images=images)
    assert np.count_nonzero(fusion.labels != truth) < np.count_nonzero(fuse(labels, "staple").labels != truth)
    np.testing.assert_allclose(fusion.probabilities.sum(axis=0), 1, atol=1e-6)


@pytest.mark.parametrize("method", ATLAS_METHODS)
def test_agreed_voxels_keep_their_label_and_an_annotator_can_be_left_out(method):
    labels = np.random.default_rng(3).integers(0, 3, (4, 6, 9)).astype(np.uint8)
    labels[:, 2:4] = labels[0, 2:4]
    random = np.random.default_rng(4)
    votes = Votes(labels, images=RegisteredImages(random.normal(size=(6, 9)), tuple(random.normal(size=(4, 6, 9)))))
    np.testing.assert_array_equal(votes.fuse(method).labels[2:4], labels[0, 2:4])
    found = votes.fuse(method, annotators=[0, 1, 3])
    assert np.isfinite(found.probabilities).all()
    assert votes.counts_against(found).sum() == 4 * labels[0].size


@pytest.mark.parametrize("method", ATLAS_METHODS)
def test_labels_without_images_are_refused(method):
    with pytest.raises(UserError, match="some have none"):
        fuse([[0, 1], [1, 1]], method)
    with pytest.raises(UserError, match="different sizes"):
        fuse([[0, 1], [1, 1]], method, images=RegisteredImages(np.zeros(2), (np.zeros(3), np.zeros(2))))


@pytest.mark.parametrize("method", ATLAS_METHODS)
def test_a_study_names_the_image_of_every_annotation(tmp_path: Path, method, capsys):
    random, grid, folder = np.random.default_rng(5), Geometry.plain((4, 8, 8)), tmp_path / "study"
    drawn = {}
    for name in ("atlas1", "atlas2", "atlas3"):
        write_labels(folder / f"{name}.nrrd", random.integers(0, 2, grid.shape).astype(np.uint8), grid)
        write_image(folder / f"{name}-image.nrrd", Image(random.normal(size=grid.shape).astype(np.float32), grid))
        drawn[name] = Annotation(folder / f"{name}.nrrd", image=folder / f"{name}-image.nrrd")
    write_image(folder / "scan.nrrd", Image(random.normal(size=grid.shape).astype(np.float32), grid))
    case = Case("one", (folder / "scan.nrrd",), drawn, classes=2)
    Study("atlases", ("background", "organ"), tuple(drawn), (case,), folder).write()
    entry = json.loads((folder / "study.json").read_text())["cases"][0]["annotations"]["atlas2"]
    assert entry == {"file": "atlas2.nrrd", "image": "atlas2-image.nrrd"}
    assert Study.read(folder).cases[0].annotations["atlas2"].image == folder / "atlas2-image.nrrd"
    assert main(["fuse", str(folder), "--method", method, "--out", str(tmp_path / "out")]) == 0
    figures = json.loads((tmp_path / "out" / "annotators.json").read_text())["annotators"]
    assert all(0 <= row["dice_leave_one_out"] <= 1 for row in figures)
    (folder / "atlas2-image.nrrd").unlink()
    assert main(["fuse", str(folder), "--method", method, "--out", str(tmp_path / "again")]) == 2
    assert "atlas2-image.nrrd: is missing" in capsys.readouterr().err
