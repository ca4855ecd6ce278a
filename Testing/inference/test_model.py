"""A loaded model predicts arrays and cases, and agrees with the files that predict_cases writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Case, Geometry, Image, Study
from NoisyLabelSegLib.cases.stored_estimates import StoredEstimate
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference import PredictionOutputs, load_model, predict_cases
from NoisyLabelSegLib.metrics import dice
from NoisyLabelSegLib.training import Settings, train_study

MakeStudy = Callable[..., Study]


def a_model(study: Study, folder: Path, **settings: object) -> Path:
    tiny = Settings(widths=(4, 8), epochs=1, device="cpu", **settings)  # type: ignore[arg-type]
    return train_study(study, folder, tiny).package


@pytest.mark.parametrize(
    ("shape", "settings"),
    [
        ((16, 16), {}),
        ((16, 16), {"spacing": (2.0, 2.0)}),
        ((6, 12, 14), {"axis": 1}),
        ((10, 12, 14), {"dimensions": 3, "patch": 8}),
    ],
)
def test_predicting_an_array_a_case_and_a_file_gives_the_same_voxels(
    make_disk_study: MakeStudy, tmp_path: Path, shape: tuple[int, ...], settings: dict[str, object]
) -> None:
    study = make_disk_study(cases=2, shape=shape)
    path = a_model(study, tmp_path / "run", **settings)
    case = study.cases[0]
    model = load_model(path, device="cpu")
    predict_cases(
        path, [case], tmp_path / "out", outputs=PredictionOutputs(annotators=True, confusion=True), device="cpu"
    )
    stored = StoredEstimate(tmp_path / "out" / case.id, case, 2).read()
    for estimate in (model.predict(case), model.predict(case.image()[0], spacing=case.geometry.spacing_zyx)):
        assert estimate.probabilities is not None
        assert (estimate.truth.dtype, estimate.probabilities.dtype) == (np.uint8, np.float32)
        np.testing.assert_array_equal(estimate.truth, stored.truth)
        np.testing.assert_array_equal(estimate.probabilities, stored.probabilities)
        assert set(estimate.annotators) == set(estimate.confusion) == set(study.annotators)
        for name in study.annotators:
            np.testing.assert_array_equal(estimate.annotators[name], stored.annotators[name])
            np.testing.assert_array_equal(estimate.confusion[name], stored.confusion[name])


def test_the_channels_of_an_array_come_first(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2, channels=2)
    model = load_model(a_model(study, tmp_path / "run"), device="cpu")
    image = study.cases[0].image()
    assert image.shape == (2, 16, 16)
    np.testing.assert_array_equal(model.predict(image).truth, model.predict(study.cases[0]).truth)
    assert model.predict(np.stack([image, image], axis=1)).truth.shape == (2, 16, 16)
    with pytest.raises(UserError, match="has 1 channel, but the model was trained on 2"):
        model.predict(image[0])


def test_a_model_that_knows_the_truth_only_has_no_annotators(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2)
    model = load_model(a_model(study, tmp_path / "run", target="majority"), device="cpu")
    estimate = model.predict(study.cases[0])
    assert (dict(estimate.annotators), dict(estimate.confusion)) == ({}, {})
    with pytest.raises(UserError, match="knows the truth only"):
        model.predict(study.cases[0], outputs=PredictionOutputs(confusion=True))


def test_what_is_not_an_image_is_refused_in_a_sentence(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    model = load_model(a_model(make_disk_study(cases=2), tmp_path / "run"), device="cpu")
    with pytest.raises(UserError, match=r"An array of shape \(5,\) and type float64 is not an image"):
        model.predict(np.zeros(5))
    with pytest.raises(UserError, match="type <U1 is not an image"):
        model.predict(np.full((4, 4), "a"))
    with pytest.raises(UserError, match="spacing must be 2 numbers above 0"):
        model.predict(np.zeros((4, 4)), spacing=(1.0, 0.0))
    with pytest.raises(UserError, match="not numbers"):
        model.predict(np.full((16, 16), np.nan))
    with pytest.raises(UserError, match="must be True or a mapping from annotators to labels"):
        model.predict(np.zeros((16, 16)), labels=np.zeros((16, 16)))  # type: ignore[arg-type]
    with pytest.raises(UserError, match="labels of over are not whole numbers from 0 to 1"):
        model.predict(np.zeros((16, 16)), labels={"over": np.full((16, 16), 2)})
    with pytest.raises(UserError, match=r"labels of over have the shape \(4, 4\), but the image has \(16, 16\)"):
        model.predict(np.zeros((16, 16)), labels={"over": np.zeros((4, 4), dtype=np.uint8)})


def test_an_image_with_a_grid_is_predicted_on_it(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    model = load_model(a_model(make_disk_study(cases=2), tmp_path / "run"), device="cpu")
    image = Image(np.random.default_rng(0).normal(size=(9, 13)), Geometry.plain((9, 13), (0.7, 1.3)))
    np.testing.assert_array_equal(model.predict(image).truth, model.predict(Case("x", (image,))).truth)


def test_labels_and_image_together_give_the_truth_that_predict_writes(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=3)
    path = a_model(study, tmp_path / "run")
    case = study.cases[0]
    model = load_model(path, device="cpu")
    used = predict_cases(path, [case], tmp_path / "out", outputs=PredictionOutputs(labels=True), device="cpu")
    stored = StoredEstimate(tmp_path / "out" / case.id, case, 2).read()
    both = model.predict(case, labels=True)
    np.testing.assert_array_equal(both.truth, stored.truth)
    assert both.probabilities is not None
    np.testing.assert_allclose(both.probabilities.sum(axis=0), 1, atol=1e-5)
    assert used[case.id]["annotators"] == list(study.annotators)
    assert both.remarks[0] == used[case.id]["remarks"][0]
    given = {name: case.labels(name) for name in ("good", "under")}
    some = model.predict(case, labels={**given, "newcomer": given["good"]})
    assert any("newcomer" in remark for remark in some.remarks)


def test_the_card_says_how_well_network_and_annotators_agree(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=3)
    found = load_model(a_model(study, tmp_path / "run"), device="cpu").card.metrics["labelAgreement"]
    assert set(found["network"]) == set(study.annotators)
    pairs = []
    for case in study.cases:
        over, under, good = case.all_labels(("over", "under", "good"))
        pairs += [dice(over, under), dice(over, good), dice(under, good)]
    assert found["annotators"] == pytest.approx(np.mean(pairs))
