"""The state of a training between two epochs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.training.checkpoints import Checkpoint


def test_a_full_disk_is_a_sentence_and_leaves_the_last_checkpoint(small_disk: Path) -> None:
    Checkpoint(study="", epoch=1).write(small_disk)
    too_large = {"weights": torch.zeros(100_000)}
    with pytest.raises(UserError, match="No space left on device"):
        Checkpoint(study="", epoch=2, network=too_large).write(small_disk)
    kept = Checkpoint.read(small_disk)
    assert kept is not None
    assert kept.epoch == 1
    assert [path.name for path in small_disk.iterdir()] == ["checkpoint.pt"]
