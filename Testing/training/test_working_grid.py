"""The grid that the networks work on: coarser where what people outline is larger than a crop, and only there."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, read_image
from NoisyLabelSegLib.cases.model_card import read_card
from NoisyLabelSegLib.inference import predict_cases
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.cases import fitted
from NoisyLabelSegLib.training.settings import stored_settings

MakeStudy = Callable[..., Study]


def outlined(shape: tuple[int, ...], box: tuple[slice, ...], spacing: tuple[float, ...] | None = None) -> Case:
    """A case in which one annotator marked a box."""
    labels = np.zeros(shape, dtype=np.uint8)
    labels[box] = 1
    grid = Geometry.plain(shape, spacing)
    return Case("one", (Image(labels.astype(np.float32), grid),), {"anna": Annotation(Image(labels, grid))}, classes=2)


def test_a_grid_is_so_coarse_that_an_outline_takes_three_quarters_of_a_crop() -> None:
    case = outlined((60, 80), (slice(10, 20), slice(5, 29)))
    assert fitted(Settings(patch=16), [case]).spacing == (2.0, 2.0)
    assert fitted(Settings(patch=28), [case]).spacing == ()  # 1.14 times as coarse is not worth it


def test_slices_of_a_volume_keep_their_distance_and_millimeters_count() -> None:
    case = outlined((4, 40, 40), (slice(1, 3), slice(0, 24), slice(0, 8)), spacing=(0.5, 0.5, 3.0))
    assert fitted(Settings(patch=16), [case]).spacing == (1.0, 1.0)
    assert fitted(Settings(patch=32), [case]).spacing == ()


def test_many_small_outlines_far_apart_do_not_count_as_a_large_one() -> None:
    case = outlined((64, 64), (slice(0, 64, 8), slice(0, 64, 8)))
    assert fitted(Settings(patch=16), [case]).spacing == ()


@pytest.mark.parametrize("words", [["spacing=[1,1]"], ["coarsen=false"], ["patch=0"], ["dimensions=3"]])
def test_a_grid_is_left_alone_where_somebody_chose_it_or_nothing_is_cut(words: list[str]) -> None:
    settings = Settings(patch=16).with_words(words)
    assert fitted(settings, [outlined((60, 80), (slice(10, 20), slice(5, 37)))]) == settings


def test_cases_that_nobody_marked_change_nothing() -> None:
    assert fitted(Settings(patch=16), [outlined((60, 80), (slice(0), slice(0)))]).spacing == ()


def test_a_model_of_a_coarser_grid_says_so_and_answers_on_the_cases_own(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=2, shape=(24, 24))
    settings = Settings(widths=(4, 8), epochs=1, patch=4, device="cpu")
    trained = train_study(study, tmp_path / "run", settings)
    assert any(
        "pixels of 3 x 3 pixels of the images" in remark for remark in trained.remarks
    )  # half of the disks are 9 pixels wide
    assert read_card(trained.package).preprocessing["spacing"] == [3.0, 3.0]
    predict_cases(trained.package, study.cases[:1], tmp_path / "out")
    assert read_image(tmp_path / "out/case0/truth.nrrd").array.shape == (24, 24)
    assert train_study(study, tmp_path / "run", settings, resume=True).remarks == trained.remarks


def test_nothing_changes_where_slices_are_no_larger_than_a_crop() -> None:
    assert fitted(Settings(patch=16), [outlined((16, 16), (slice(0, 16), slice(0, 16)))]).spacing == ()


def test_an_axis_that_is_coarse_already_stays_as_it_is() -> None:
    case = outlined((20, 100), (slice(2, 5), slice(10, 34)), spacing=(1.0, 5.0))
    assert fitted(Settings(patch=16), [case]).spacing == (5.0, 2.0)


def test_a_truth_is_looked_at_where_nobody_labeled() -> None:
    case = outlined((60, 80), (slice(10, 20), slice(5, 29)))
    alone = replace(case, annotations={}, truth_source=case.annotations["anna"].source)
    assert fitted(Settings(patch=16), [alone]).spacing == (2.0, 2.0)


def test_a_run_from_before_the_setting_goes_on_as_it_began(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2, shape=(24, 24))
    settings = Settings(widths=(4, 8), epochs=1, patch=4, device="cpu", coarsen=False)
    train_study(study, tmp_path / "run", settings)
    file = tmp_path / "run/settings.json"
    older = json.loads(file.read_text())
    del older["coarsen"]
    file.write_text(json.dumps(older))
    assert stored_settings(tmp_path / "run") == settings
