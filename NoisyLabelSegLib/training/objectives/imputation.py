"""Completes missing labels: what each annotator would say of an image that somebody else labeled."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.networks.losses import reliability_weighted_vote
from NoisyLabelSegLib.training.reliability import UNUSED_CLASS_WEIGHT

UNUSED_LOGIT = -4.0
"""The logit that a class starts with for an annotator who never uses it."""


class LabelImputation(nn.Module):
    """Predicts the labels of all annotators from the trunk's features; used in training only, not part of a model.

    The confusion matrices cannot do this: while they and p are learned from each other, a wrong p is imputed as
    everybody's opinion and confirmed by it. This head does not see p. What annotators have in common it learns from all
    labels, and what is particular to one from theirs alone.
    """

    uses_not_all: Tensor
    weights: Tensor

    def __init__(
        self, features: int, unused: Tensor, absent: Tensor | None = None, prior: Tensor | None = None
    ) -> None:
        """unused: classes an annotator never uses, (R, L) bool; absent: who labeled nothing and has weight 0, (R,).

        prior: weights from curated truth and experience, (R,); None: nothing is known.
        """
        super().__init__()
        annotators, classes = unused.shape
        uses_not_all = unused.any(dim=1)  # (R,)
        self.register_buffer("uses_not_all", uses_not_all, persistent=False)
        weights = torch.where(uses_not_all, UNUSED_CLASS_WEIGHT, 1.0) * (1.0 if prior is None else prior)
        self.register_buffer("weights", weights if absent is None else weights.where(~absent, 0.0), persistent=False)
        self._shape = (1 + annotators, classes)
        self.head = nn.Conv1d(features, (1 + annotators) * classes, 1)
        with torch.no_grad():
            self.head.weight[classes:] = 0
            assert self.head.bias is not None
            self.head.bias[:classes] = 0
            self.head.bias[classes:] = UNUSED_LOGIT * unused.flatten()

    def forward(self, features: Tensor) -> Tensor:
        """Log probabilities of every annotator's label, (B, R, L, P), from features (B, W, P)."""
        logits: Tensor = self.head(features).unflatten(1, self._shape).float()
        return (logits[:, :1] + logits[:, 1:]).log_softmax(dim=2)

    @torch.no_grad()
    def completed_vote(self, imputed: Tensor, labels: Tensor) -> Tensor:
        """The vote of all annotators, (B, L, P): labels (B, R, P) where given, else log probabilities (B, R, L, P).

        Annotators have the weight of their prior, or 1; UNUSED_CLASS_WEIGHT times that if they never use some class,
        and 0 if they labeled nothing.
        """
        given = labels[:, :, None] == torch.arange(imputed.shape[2], device=labels.device)[:, None]
        shares = torch.where((labels >= 0)[:, :, None], given, imputed.exp())
        return (shares * (self.weights / self.weights.sum())[:, None, None]).sum(dim=1)

    def given_vote(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        """The vote (B, L, P) of labels (B, R, P) without imputation, and where there is one (B, P).

        Background of an annotator who never uses some class may be that class, so it is masked out.
        """
        masked = labels.where(~(self.uses_not_all[:, None] & (labels == 0)), -1)
        return reliability_weighted_vote(masked, self.weights, self._shape[1]), (masked >= 0).any(dim=1)
