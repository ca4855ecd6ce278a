"""Studies leave as data sets that other tools read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib import simulate
from NoisyLabelSegLib.cases import Study, read_image, read_labels
from NoisyLabelSegLib.cli import main
from NoisyLabelSegLib.fusion import fuse


@pytest.fixture(scope="module")
def study(tmp_path_factory: Any) -> Study:
    return simulate("lesions", tmp_path_factory.mktemp("lesions"), cases=3, size=(40, 40, 6))


def call(*words: object) -> int:
    return main([str(word) for word in words])


def test_nnunet_gets_channels_fused_labels_and_class_names(study: Study, tmp_path: Path) -> None:
    out = tmp_path / "Dataset501_Lesions"
    assert call("export", "nnunet", study.folder, "--truth", "majority", "--out", out) == 0
    content = json.loads((out / "dataset.json").read_text(encoding="utf-8"))
    assert content["labels"] == {"background": 0, "lesion": 1}
    assert content["file_ending"] == ".nii.gz"
    case = study.cases[0]
    part = "Ts" if case.split == "test" else "Tr"
    image = read_image(out / f"images{part}" / f"{case.id}_0000.nii.gz")
    np.testing.assert_allclose(image.array, case.image()[0], rtol=1e-5)
    labels = read_labels(out / f"labels{part}" / f"{case.id}.nii.gz")
    expected = fuse(case.all_labels(study.annotators), "majority", 2).labels
    np.testing.assert_array_equal(labels.array, expected)
    assert not labels.geometry.differences(case.geometry)
    assert content["numTraining"] == len(list((out / "labelsTr").glob("*")))


def test_nnunet_can_get_every_reader_as_a_case_and_soft_labels(study: Study, tmp_path: Path) -> None:
    assert call("export", "nnunet", study.folder, "--targets", "readers", "--out", tmp_path / "readers") == 0
    written = {path.name for path in (tmp_path / "readers").glob("labelsT*/*")}
    assert f"{study.cases[0].id}_good.nii.gz" in written
    assert len(written) == sum(len(case.annotations) for case in study.cases)
    assert (
        call("export", "nnunet", study.folder, "--truth", "mean", "--targets", "soft", "--out", tmp_path / "soft") == 0
    )
    case = study.cases[0]
    share = read_image(next((tmp_path / "soft").glob(f"softT*/{case.id}_lesion.nii.gz"))).array
    votes = [labels for labels in case.all_labels(study.annotators) if labels is not None]
    np.testing.assert_allclose(share, np.mean([array == 1 for array in votes], axis=0), atol=1e-6)


def test_bids_has_one_segmentation_per_reader_with_a_sidecar(study: Study, tmp_path: Path) -> None:
    out = tmp_path / "derivatives"
    assert call("export", "bids", study.folder, "--truth", "majority", "--suffix", "FLAIR", "--out", out) == 0
    description = json.loads((out / "dataset_description.json").read_text(encoding="utf-8"))
    assert description["DatasetType"] == "derivative"
    case = study.cases[0]
    subject = "sub-" + case.id.replace("_", "")
    folder = out / subject / "anat"
    labels = read_labels(folder / f"{subject}_desc-over_dseg.nii.gz")
    np.testing.assert_array_equal(labels.array, case.labels("over"))
    sidecar = json.loads((folder / f"{subject}_desc-over_dseg.json").read_text(encoding="utf-8"))
    assert (sidecar["Case"], sidecar["Reader"], sidecar["Manual"]) == (case.id, "over", True)
    truth = json.loads((folder / f"{subject}_desc-truth_dseg.json").read_text(encoding="utf-8"))
    assert (truth["Manual"], truth["method"]) == (False, "majority")
    assert (folder / f"{subject}_FLAIR.nii.gz").is_file()
    assert (out / "dseg.tsv").read_text(encoding="utf-8") == "index\tname\n0\tbackground\n1\tlesion\n"


def test_a_folder_that_is_in_use_needs_force(study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").touch()
    assert call("export", "bids", study.folder, "--out", tmp_path / "out") == 2
    assert "choose another folder or add --force" in capsys.readouterr().err
    assert call("export", "bids", study.folder, "--out", tmp_path / "out", "--force") == 0
    assert (tmp_path / "out" / "mine.txt").exists()


def test_what_is_missing_is_said_and_nothing_is_written(study: Study, tmp_path: Path) -> None:
    assert call("export", "dicom-seg", study.folder, "--out", tmp_path / "seg") == 2
    assert call("export", "nnunet", tmp_path, "--out", tmp_path / "other") == 2
    assert not list(tmp_path.iterdir())
