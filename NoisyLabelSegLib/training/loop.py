"""The training loop: optimizer, learning-rate schedule, and epochs of steps on any device."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn
from torch.optim import AdamW
from torch.utils.data import DataLoader

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Say
from NoisyLabelSegLib.training.objectives.base import Counts, Objective
from NoisyLabelSegLib.training.samples import Batch, Draw, Samples, batches, epoch_draws, join
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.training.source import StudySource, Survey


def make_optimizer(objective: nn.Module, annotators: Sequence[nn.Parameter], settings: Settings) -> AdamW:
    """AdamW with the parameters of annotators, a part of the objective's, in a group that the setting `freeze` holds.

    The group's key `waits` is part of checkpoints.
    """
    chosen = {id(parameter) for parameter in annotators}
    rest = [parameter for parameter in objective.parameters() if id(parameter) not in chosen]
    groups = [{"params": rest, "waits": False}, *([{"params": list(annotators), "waits": True}] if annotators else [])]
    return AdamW(groups, lr=settings.learning_rate, weight_decay=settings.weight_decay)


def set_rates(optimizer: AdamW, settings: Settings, done: float) -> None:
    """Sets the learning rates for a step when the share `done` of all steps lies behind."""
    rate = settings.learning_rate * _rate(settings, done)
    for group in optimizer.param_groups:
        group["lr"] = 0.0 if group["waits"] and done < settings.freeze else rate


def _rate(settings: Settings, done: float) -> float:
    if done < settings.warm_up:
        return (done + 1e-3) / settings.warm_up
    if settings.schedule == "constant":
        return 1.0
    return 0.5 * (1 + math.cos(math.pi * (done - settings.warm_up) / (1 - settings.warm_up)))


MOST_HELD_OUT = 32
"""Samples looked at after every epoch, the same ones each time; more would cost as much as the training itself."""


class Loop:
    """Trains one network by its objective; `epoch()` does one epoch and returns its figures."""

    def __init__(
        self,
        fabric: Fabric,
        objective: Objective,
        settings: Settings,
        source: StudySource,
        surveys: list[Survey],
        *,
        say: Say,
        first_epoch: int = 0,
        micro_batch: int = 0,
    ) -> None:
        self._fabric, self._settings, self._surveys, self._say = fabric, settings, surveys, say
        self._classes = objective.network.architecture.classes
        self.optimizer = make_optimizer(objective, objective.network.annotator_parameters(), settings)
        self._objective, self._optimizer = fabric.setup(objective, self.optimizer)
        self._steps = math.ceil(len(epoch_draws(surveys, settings, 0)) / settings.batch)
        self.micro_batch = micro_batch or math.ceil(settings.batch / fabric.world_size / settings.accumulate)
        self._epoch = first_epoch
        self._stream = iter(self._loader(source, first_epoch))

    def epoch(self, moved: Callable[[float], None]) -> tuple[dict[str, float], Tensor]:
        """One epoch's mean loss and likelihood, and its agreement counts (L + 1, L) of labels with estimated classes.

        `moved` is called between two steps with the share of the epoch that is done, without waiting for the device.
        """
        self._objective.train()
        sums = torch.zeros(2, device=self._fabric.device)
        agreement = torch.zeros(self._classes + 1, self._classes, device=self._fabric.device)
        for step in range(self._steps):
            if step:
                moved(step / self._steps)
            done = (self._epoch * self._steps + step) / (self._settings.epochs * self._steps)
            set_rates(self.optimizer, self._settings, done)
            figures, counts = self._step(next(self._stream).to(self._fabric.device), done)
            sums, agreement = sums + figures, agreement + counts
        self._epoch += 1
        loss, likelihood = (self._over_processes(sums) / self._steps / self._fabric.world_size).tolist()
        return {"loss": loss, "likelihood": likelihood}, self._over_processes(agreement).cpu()

    @torch.no_grad()
    def held_out_likelihood(self, samples: Samples, surveys: list[Survey]) -> float:
        """Minus the mean log-likelihood of the noisy labels of cases the network has not seen; no truth needed."""
        self._objective.eval()
        total, count = 0.0, 0
        draws = epoch_draws(surveys, self._settings, epoch=0)[:MOST_HELD_OUT]
        for part in batches(draws, self.micro_batch):
            batch = join([samples[draw] for draw in part]).to(self._fabric.device)
            with self._fabric.autocast():
                terms = self._objective.module(batch, done=1.0)
            total, count = total + float(terms.likelihood) * len(part), count + len(part)
        return float(self._fabric.broadcast(total / count))  # all processes must stop after the same epoch

    def _loader(self, source: StudySource, first_epoch: int) -> DataLoader[Any]:
        return DataLoader(
            Samples(source, self._settings),
            batch_sampler=_Order(self._surveys, self._settings, first_epoch, self._fabric),
            collate_fn=join,
            num_workers=self._settings.workers,
            pin_memory=self._fabric.device.type == "cuda",
        )

    def _step(self, batch: Batch, done: float) -> tuple[Tensor, Tensor]:
        while True:
            try:
                return self._accumulated(batch, done)
            except RuntimeError as error:
                if not _out_of_memory(error):
                    raise
                self._halve(error)

    def _accumulated(self, batch: Batch, done: float) -> tuple[Tensor, Tensor]:
        """One step of the optimizer from parts of at most `micro_batch` samples, the same as from all at once."""
        self._optimizer.zero_grad()
        size = batch.images.shape[0]
        whole = self._mean_counts(Counts.of(batch))
        figures: Any = 0
        agreement: Any = 0
        for start in range(0, size, self.micro_batch):
            end = min(start + self.micro_batch, size)
            with self._fabric.no_backward_sync(self._objective, enabled=end < size):
                terms = self._objective(batch.part(start, end), done, whole)
                self._fabric.backward(terms.loss)
            figures = figures + torch.stack([terms.loss.detach(), terms.likelihood])
            agreement = agreement + terms.agreement
        self._optimizer.step()
        return figures, agreement

    def _halve(self, error: Exception) -> None:
        if self.micro_batch == 1 or self._fabric.world_size > 1:
            raise UserError(
                "The device has too little memory for this training",
                remedy="choose a smaller patch, a smaller batch or --set device=cpu",
                detail=str(error),
            ) from error
        self._optimizer.zero_grad()
        self.micro_batch = math.ceil(self.micro_batch / 2)
        self._say(f"The device ran out of memory: going on with {self.micro_batch} samples at a time, same batch.")

    def _mean_counts(self, counts: Counts) -> Counts:
        """Of all processes: their gradients are averaged, so that the sums of a step are divided by its means."""
        if self._fabric.world_size == 1:
            return counts
        labels, pixels = self._over_processes(torch.stack(counts).float()) / self._fabric.world_size
        return Counts(labels, pixels)

    def _over_processes(self, values: Tensor) -> Tensor:
        total: Tensor = self._fabric.all_reduce(values, reduce_op="sum")  # type: ignore[assignment]
        return total


def _out_of_memory(error: RuntimeError) -> bool:
    """Apple's devices have no class of their own for it."""
    return isinstance(error, torch.OutOfMemoryError) or "out of memory" in str(error)


class _Order:
    """Every batch of every epoch to come, so that workers can read ahead from one epoch into the next."""

    def __init__(self, surveys: list[Survey], settings: Settings, first_epoch: int, fabric: Fabric) -> None:
        self._surveys, self._settings, self._first = surveys, settings, first_epoch
        self._rank, self._processes = fabric.global_rank, fabric.world_size

    def __iter__(self) -> Iterator[list[Draw]]:
        for epoch in range(self._first, self._settings.epochs):
            draws = epoch_draws(self._surveys, self._settings, epoch)
            yield from batches(draws, self._settings.batch, rank=self._rank, processes=self._processes)
