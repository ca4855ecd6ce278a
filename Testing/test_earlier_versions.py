"""What version 0.1 wrote still opens: a study, an estimate, a model package, a checkpoint and a scene."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.cases.stored_estimates import stored_estimates

FIXTURES = Path(__file__).parent / "fixtures" / "version-0.1"


def test_a_study_and_the_estimates_of_its_cases_open() -> None:
    study = Study.read(FIXTURES / "study")
    study.require_files()
    found = list(stored_estimates(FIXTURES / "fused", study))
    assert [each.case.id for each in found] == ["lesions_000", "lesions_001", "lesions_002"]
    probabilities = found[0].probabilities()
    assert probabilities is not None
    assert probabilities.shape == (2, *found[0].truth().shape)


def test_a_model_package_predicts() -> None:
    from NoisyLabelSegLib import load_model

    case = Study.read(FIXTURES / "study").cases[0]
    estimate = load_model(FIXTURES / "model.nlseg", device="cpu").predict(case)
    assert estimate.truth.shape == case.geometry.shape
    assert estimate.probabilities is not None
    np.testing.assert_allclose(estimate.probabilities.sum(axis=0), 1, atol=1e-5)
    assert set(estimate.confusion) == {"good", "over", "under", "wrong", "blank"}


def test_a_cancelled_training_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    from NoisyLabelSegLib import train

    run = shutil.copytree(FIXTURES / "run", tmp_path / "run")
    before = (run / "metrics.jsonl").read_text(encoding="utf-8")
    done = len(before.splitlines())
    trained = train(FIXTURES / "study", run, resume=True)
    after = (run / "metrics.jsonl").read_text(encoding="utf-8")
    assert after.startswith(before)
    assert len(after.splitlines()) > done
    assert trained.package.is_file()


def test_a_scene_opens_as_a_full_review() -> None:
    from NoisyLabelSegLib.scene import HeadlessSlicer
    from NoisyLabelSegLib.scene.folder import CaseFolder
    from NoisyLabelSegLib.scene.scene_case import caseOfFolder

    with HeadlessSlicer() as app:
        assert app.scene.ReadFromMRB(str(FIXTURES / "scene.mrb"), True)
        folder = CaseFolder.all(app.scene)[0]
        assert folder.annotators == ("good", "over", "under", "wrong", "blank")
        case = caseOfFolder(folder)
        drawn = Study.read(FIXTURES / "study").cases[0].labels("over")
        assert drawn is not None
        np.testing.assert_array_equal(case.case.labels("over"), drawn)
