"""Trains a learner of every kind on a study, for the test that does so in one process and, by torchrun, in two."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.training import Settings, train_study
from NoisyLabelSegLib.training.learners import LEARNERS

NAMES = sorted({registered: name for name, registered in reversed(LEARNERS.items())}.values())
"""One learner of each class."""
TINY = Settings(widths=(4, 8), epochs=3, batch=4, device="cpu", learning_rate=1e-2, restarts=0, brightness=0.0)


def train_each(study: Path, folder: Path) -> None:
    """A run per learner, in `folder/<learner>`."""
    for name in NAMES:
        train_study(Study.read(study), folder / name, replace(TINY, target=name))


if __name__ == "__main__":
    train_each(Path(sys.argv[1]), Path(sys.argv[2]))
