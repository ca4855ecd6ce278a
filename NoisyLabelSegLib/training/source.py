"""The arrays of a training: cases read once, kept within a memory limit, with the labels they are trained on."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import Votes
from NoisyLabelSegLib.fusion.packing import UNKNOWN
from NoisyLabelSegLib.fusion.table import VoteTable
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.training.learners import load_learner
from NoisyLabelSegLib.training.preprocessing import Preprocessing
from NoisyLabelSegLib.training.reference_set import errors_against
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.words import counted

UNLABELED = -1
"""Stands where an annotator did not label a voxel."""


@dataclass(frozen=True)
class CaseArrays:
    """One case as the network sees it: N slices of H x W, or z, y, x.

    image (C, N, H, W) float32; labels (R, N, H, W) int16 with UNLABELED; target (L, N, H, W) float32 or None where the
    labels themselves are trained on; truth (N, H, W) int16, UNLABELED where it is neither needed nor curated.
    """

    image: NDArray[np.float32]
    labels: NDArray[np.int16]
    target: NDArray[np.float32] | None
    truth: NDArray[np.int16]

    @property
    def marked(self) -> NDArray[np.bool_]:
        """Where somebody marked something; that of the truth where nobody labeled."""
        labels = self.labels if (self.labels >= 0).any() else self.truth[None]
        return np.asarray((labels > 0).any(axis=0))

    @property
    def bytes(self) -> int:
        target = 0 if self.target is None else self.target.nbytes
        return self.image.nbytes + self.labels.nbytes + self.truth.nbytes + target


@dataclass(frozen=True)
class Survey:
    """What must be known of a case without opening it: its size, the slices (3D: z) that somebody marked, its votes.

    errors: those of the annotators against its curated truth (see training/reference_set.py), None without one.
    """

    slices: int
    marked: tuple[int, ...]
    votes: VoteTable
    errors: NDArray[np.float64] | None = None


class StudySource:
    """The cases of a study by number; the most recently used stay in memory as long as the budget allows."""

    def __init__(self, study: Study, cases: Sequence[Case], settings: Settings) -> None:
        self._annotators, self._classes = study.annotators, len(study.classes)
        self._cases = tuple(cases)
        self._learner, self._curated = load_learner(settings.learner), settings.curated > 0
        self._preprocessing = Preprocessing.of(settings)
        self._budget = int(settings.memory_gb * 2**30) // max(settings.workers, 1)
        self._kept: OrderedDict[int, CaseArrays] = OrderedDict()
        self._used = 0

    def __len__(self) -> int:
        return len(self._cases)

    def __getitem__(self, number: int) -> CaseArrays:
        if number in self._kept:
            self._kept.move_to_end(number)
            return self._kept[number]
        arrays = self._read(self._cases[number])
        self._keep(number, arrays)
        return arrays

    def survey(self, report: Report = silent) -> list[Survey]:
        """Opens every case once, in order; a study that cannot be trained on is refused here, not hours later."""
        surveys: list[Survey] = []
        channels: dict[int, str] = {}
        for number in steps(range(len(self)), "read", report):
            case, arrays = self._cases[number], self[number]
            channels.setdefault(len(arrays.image), case.id)
            if len(channels) > 1:
                (first, other), (few, many) = channels.values(), channels.keys()
                raise UserError(
                    f"Case {other} has {counted(many, 'channel')}, but case {first} has {few}",
                    remedy="give every case the same images, in the same order",
                )
            marked = np.flatnonzero(arrays.marked.any(axis=(1, 2)))
            curated = self._curated and case.curated
            errors = errors_against(arrays.labels, arrays.truth) if curated else None
            votes = _votes(arrays.labels, self._classes)
            surveys.append(Survey(arrays.labels.shape[1], tuple(marked.tolist()), votes, errors))
        return surveys

    def _read(self, case: Case) -> CaseArrays:
        image = self._preprocessing.image(case)
        shape = image.shape[1:]
        labels = np.full((len(self._annotators), *shape), UNLABELED, dtype=np.int16)
        for row, given in zip(labels, case.all_labels(self._annotators), strict=True):
            if given is not None:
                row[:] = self._preprocessing.labels(given, case)
        truth = np.full(shape, UNLABELED, dtype=np.int16)
        curated = self._curated and case.curated
        if curated or self._learner.needs_truth:
            truth[:] = self._preprocessing.labels(_known_truth(case), case)
        target = self._learner.target(truth[None] if curated else labels, truth, self._classes)
        return CaseArrays(image, labels, target, truth)

    def _keep(self, number: int, arrays: CaseArrays) -> None:
        if arrays.bytes > self._budget:
            return
        self._kept[number] = arrays
        self._used += arrays.bytes
        while self._used > self._budget:
            _, oldest = self._kept.popitem(last=False)
            self._used -= oldest.bytes


def _votes(labels: NDArray[np.int16], classes: int) -> VoteTable:
    given = [None if row.flat[0] == UNLABELED else row.astype(np.uint8) for row in labels]
    if all(row is None for row in given):  # only the truth is there to learn from
        return VoteTable(np.full((1, len(given)), UNKNOWN, dtype=np.int16), np.zeros(1))
    table = Votes(given, classes=classes).table
    return VoteTable(table.votes, table.counts)


def _known_truth(case: Case) -> NDArray[np.uint8]:
    truth = case.truth()
    if truth is None:
        raise UserError(f"Case {case.id} has no truth to learn from", remedy="add it, or choose another target")
    return truth
