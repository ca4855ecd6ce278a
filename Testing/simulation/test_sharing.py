from __future__ import annotations

from collections import Counter

import pytest

from NoisyLabelSegLib.simulation import SimulationSettings
from NoisyLabelSegLib.simulation.settings import choose_annotators, choose_splits

NAMES = ["a", "b", "c"]


def test_cases_are_split_in_the_wanted_shares():
    counts = Counter(choose_splits(20, SimulationSettings()))
    assert counts == {"train": 14, "validate": 2, "test": 4}


@pytest.mark.parametrize("cases", [1, 2, 3, 5, 7])
def test_small_studies_get_every_split_they_can(cases):
    splits = choose_splits(cases, SimulationSettings())
    assert len(splits) == cases
    assert len(set(splits)) == min(cases, 3)


def test_a_share_of_nothing_gets_nothing():
    assert set(choose_splits(10, SimulationSettings(shares=(1.0, 0.0, 0.0)))) == {"train"}


def test_one_label_per_image_goes_round():
    chosen = choose_annotators(["train"] * 9, NAMES, SimulationSettings(missing=None))
    assert Counter(name for names in chosen for name in names) == {"a": 3, "b": 3, "c": 3}
    assert all(len(names) == 1 for names in chosen)


def test_a_missing_rate_is_kept_on_average_and_nobody_leaves_a_case_bare():
    chosen = choose_annotators(["train"] * 2000, NAMES, SimulationSettings(missing=0.4))
    share = sum(map(len, chosen)) / 6000
    assert share == pytest.approx(0.6 + 0.4**3 / 3, abs=0.02)
    assert min(map(len, chosen)) == 1


def test_dense_splits_are_labeled_by_all():
    settings = SimulationSettings(missing=None, dense_splits=("test",))
    assert [len(names) for names in choose_annotators(["train", "test"], NAMES, settings)] == [1, 3]
