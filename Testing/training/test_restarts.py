"""Swapped and collapsed runs are told from good ones by the agreement counts of labels and estimated classes."""

from __future__ import annotations

import torch

from NoisyLabelSegLib.training import Settings
from NoisyLabelSegLib.training.restarts import is_late, restart_settings
from NoisyLabelSegLib.training.restarts import what_went_wrong as judged

CLASSES = ("background", "lesion", "edema")


def what_went_wrong(counts: torch.Tensor, classes: tuple[str, ...], *, late: bool = False) -> str:
    """Of a network whose probabilities are 0 or 1."""
    return judged(torch.cat([counts, counts.sum(dim=0, keepdim=True)]), classes, late=late)


def test_a_good_run_is_not_restarted() -> None:
    assert what_went_wrong(torch.tensor([[900.0, 20, 0], [30, 40, 5], [0, 3, 20]]), CLASSES) == ""


def test_annotators_who_miss_much_are_no_reason_to_restart() -> None:
    # Most labels inside the lesion say background: annotators who miss much, yet mark nothing else as lesion.
    assert what_went_wrong(torch.tensor([[900.0, 60], [5, 40]]), CLASSES[:2]) == ""


def test_swapped_classes_are_named() -> None:
    said = what_went_wrong(torch.tensor([[50.0, 850], [90, 10]]), CLASSES[:2])
    assert "calls" in said


def test_a_class_the_network_no_longer_predicts_is_named() -> None:
    said = what_went_wrong(torch.tensor([[900.0, 1, 20], [100, 1, 10], [10, 0, 60]]), CLASSES)
    assert said == "the network no longer predicts lesion, which the annotators do mark"


def test_a_class_that_is_never_the_most_probable_is_named_late_in_a_run_only() -> None:
    table = torch.tensor([[900.0, 60], [10, 30], [990, 1]])
    assert judged(table, CLASSES[:2]) == ""
    said = judged(table, CLASSES[:2], late=True)
    assert said == "the network is confident of lesion hardly anywhere, which the annotators do mark"


def test_a_class_that_overgrows_is_named_late_in_a_run_only() -> None:
    # One label a scan: all the air is called a lesion that everybody leaves out, and real lesions are found too.
    table = torch.tensor([[700.0, 280], [2, 18]])
    assert what_went_wrong(table, CLASSES[:2], late=is_late(4, 10)) == ""
    assert what_went_wrong(table, CLASSES[:2], late=is_late(1, 1)) == ""
    said = what_went_wrong(table, CLASSES[:2], late=is_late(6, 10))
    assert said == "the network predicts lesion in far more places than the annotators mark"


def test_small_probabilities_over_a_large_background_are_not_an_overgrown_class() -> None:
    # Eight nodules of LIDC-IDRI after half of a short run: confident of about as many voxels as the readers marked.
    table = torch.tensor([[5_803_000.0, 875_000], [3_000, 69_000], [6_599_000, 98_000]])
    assert judged(table, CLASSES[:2], late=True) == ""


def test_a_class_nobody_marked_is_not_missed() -> None:
    assert what_went_wrong(torch.tensor([[900.0, 20, 0], [10, 60, 0], [0, 0, 0]]), CLASSES) == ""


def test_values_that_are_not_finite_are_noticed() -> None:
    assert "no longer finite" in what_went_wrong(torch.tensor([[float("nan"), 1], [1, 1]]), CLASSES[:2])


def test_a_restart_differs_in_seed_freezes_longer_and_has_a_smaller_trace() -> None:
    settings = Settings(trace=0.8)
    first, second = restart_settings(settings, 1), restart_settings(settings, 2)
    assert len({settings.seed, first.seed, second.seed}) == 3
    assert settings.freeze < first.freeze < second.freeze
    assert settings.trace > first.trace > second.trace
    assert first.problems() == second.problems() == []
