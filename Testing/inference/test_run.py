"""Predicting into a folder: which files, on which grid, and what is refused."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Geometry, Image, Study, read_image, write_image
from NoisyLabelSegLib.cases.inputs import cases_of
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference import PredictionOutputs, Predictor, load_model, predict_cases
from NoisyLabelSegLib.inference.model import chosen_device
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.progress import Progress, paced
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.preprocessing import Preprocessing

MakeStudy = Callable[..., Study]
EVERYTHING = PredictionOutputs(annotators=True, confusion=True)


def a_model(study: Study, folder: Path, **settings: object) -> Path:
    tiny = Settings(widths=(4, 8), epochs=1, device="cpu", **settings)  # type: ignore[arg-type]
    return train_study(study, folder, tiny).package


def test_every_file_is_on_the_inputs_grid_with_its_components(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    model = a_model(make_disk_study(), tmp_path / "run")
    turned = (0.0, 1.0, -1.0, 0.0)
    geometry = Geometry((9, 13), (0.7, 1.3), (5.0, -3.0), turned)
    image = Image(np.random.default_rng(0).normal(size=(9, 13)).astype(np.float32), geometry)
    predict_cases(model, [Case("new", (image,))], tmp_path / "out", outputs=EVERYTHING)
    components = {"truth": 1, "truth_probability": 2}
    components |= {f"annotator_{name}": 1 for name in ("over", "under", "good")}
    components |= {f"confusion_{name}": 4 for name in ("over", "under", "good")}
    assert {path.name for path in (tmp_path / "out/new").iterdir()} == {f"{name}.nrrd" for name in components}
    for name, count in components.items():
        written = read_image(tmp_path / "out/new" / f"{name}.nrrd")
        assert geometry.differences(written.geometry) == []
        assert len(written.channels) == count
    probability = read_image(tmp_path / "out/new/truth_probability.nrrd").array
    truth = read_image(tmp_path / "out/new/truth.nrrd").array
    assert (probability.dtype, truth.dtype) == (np.float32, np.uint8)
    np.testing.assert_array_equal(truth, probability.argmax(axis=0))
    confusion = read_image(tmp_path / "out/new/confusion_over.nrrd").array.reshape(2, 2, 9, 13)
    np.testing.assert_allclose(confusion.sum(axis=0), 1, atol=1e-5)


@pytest.mark.parametrize("settings", [{"axis": 1}, {"dimensions": 3, "patch": 8}, {"spacing": (2.0, 1.0, 1.0)}])
def test_volumes_come_back_on_their_own_grid(
    make_disk_study: MakeStudy, tmp_path: Path, settings: dict[str, object]
) -> None:
    study = make_disk_study(cases=2, shape=(10, 12, 14))
    model = a_model(study, tmp_path / "run", **settings)
    predict_cases(model, study.cases[:1], tmp_path / "out", outputs=EVERYTHING)
    for path in (tmp_path / "out/case0").iterdir():
        assert study.cases[0].geometry.differences(read_image(path).geometry) == []


def test_a_disk_too_small_for_the_confusion_fields_is_a_sentence(
    make_disk_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    study = make_disk_study(cases=1)
    model = a_model(study, tmp_path / "run")
    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(UserError, match=r"disk|space"):
        predict_cases(model, study.cases, tmp_path / "out", outputs=EVERYTHING)
    assert not (tmp_path / "out").exists()


def test_progress_moves_within_a_case(
    make_disk_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = make_disk_study(cases=2, shape=(4, 12, 14))
    model = a_model(study, tmp_path / "run")
    monkeypatch.setattr("NoisyLabelSegLib.inference.run.paced", partial(paced, every_seconds=0.0))
    monkeypatch.setattr("NoisyLabelSegLib.inference.predictor.PIXELS_AT_ONCE", 2 * 12 * 14)
    heard: list[Progress] = []
    predict_cases(model, study.cases, tmp_path / "out", report=heard.append)
    reached = [(progress.done, progress.part) for progress in heard]
    assert reached == [(0, 0), (0, 0.45), (0, 0.9), (1, 0), (1, 0.45), (1, 0.9), (2, 0)]


def test_a_model_without_annotators_says_so(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2)
    model = a_model(study, tmp_path / "run", target="majority")
    predict_cases(model, study.cases, tmp_path / "out")
    with pytest.raises(UserError, match="knows the truth only"):
        predict_cases(model, study.cases, tmp_path / "more", outputs=EVERYTHING)
    assert not (tmp_path / "more").exists()


def test_the_wrong_number_of_channels_is_refused_by_case(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    model = a_model(make_disk_study(cases=2), tmp_path / "run")
    other = make_disk_study("other", cases=1, channels=2)
    with pytest.raises(UserError, match="case0 has 2 channels, but the model was trained on 1"):
        predict_cases(model, other.cases, tmp_path / "out")


def test_loose_images_are_cases_named_by_their_files(tmp_path: Path) -> None:
    picture = Image(np.zeros((4, 4), dtype=np.float32), Geometry.plain((4, 4)))
    for name in ("a.nii.gz", "b.nrrd", "c.nrrd"):
        write_image(tmp_path / name, picture)
    cases = cases_of([f"{tmp_path}/a.nii.gz,{tmp_path}/b.nrrd", f"{tmp_path}/c.nrrd"])
    assert [(case.id, len(case.images)) for case in cases] == [("a", 2), ("c", 1)]
    assert cases[0].image().shape == (2, 4, 4)


def test_loose_images_that_cannot_be_told_apart_or_found_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for path in (tmp_path / "a.nrrd", tmp_path / "x/A.nrrd"):
        path.write_text("not looked into yet")
    with pytest.raises(UserError, match="Two images are named 'a'"):
        cases_of([str(tmp_path / "a.nrrd"), str(tmp_path / "x/A.nrrd")])
    with pytest.raises(UserError, match="does not exist"):
        cases_of([str(tmp_path / "none.nrrd")])
    with pytest.raises(UserError, match=r"x: holds neither a study\.json nor DICOM images; give a study"):
        cases_of([str(tmp_path / "x")])
    with pytest.raises(UserError, match="--split"):
        cases_of([str(tmp_path / "a.nrrd")], split="test")


def test_a_split_chooses_cases_and_an_empty_one_is_refused(make_disk_study: MakeStudy) -> None:
    study = make_disk_study(cases=2)
    assert len(cases_of([str(study.folder)])) == 2
    with pytest.raises(UserError, match="No case of the study disks is in the split test; it has none"):
        cases_of([str(study.folder)], split="test")


def test_a_device_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UserError, match="This machine has no device 'abacus'; choose auto or cpu"):
        chosen_device("abacus")


def test_mirrored_images_are_asked_about_where_the_model_learned_from_such(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=2)
    case = study.cases[0]
    mirrored = Case("mirrored", (Image(np.ascontiguousarray(case.image()[0][:, ::-1]), case.geometry),))

    def difference(model: Path, name: str, *, flips: bool = True) -> float:
        """Between the answer to a mirrored image and the mirrored answer."""
        predict_cases(model, [case, mirrored], tmp_path / name, flips=flips)
        one, other = (read_image(tmp_path / name / id / "truth_probability.nrrd").array for id in (case.id, "mirrored"))
        return float(np.abs(one[..., ::-1] - other).max())

    model = a_model(study, tmp_path / "run")
    assert difference(model, "mean") < 1e-5
    assert difference(model, "once", flips=False) > 1e-3
    assert difference(a_model(study, tmp_path / "never", flips=False), "never mirrored") > 1e-3


def test_slices_are_seen_whole_by_default_and_in_tiles_with_test_time_augmentation(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=2)
    model = a_model(study, tmp_path / "run", patch=8, coarsen=False)
    network, card = load_package(model)
    image = Preprocessing.from_json(card.preprocessing).image(study.cases[0])

    def expected(patch: int, *, flips: bool) -> np.ndarray:
        return np.concatenate([piece.truth for piece in Predictor(network, patch=patch, flips=flips).pieces(image)])[
            :, 0
        ]

    once, augmented = (load_model(model, "cpu", flips=flips).predict(study.cases[0]) for flips in (False, True))
    np.testing.assert_array_equal(once.probabilities, expected(0, flips=False))
    np.testing.assert_array_equal(augmented.probabilities, expected(8, flips=True))
    assert np.abs(expected(0, flips=False) - expected(8, flips=False)).max() > 1e-3


def test_labels_of_annotators_are_told_from_the_fields_where_the_networks_worked_on_a_coarser_grid(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=2)
    model = a_model(study, tmp_path / "run", spacing=(2.0, 2.0))
    predict_cases(model, study.cases[:1], tmp_path / "out", outputs=EVERYTHING)
    predict_cases(model, study.cases[:1], tmp_path / "labels", outputs=PredictionOutputs(annotators=True))
    read = {path.stem: read_image(path).array for path in (tmp_path / "out/case0").iterdir()}
    for name in study.annotators:
        said = np.einsum("ijyx,jyx->iyx", read[f"confusion_{name}"].reshape(2, 2, 16, 16), read["truth_probability"])
        np.testing.assert_array_equal(read[f"annotator_{name}"], said.argmax(axis=0))
        alone = read_image(tmp_path / f"labels/case0/annotator_{name}.nrrd").array
        np.testing.assert_array_equal(alone, read[f"annotator_{name}"])
