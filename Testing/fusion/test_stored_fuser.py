"""What fused a folder of truths is read from its annotators.json, which may be damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.study import FusionPlan, fuse_study
from NoisyLabelSegLib.fusion.study_fuser import stored_fuser


@pytest.fixture
def fused(make_disk_study: Callable[..., Study], tmp_path: Path) -> tuple[Study, Path]:
    study = make_disk_study(cases=2)
    fuse_study(study, tmp_path / "fused", FusionPlan("staple"))
    return study, tmp_path / "fused"


def change(folder: Path, **values: Any) -> None:
    path = folder / "annotators.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **values}), encoding="utf-8")


def test_the_method_and_its_pool_are_found_again(fused: tuple[Study, Path]) -> None:
    study, folder = fused
    fuser = stored_fuser(folder, study)
    assert fuser is not None
    assert fuser.plan.method == "staple"
    assert fuser.pool is not None


@pytest.mark.parametrize("damage", [{"options": True}, {"options": []}, {"annotators": {}}, {"pooled": "yes"}])
def test_a_damaged_file_is_refused(fused: tuple[Study, Path], damage: dict[str, Any]) -> None:
    change(fused[1], **damage)
    with pytest.raises(UserError, match="does not say how the truths were fused; fuse the study again"):
        stored_fuser(fused[1], fused[0])


@pytest.mark.parametrize("other", [{"method": []}, {"method": "magic"}, {"format": "x"}, {"annotators": ["x", {}, 5]}])
def test_a_file_of_something_else_tells_nothing(fused: tuple[Study, Path], other: dict[str, Any]) -> None:
    change(fused[1], **other)
    assert stored_fuser(fused[1], fused[0]) is None
