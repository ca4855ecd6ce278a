"""The oracle of the matrices: counted matrices, and a loss that learns what the labels and the matrices tell."""

from __future__ import annotations

import math

import torch

from NoisyLabelSegLib.networks.confusion import counted_rows
from NoisyLabelSegLib.networks.losses import joint_likelihood
from NoisyLabelSegLib.training.learners import load_learner
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.settings import Settings


def test_the_matrices_are_the_shares_of_labels_where_each_class_is_true() -> None:
    truth = torch.tensor([[0, 0, 1, 1, 1, 1]])
    labels = torch.tensor([[[0, 1, 1, 1, 1, 0]]])
    rows = counted_rows(labels, truth, 2).exp()[0, 0]
    assert torch.allclose(rows[:, 0], torch.tensor([0.5, 0.25]), atol=1e-3)
    assert torch.allclose(rows[:, 2], torch.tensor([0.5, 0.75]), atol=1e-3)


def test_a_class_that_is_absent_says_nothing_and_unknown_pixels_are_not_counted() -> None:
    truth, labels = torch.tensor([[0, 0, -1]]), torch.tensor([[[0, -1, 1]]])
    rows = counted_rows(labels, truth, 2).exp()[0, 0, :, 0]
    assert math.isclose(float(rows[1]), 0.5, abs_tol=1e-6)
    assert rows[0] > 0.99


def test_a_network_that_is_sure_of_the_wrong_class_gets_a_gradient() -> None:
    truth = torch.tensor([[0, 0, 0, 1, 1, 1]])
    labels = torch.stack([truth, truth], dim=1)
    logits = torch.tensor([[[0.0] * 6, [-7.0] * 6]], requires_grad=True)
    rows = counted_rows(labels, truth, 2)
    joint_likelihood(rows, logits.log_softmax(dim=1), labels >= 0).backward()
    assert logits.grad is not None
    assert float(logits.grad[0, 1, 3:].abs().min()) * labels.numel() > 0.9, "as cross-entropy has it"


def test_it_learns_the_truth_from_annotators_none_of_whom_is_right_alone() -> None:
    torch.manual_seed(0)
    truth = torch.zeros(4, 16, 16, dtype=torch.long)
    truth[:, 4:12, 4:12] = 1
    over, under = torch.zeros_like(truth), torch.zeros_like(truth)
    over[:, 3:13, 3:13], under[:, 4:12, 4:11] = 1, 1
    other = torch.zeros_like(truth)
    other[:, 4:12, 5:12] = 1
    labels = torch.stack([over, under, other], dim=1)
    images = truth[:, None].float() + 0.1 * torch.randn(4, 1, 16, 16)
    settings, learner = Settings(target="oracle-cm", widths=(4, 8), device="cpu"), load_learner("oracle-cm")
    summary = LabelSummary.__new__(LabelSummary)
    network = learner.network(learner.architecture(settings, channels=1, classes=2, annotators=3), summary)
    objective = learner.objective(network, settings, summary)
    optimizer = torch.optim.Adam(objective.parameters(), lr=1e-2)
    for _ in range(60):
        optimizer.zero_grad()
        objective(Batch(images, labels, None, truth), 0.5).loss.backward()
        optimizer.step()
    found = network.eval().predict(images).truth.argmax(dim=1)
    assert (found == truth).float().mean() > 0.99
