"""What can be asked of a simulated study, and who labels which case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation.scan import seeded

SPLITS = ("train", "validate", "test")


@dataclass(frozen=True)
class SimulationSettings:
    """None stands for the phantom's own default; `size` and `spacing` (mm) in x, y, z order.

    `missing` is None for one label per image, else the chance that an annotator skips a case (0: dense); at least one
    annotator always labels it. The splits in `dense_splits` stay dense whatever is missing elsewhere.
    """

    cases: int | None = None
    size: tuple[int, ...] | None = None
    spacing: tuple[float, ...] | None = None
    seed: int = 0
    missing: float | None = 0.0
    panel: str | None = None
    mean_dice: float | None = None
    shares: tuple[float, float, float] = (0.7, 0.1, 0.2)
    dense_splits: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.cases is not None and self.cases < 1:
            raise UserError(f"A study cannot have {self.cases} cases", remedy="ask for at least one")
        if self.seed < 0:
            raise UserError(f"The seed {self.seed} is negative", remedy="use 0 or more")
        if self.missing is not None and not 0 <= self.missing < 1:
            raise UserError(f"A missing rate of {self.missing:g} is not between 0 and 1")
        if self.mean_dice is not None and not 0 < self.mean_dice <= 1:
            raise UserError(f"A mean Dice of {self.mean_dice:g} is not between 0 and 1")
        if min(self.shares) < 0 or abs(sum(self.shares) - 1) > 1e-6:
            raise UserError("The shares of train, validate and test must sum to 1", remedy="for example 0.7,0.1,0.2")
        if self.size is not None and not all(4 <= length <= 2048 for length in self.size):
            raise UserError("Each side of an image must have 4 to 2048 voxels")
        if self.spacing is not None and not all(0 < edge <= 1000 for edge in self.spacing):
            raise UserError("The spacing must be in millimeters, above 0")
        unknown = [name for name in self.dense_splits if name not in SPLITS]
        if unknown:
            raise UserError(f"There is no split {unknown[0]!r}", remedy=f"choose among {', '.join(SPLITS)}")


def choose_splits(cases: int, settings: SimulationSettings) -> list[str]:
    """The split of every case, at random, in the wanted shares; a share above 0 gets a case where there are enough."""
    wanted = np.array(settings.shares) * cases
    counts = np.floor(wanted).astype(int)
    for split in np.argsort(counts - wanted, kind="stable")[: cases - counts.sum()]:
        counts[split] += 1
    for split in np.flatnonzero((counts == 0) & (wanted > 0)):
        if counts.max() > 1:
            counts[counts.argmax()] -= 1
            counts[split] += 1
    names = [name for name, count in zip(SPLITS, counts, strict=True) for _ in range(count)]
    return [names[place] for place in seeded(settings.seed, "splits").permutation(cases)]


def choose_annotators(splits: Sequence[str], names: Sequence[str], settings: SimulationSettings) -> list[set[str]]:
    """The annotators who label each case; with one label per image everybody gets the same number of cases."""
    random = seeded(settings.seed, "labels")
    turns = _turns(len(splits), names, random)
    chosen = []
    for split, turn in zip(splits, turns, strict=True):
        stays = random.random(len(names))
        if split in settings.dense_splits or settings.missing == 0:
            chosen.append(set(names))
        elif settings.missing is None:
            chosen.append({turn})
        else:
            chosen.append({name for name, luck in zip(names, stays, strict=True) if luck >= settings.missing} or {turn})
    return chosen


def _turns(cases: int, names: Sequence[str], random: np.random.Generator) -> list[str]:
    rounds = -(-cases // len(names))
    return [names[place] for _ in range(rounds) for place in random.permutation(len(names))][:cases]
