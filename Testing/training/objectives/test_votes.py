"""Baselines that only vote: without confusion matrices, and without annotators who never mark anything."""

from __future__ import annotations

import numpy as np
import torch

from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.training.objectives.base import Objective
from NoisyLabelSegLib.training.objectives.votes import MarkersLearner, VotesLearner
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings

TINY = Settings(widths=(4, 8), device="cpu")


def _objective(learner: MarkersLearner | VotesLearner, unused: list[list[bool]]) -> Objective:
    torch.manual_seed(0)
    annotators = len(unused)
    labels = LabelSummary(
        np.array(unused), np.zeros(annotators, bool), np.ones(annotators, np.float32), has_single_labels=False
    )
    design = learner.architecture(TINY, channels=1, classes=2, annotators=annotators)
    return learner.objective(learner.network(design, labels), TINY, labels)


def _batch(labels: torch.Tensor) -> Batch:
    torch.manual_seed(1)
    return Batch(torch.randn(len(labels), 1, *labels.shape[2:]), labels, None, torch.full((len(labels), 8, 8), -1))


def test_the_labels_of_a_silent_annotator_change_nothing() -> None:
    objective = _objective(MarkersLearner("without-silent"), [[False, False], [False, True], [False, True]])
    drawn = torch.zeros(2, 3, 8, 8, dtype=torch.long)
    drawn[:, 0, 2:5, 2:5] = 1
    alone = drawn.clone()
    alone[:, 1:] = -1
    assert torch.allclose(objective(_batch(drawn), 0.5).loss, objective(_batch(alone), 0.5).loss)


def test_an_image_that_a_silent_annotator_alone_labeled_is_not_learned_from() -> None:
    objective = _objective(MarkersLearner("without-silent"), [[False, False], [False, True]])
    labels = torch.full((1, 2, 8, 8), -1)
    labels[0, 1] = 0
    loss = objective(_batch(labels), 0.5).loss
    loss.backward()
    gradients = [p.grad for p in objective.parameters() if p.grad is not None]
    assert float(loss.detach()) == 0
    assert all(float(gradient.abs().sum()) == 0 for gradient in gradients)


def test_without_silent_annotators_the_majority_of_the_others_decides() -> None:
    objective = _objective(MarkersLearner("without-silent"), [[False, False]] * 3)
    two_of_three = torch.zeros(1, 3, 8, 8, dtype=torch.long)
    two_of_three[:, :2, 2:5, 2:5] = 1
    everybody = two_of_three.clone()
    everybody[:, 2] = two_of_three[:, 0]
    assert torch.allclose(objective(_batch(two_of_three), 0.5).loss, objective(_batch(everybody), 0.5).loss)


def test_votes_train_a_network_without_annotators() -> None:
    objective = _objective(VotesLearner("votes"), [[False, False]] * 2)
    assert isinstance(objective.network, CoupledNetwork)
    assert objective.network.architecture == Architecture(2, 1, 2, 2, confusion="none", widths=(4, 8))
    labels = torch.zeros(2, 2, 8, 8, dtype=torch.long)
    labels[:, :, 2:6, 2:6] = 1
    batch, optimizer = _batch(labels), torch.optim.Adam(objective.parameters(), lr=1e-2)
    losses = []
    for _ in range(30):
        optimizer.zero_grad()
        terms = objective(batch, 0.5)
        terms.loss.backward()
        optimizer.step()
        losses.append(float(terms.loss.detach()))
    assert losses[-1] < 0.5 * losses[0]
    assert objective.eval()(batch, 1.0).likelihood < 0.5
