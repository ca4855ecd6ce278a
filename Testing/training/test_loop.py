"""The steps of a training: how they report, share a batch out, and get by with little memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.progress import Progress, paced
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.objectives.base import Terms
from NoisyLabelSegLib.training.objectives.coupled import CoupledObjective
from NoisyLabelSegLib.training.samples import Batch

MakeStudy = Callable[..., Study]
TINY = Settings(widths=(4, 8), epochs=2, batch=3, device="cpu", learning_rate=1e-2)


def test_progress_moves_within_an_epoch(
    make_disk_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("NoisyLabelSegLib.training.recording.paced", partial(paced, every_seconds=0.0))
    heard: list[Progress] = []
    train_study(make_disk_study(), tmp_path / "run", replace(TINY, batch=2, epochs=2), report=heard.append)
    trained = [progress for progress in heard if progress.stage == "train"]
    assert [(progress.done, round(progress.part, 3)) for progress in trained] == [
        (0, 0),
        (0, 0.333),
        (0, 0.667),
        (1, 0),
        (1, 0.333),
        (1, 0.667),
        (2, 0),
    ]
    assert [progress.done for progress in trained if progress.metrics] == [1, 2]


@pytest.mark.parametrize(
    "error", [torch.OutOfMemoryError("injected"), RuntimeError("MPS backend out of memory")], ids=["CUDA", "MPS"]
)
def test_out_of_memory_halves_the_batch_says_so_and_goes_on(
    make_disk_study: MakeStudy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    forward = CoupledObjective.forward

    def small_device(self: CoupledObjective, batch: Batch, *more: Any) -> Terms:
        if len(batch.images) > 1:
            raise error
        return forward(self, batch, *more)

    monkeypatch.setattr(CoupledObjective, "forward", small_device)
    said: list[str] = []
    trained = train_study(make_disk_study(), tmp_path / "run", replace(TINY, batch=4), say=said.append)
    assert [sentence for sentence in said if sentence.startswith("The device")] == [
        "The device ran out of memory: going on with 2 samples at a time, same batch.",
        "The device ran out of memory: going on with 1 samples at a time, same batch.",
    ]
    assert trained.figures["epoch"] == 2


def test_accumulated_parts_take_the_same_step_as_the_whole_batch(make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study = make_disk_study(case0=["over"], case1=["over", "under"])  # images of unequal weight
    settings = replace(TINY, batch=6, epochs=1, overlap=0.0)
    whole = train_study(study, tmp_path / "whole", settings).figures
    parts = train_study(study, tmp_path / "parts", replace(settings, accumulate=3)).figures
    assert parts["loss"] == pytest.approx(whole["loss"], rel=1e-4)
    assert parts["likelihood"] == pytest.approx(whole["likelihood"], rel=1e-4)
