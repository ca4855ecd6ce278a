"""Outlining one object around a point or in a box, and refusing what a model is not for."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Geometry, Image, Study, read_image, write_image
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference import PredictionOutputs, load_model
from NoisyLabelSegLib.inference.objects import OutlinedObject, outline_object, place_of
from NoisyLabelSegLib.inference.scope import scope_problem
from NoisyLabelSegLib.networks.package import load_package, save_package
from NoisyLabelSegLib.training import Settings, train_study

MakeStudy = Callable[..., Study]
SCOPE = {"modality": "CT", "spacing": [0.4, 1.0], "object": "disk", "edge": 16}
SPACING = (0.8, 0.8, 2.0)


@pytest.fixture
def model(make_disk_study: MakeStudy, tmp_path: Path) -> Path:
    """A network that knows bright disks in squares of 16 pixels."""
    folder = tmp_path / "model"
    settings = Settings(widths=(4, 8), epochs=25, batch=2, learning_rate=0.02, flips=False, device="cpu")
    package = train_study(make_disk_study(cases=8), folder / "run", settings).package
    network, card = load_package(package)
    save_package(folder / "disks.nlseg", network, replace(card, scope=SCOPE))
    return folder / "disks.nlseg"


def a_scan() -> Image:
    """Air, and bright balls of radius 4 at the voxels (z 6, y 30, x 100) and (6, 70, 100)."""
    z, y, x = np.mgrid[:14, :150, :160]
    scan = np.full(z.shape, -1000, dtype=np.float32)
    for center in (30, 70):
        scan[(z - 6) ** 2 + (y - center) ** 2 + (x - 100) ** 2 <= 16] = 0
    geometry = Geometry(scan.shape, SPACING, (-60.0, 10.0, -200.0), tuple(np.eye(3).ravel().tolist()))
    return Image(scan, geometry)


# The first ball's center: LPS -60 + 0.8 * 100, 10 + 0.8 * 30, -200 + 2 * 6; in RAS the first two change their sign.
BALL = (-20.0, -34.0, -188.0)


def test_a_point_in_ras_is_the_voxel_at_that_place() -> None:
    assert place_of(a_scan().geometry, at=BALL).center == (6, 30, 100)
    with pytest.raises(UserError, match="outside the scan"):
        place_of(a_scan().geometry, at=(500, 0, 0))


def test_a_box_is_its_middle_and_its_bounds() -> None:
    place = place_of(a_scan().geometry, roi=(-16.0, -30.0, -194.0, -24.0, -38.0, -182.0))
    assert (place.center, place.first, place.last) == ((6, 30, 100), (3, 25, 95), (9, 35, 105))


def test_the_object_at_the_point_is_outlined_and_no_other(model: Path) -> None:
    case = Case("scan", (a_scan(),))
    outputs = PredictionOutputs(annotators=True, samples=4)
    place = place_of(case.geometry, at=BALL)
    found = outline_object(load_model(model, "cpu"), case, place, 16, outputs)
    truth = found.whole(found.truth)
    marked = np.argwhere(truth)
    assert truth[6, 30, 100] == 1
    np.testing.assert_allclose(marked.mean(axis=0), (6, 30, 100), atol=1.5)
    assert marked[:, 1].max() < 45
    assert len(found.samples) == 4
    assert set(found.annotators) == {"over", "under", "good"}
    assert 0.1 <= found.share <= 1


def test_slabs_of_an_object_at_the_edge_of_the_scan_are_the_whole_volume_in_pieces() -> None:
    probability = np.random.default_rng(0).random((2, 3, 4)).astype(np.float32)
    box = (slice(3, 5), slice(0, 3), slice(6, 10))
    found = OutlinedObject((6, 8, 10), box, probability, {}, np.zeros((0, 2, 3, 4), dtype=np.uint8), 1.0)
    whole = np.zeros((6, 8, 10), dtype=np.float32)
    whole[box] = probability
    pieces = [found.probabilities(slice(start, start + 2)) for start in (0, 2, 4)]
    np.testing.assert_array_equal(np.concatenate(pieces, axis=1), np.stack([1 - whole, whole]))
    np.testing.assert_array_equal(found.whole(found.truth), whole > 0.5)


def test_the_command_takes_negative_coordinates(model: Path, tmp_path: Path) -> None:
    write_image(tmp_path / "scan.nrrd", a_scan())
    words = ["predict", str(model), str(tmp_path / "scan.nrrd"), "--out", str(tmp_path / "out")]
    assert main([*words, f"--at={','.join(map(str, BALL))}", "--annotators"]) == 0
    truth = read_image(tmp_path / "out/scan/truth.nrrd")
    assert truth.array.sum() > 0
    assert a_scan().geometry.differences(truth.geometry) == []
    assert main([*words, "--at=1,2", "--force"]) == 2


def test_what_the_model_is_not_for_is_refused_and_runs_anyway(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    geometry = replace(a_scan().geometry, shape=(2, 150, 160))
    write_image(tmp_path / "mr.nrrd", Image(np.abs(a_scan().array[:2]), geometry))
    words = ["predict", str(model), str(tmp_path / "mr.nrrd"), "--out", str(tmp_path / "out")]
    assert main(words) == 2
    assert "does not look like CT" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main([*words, "--anyway"]) == 0


def test_a_whole_scan_needs_a_point_and_a_crop_with_scaled_intensities_does_not() -> None:
    scan = Case("scan", (a_scan(),))
    assert "--at x,y,z" in str(scope_problem(SCOPE, scan, at_object=False))
    assert scope_problem(SCOPE, scan, at_object=True) is None
    crop = Case("crop", (Image(np.zeros((64, 64), dtype=np.uint8), Geometry.plain((64, 64))),))
    assert scope_problem(SCOPE, crop, at_object=False) is None
    assert scope_problem({}, scan, at_object=False) is None
    phantom = Case("phantom", (Image(np.full((20, 64, 64), 100.0), Geometry.plain((20, 64, 64))),))
    assert "does not look like CT" in str(scope_problem(SCOPE, phantom, at_object=False))
    other = Case("other", (Image(np.linspace(0, 900, 64 * 64).reshape(64, 64), Geometry.plain((64, 64))),))
    assert "does not look like CT" in str(scope_problem(SCOPE, other, at_object=False))
    in_hu = Case("hu", (Image(a_scan().array[6, :64, 60:124], Geometry.plain((64, 64), (0.7, 0.7))),))
    assert scope_problem(SCOPE, in_hu, at_object=False) is None
    coarse = Case("coarse", (Image(a_scan().array, replace(a_scan().geometry, spacing=(2.0, 2.0, 2.0))),))
    assert "has pixels of 2 x 2 mm" in str(scope_problem(SCOPE, coarse, at_object=True))


def test_outlining_in_a_large_scan_holds_neither_its_samples_nor_its_probabilities(model: Path, tmp_path: Path) -> None:
    scan, samples = a_scan(), 32
    whole = np.tile(scan.array.astype(np.int16), (12, 2, 2))
    write_image(tmp_path / "scan.nrrd", Image(whole, replace(scan.geometry, shape=whole.shape)))
    at = f"--at={','.join(map(str, BALL))}"
    words = ["predict", str(model), str(tmp_path / "scan.nrrd"), at, "--samples", str(samples)]
    tracemalloc.start()
    try:
        assert main([*words, "--annotators", "--out", str(tmp_path / "out")]) == 0
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < samples * whole.size
    assert read_image(tmp_path / "out" / "scan" / "samples.nrrd").channels.shape == (samples, *whole.shape)
