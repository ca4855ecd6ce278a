"""A run's state between two epochs, whole or not at all; reading it runs no code."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import output_file

FORMAT = "noisylabelseg-checkpoint/2"
NAME = "checkpoint.pt"


@dataclass
class Checkpoint:
    """Everything the next epoch depends on. Samples and rates are functions of seed and epoch, so need no state."""

    study: str  # a digest of what was trained on
    epoch: int = 0  # epochs finished in this attempt
    attempt: int = 0
    wrong: str = ""  # what the last epoch showed to be swapped or lost, in words
    micro_batch: int = 0
    network: dict[str, Any] = field(default_factory=dict)
    guesses: dict[str, Any] = field(default_factory=dict)  # the weights of the objective's auxiliary
    optimizer: dict[str, Any] = field(default_factory=dict)
    random_state: torch.Tensor = field(default_factory=torch.get_rng_state)
    best: dict[str, Any] = field(default_factory=dict)  # likelihood, epoch and network of the best epoch, if watched
    history: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def kept(self) -> dict[str, Any]:
        """The figures of the epoch whose weights are kept: the best where that was watched, else the last."""
        if not self.best:
            return self.history[-1]
        return next(entry for entry in reversed(self.history) if entry["epoch"] == self.best["epoch"])

    def start_again(self) -> None:
        """The next attempt begins without anything of this one but its history."""
        self.attempt += 1
        self.epoch, self.wrong, self.network, self.guesses, self.optimizer, self.best = 0, "", {}, {}, {}, {}

    def write(self, folder: Path) -> None:
        content = {"format": FORMAT, **{name: getattr(self, name) for name in self.__dataclass_fields__}}
        buffer = io.BytesIO()
        torch.save(content, buffer)  # on a full disk torch itself would not say that the disk is full
        with output_file(folder / NAME) as partial:
            partial.write_bytes(buffer.getbuffer())

    @classmethod
    def read(cls, folder: Path) -> Checkpoint | None:
        """The checkpoint of a run's folder, or None where there is none yet."""
        path = folder / NAME
        if not path.exists():
            return None
        try:
            content = torch.load(path, map_location="cpu", weights_only=True)
            if content.pop("format") != FORMAT:
                raise ValueError("another format")
            return cls(**content)
        except Exception as error:  # torch names no exception for what damaged files do to it
            raise UserError(
                "is not a checkpoint that this version can continue",
                file=path,
                remedy="start again with --force",
                detail=str(error),
            ) from error
