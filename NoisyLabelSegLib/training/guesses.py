"""What each annotator would say of an image that somebody else labelled, learned from the labels and nothing else."""

from __future__ import annotations

import torch
from torch import Tensor, nn

SILENCE = -4.0
"""Where the log odds of a class start for an annotator who never uses it."""


class LabelGuesses(nn.Module):
    """Reads the labels of all annotators off the trunk's features; helps while training and is not part of a model.

    The matrices cannot do this: while they and p are learned from each other, a wrong p is filled in as everybody's
    opinion and confirmed by it. Here nothing depends on p. What annotators have in common is learned from all labels,
    and each one's own hand from theirs alone.
    """

    silent: Tensor

    def __init__(self, features: int, silent: Tensor) -> None:
        """silent: who never uses which class, (R, L) bool."""
        super().__init__()
        self.register_buffer("silent", silent.any(dim=1), persistent=False)
        annotators, classes = silent.shape
        self._shape = (1 + annotators, classes)
        self.head = nn.Conv1d(features, (1 + annotators) * classes, 1)
        with torch.no_grad():
            self.head.weight[classes:] = 0
            assert self.head.bias is not None
            self.head.bias[:classes] = 0
            self.head.bias[classes:] = SILENCE * silent.flatten()

    def forward(self, features: Tensor) -> Tensor:
        """Log probabilities of every annotator's label, (B, R, L, P), from features (B, W, P)."""
        logits: Tensor = self.head(features).unflatten(1, self._shape).float()
        return (logits[:, :1] + logits[:, 1:]).log_softmax(dim=2)
