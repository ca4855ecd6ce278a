"""Who labels which case, and which case goes to which split."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from NoisyLabelSegLib.simulation.fields import seeded
from NoisyLabelSegLib.simulation.settings import SPLITS, SimulationSettings


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
