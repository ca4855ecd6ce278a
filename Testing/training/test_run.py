"""Whole trainings, tiny: what they write, that they repeat, and what they refuse or repair."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.progress import Progress
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.checkpoints import Checkpoint
from NoisyLabelSegLib.training.loop import Loop

MakeStudy = Callable[..., Study]
TINY = Settings(widths=(4, 8), epochs=2, batch=3, device="cpu", learning_rate=1e-2)


def weights(package: Path) -> dict[str, torch.Tensor]:
    return load_package(package)[0].state_dict()


def same(first: dict[str, torch.Tensor], second: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(first[name], second[name]) for name in first)


def test_a_training_leaves_a_package_metrics_and_its_settings(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    trained = train_study(make_disk_study(), tmp_path / "run", TINY)
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in lines] == [1, 2]
    assert Settings.from_json(json.loads((tmp_path / "run" / "settings.json").read_text())) == TINY
    network, card = load_package(trained.package)
    assert (card.classes, card.annotators) == (("background", "disk"), ("over", "under", "good"))
    assert card.provenance["labelsPerAnnotator"] == {"over": 6, "under": 6, "good": 6}
    assert network.architecture.widths == (4, 8)


def test_who_labeled_no_training_case_is_named(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2, case0=["over", "under"], case1=["under", "good"])
    trained = train_study(study, tmp_path / "run", replace(TINY, epochs=1))
    assert "under labeled none of the training cases, so under's errors are not learned." in trained.remarks


def test_the_same_seed_gives_the_same_weights_and_another_does_not(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study()
    runs = [
        weights(train_study(study, tmp_path / name, replace(TINY, seed=seed)).package)
        for name, seed in (("a", 1), ("b", 1), ("c", 2))
    ]
    assert same(runs[0], runs[1])
    assert not same(runs[0], runs[2])


@pytest.mark.parametrize("target", ["majority", "mean", "staple", "truth"])
def test_every_fused_label_and_the_truth_can_be_trained_on(
    make_disk_study: MakeStudy, tmp_path: Path, target: str
) -> None:
    trained = train_study(make_disk_study(cases=3), tmp_path / "run", replace(TINY, target=target, epochs=1))
    assert not load_package(trained.package)[0].predicts_annotators


@pytest.mark.parametrize(
    "words",
    [
        ["confusion=low-rank"],
        ["confusion=global"],
        ["confusion=oracle-cm"],
        ["trace=0"],
        ["likelihood=joint", "hinge=1"],
        ["identity_warm_up=0.5"],
        ["precision=bf16-mixed"],
    ],
)
def test_every_variant_is_one_setting(make_disk_study: MakeStudy, tmp_path: Path, words: list[str]) -> None:
    study = make_disk_study(cases=3, case0=["over", "under"], case1=["good", "over"], case2=["good", "under"])
    trained = train_study(study, tmp_path / "run", replace(TINY, epochs=1).with_words(words))
    assert np.isfinite(trained.figures["loss"])


@pytest.mark.parametrize("words", [["axis=1"], ["dimensions=3", "patch=8"], ["patch=8", "spacing=[2, 1, 1]"]])
def test_volumes_train_by_slices_and_by_patches(make_disk_study: MakeStudy, tmp_path: Path, words: list[str]) -> None:
    study = make_disk_study(cases=2, shape=(12, 14, 16), channels=2)
    trained = train_study(study, tmp_path / "run", replace(TINY, epochs=1).with_words(words))
    assert load_package(trained.package)[1].architecture.channels == 2


def test_workers_change_nothing_but_the_time(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study()
    alone = train_study(study, tmp_path / "alone", TINY)
    helped = train_study(study, tmp_path / "helped", replace(TINY, workers=1))
    assert same(weights(alone.package), weights(helped.package))


ONE_EACH = {
    f"case{number}": rest for number, rest in enumerate([["over", "under"], ["under", "good"], ["over", "good"]] * 2)
}
"""Who did not label which case."""


@pytest.mark.parametrize("missing", [{}, ONE_EACH], ids=["everybody", "one label an image"])
def test_a_run_that_stopped_goes_on_as_if_it_had_not(
    make_disk_study: MakeStudy, tmp_path: Path, missing: dict[str, list[str]]
) -> None:
    study = make_disk_study(**missing)
    settings = replace(TINY, epochs=4)
    whole = train_study(study, tmp_path / "whole", settings)

    class Stop(Exception):
        pass

    def stop_after_two(progress: object) -> None:
        if getattr(progress, "stage", "") == "train" and getattr(progress, "done", 0) == 2:
            raise Stop

    with pytest.raises(Stop):
        train_study(study, tmp_path / "run", settings, report=stop_after_two)
    stopped = Checkpoint.read(tmp_path / "run")
    assert stopped is not None
    assert bool(stopped.guesses) == bool(missing), "missing labels are imputed where an image has one"
    resumed = train_study(study, tmp_path / "run", settings, resume=True)
    assert same(weights(whole.package), weights(resumed.package))
    assert (tmp_path / "run/metrics.jsonl").read_text() == (tmp_path / "whole/metrics.jsonl").read_text()


def test_a_swapped_run_starts_again_and_says_so(
    make_disk_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    epoch = Loop.epoch
    swapped = torch.tensor([[50.0, 850], [90, 10], [140, 860]])
    attempts: list[int] = []

    def first_attempt_swaps(self: Loop, moved: Callable[[float], None]) -> tuple[dict[str, float], torch.Tensor]:
        figures, agreement = epoch(self, moved)
        attempts.append(self._settings.seed)
        return figures, swapped if self._settings.seed == TINY.seed else agreement

    monkeypatch.setattr(Loop, "epoch", first_attempt_swaps)
    trained = train_study(make_disk_study(), tmp_path / "run", replace(TINY, epochs=6, restarts=1))
    assert len(set(attempts)) == 2
    assert any("starting again" in remark for remark in trained.remarks)
    assert trained.figures["attempt"] == 1


def test_early_stopping_needs_no_truth_and_keeps_the_best_epoch(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    settings = replace(TINY, epochs=30, patience=1, learning_rate=0.3, schedule="constant", restarts=0)
    trained = train_study(make_disk_study(cases=10), tmp_path / "run", settings)
    history = [json.loads(line) for line in (tmp_path / "run/metrics.jsonl").read_text().splitlines()]
    held_out = [entry["heldOutLikelihood"] for entry in history]
    assert len(history) < 30
    assert held_out[-1] > min(held_out)
    assert trained.figures["heldOutLikelihood"] == min(held_out)


def test_an_existing_run_is_not_overwritten_and_a_missing_one_not_resumed(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=2)
    train_study(study, tmp_path / "run", TINY)
    with pytest.raises(UserError, match="exists already"):
        train_study(study, tmp_path / "run", TINY)
    with pytest.raises(UserError, match="other settings"):
        train_study(study, tmp_path / "run", replace(TINY, epochs=5), resume=True)
    other = make_disk_study("other", cases=3)
    with pytest.raises(UserError, match="another study"):
        train_study(other, tmp_path / "run", TINY, resume=True)


def test_a_study_that_cannot_be_learned_from_leaves_the_older_run_as_it_was(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    train_study(make_disk_study(cases=2), tmp_path / "run", TINY)
    before = {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    silent = make_disk_study("silent", cases=1, case0=["over", "under", "good"])
    with pytest.raises(UserError, match="no case"):
        train_study(silent, tmp_path / "run", replace(TINY, epochs=1), force=True)
    assert {path.name: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before


def test_starting_anew_keeps_the_older_model_until_there_is_a_new_one(
    make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study, run = make_disk_study(cases=2), tmp_path / "run"
    older = weights(train_study(study, run, TINY).package)

    class Stop(Exception):
        pass

    def stop_after_one(progress: Progress) -> None:
        if progress.metrics:
            raise Stop

    settings = replace(TINY, seed=7)
    with pytest.raises(Stop):
        train_study(study, run, settings, force=True, report=stop_after_one)
    assert same(weights(run / "model.nlseg"), older)
    assert len((run / "metrics.jsonl").read_text().splitlines()) == 1
    assert not same(weights(train_study(study, run, settings, resume=True).package), older)


def test_a_damaged_checkpoint_is_refused(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2)
    train_study(study, tmp_path / "run", TINY)
    checkpoint = tmp_path / "run/checkpoint.pt"
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    with pytest.raises(UserError, match="not a checkpoint"):
        train_study(study, tmp_path / "run", TINY, resume=True)


def test_labels_that_are_all_empty_are_refused(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2)
    for case in study.cases:
        for annotation in case.annotations.values():
            write_labels(annotation.source, np.zeros((16, 16)), case.geometry)  # type: ignore[arg-type]
    with pytest.raises(UserError, match="Nobody marked anything"):
        train_study(study, tmp_path / "run", TINY)


@pytest.mark.parametrize("patch", [0, 8])
def test_who_learns_from_the_truth_needs_no_labels(make_disk_study: MakeStudy, tmp_path: Path, patch: int) -> None:
    study = make_disk_study(cases=2, case0=["over", "under", "good"])
    settings = replace(TINY, target="truth", patch=patch, coarsen=False)
    assert train_study(study, tmp_path / "run", settings).remarks == ()
    alone = replace(study, cases=study.cases[:1])
    assert train_study(alone, tmp_path / "alone", settings).remarks == ()


def test_the_card_counts_the_cases_that_were_learned_from(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    trained = train_study(make_disk_study(cases=10), tmp_path / "run", replace(TINY, patience=5))
    assert load_package(trained.package)[1].provenance["cases"] == 9


def test_cases_that_nobody_labeled_are_left_out_and_said_so(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(cases=2, case0=["over", "under", "good"])
    trained = train_study(study, tmp_path / "run", TINY)
    assert trained.remarks == ("1 case has no image or no labels to learn from: left out.",)
    with pytest.raises(UserError, match="no case"):
        train_study(replace(study, cases=study.cases[:1]), tmp_path / "none", TINY)


def test_one_image_is_enough_to_train_without_falling_over(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    trained = train_study(make_disk_study(cases=1), tmp_path / "run", replace(TINY, patience=3))
    assert "With 1 case none is held out, so training does not stop early." in trained.remarks


def test_twenty_annotators_and_ten_classes_train(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    grid = Geometry.plain((16, 16))
    names = tuple(f"reader{number}" for number in range(20))
    image = Image(rng.normal(size=(16, 16)).astype(np.float32), grid)
    given = {name: Annotation(Image(rng.integers(0, 10, (16, 16)).astype(np.uint8), grid)) for name in names}
    study = Study("many", tuple(f"class{number}" for number in range(10)), names, (Case("one", (image,), given),))
    trained = train_study(study, tmp_path / "run", replace(TINY, epochs=1, restarts=0))
    assert np.isfinite(trained.figures["loss"])
