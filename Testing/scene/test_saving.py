"""A scene is saved as one file, quietly, whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.scene.folder import CaseFolder
from NoisyLabelSegLib.scene.headless import HeadlessSlicer, saveScene


def test_a_saved_scene_opens_again_and_saving_prints_nothing(
    app: HeadlessSlicer, loaded: CaseFolder, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    saveScene(app.scene, tmp_path / "scene.mrb")
    assert capfd.readouterr() == ("", "")
    with HeadlessSlicer() as other:
        assert other.scene.ReadFromMRB(str(tmp_path / "scene.mrb"), True)
        assert CaseFolder.all(other.scene)[0].annotators == loaded.annotators


def test_a_place_that_cannot_be_written_is_named(app: HeadlessSlicer, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UserError, match="file"):
        saveScene(app.scene, tmp_path / "file" / "scene.mrb")
