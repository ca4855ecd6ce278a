"""What each annotator would say of an image that somebody else labelled, learned from the labels and nothing else."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from NoisyLabelSegLib.networks.losses import trusted_vote
from NoisyLabelSegLib.training.reliability import SILENT_VOICE

SILENCE = -4.0
"""Where the log odds of a class start for an annotator who never uses it."""


class LabelGuesses(nn.Module):
    """Reads the labels of all annotators off the trunk's features; helps while training and is not part of a model.

    The matrices cannot do this: while they and p are learned from each other, a wrong p is filled in as everybody's
    opinion and confirmed by it. This head knows nothing of p. What annotators have in common it learns from all labels,
    and each one's own hand from theirs alone.
    """

    hushed: Tensor
    voice: Tensor

    def __init__(self, features: int, silent: Tensor, absent: Tensor | None = None) -> None:
        """silent: who never uses which class, (R, L) bool; absent: who labelled nothing, and so has no voice, (R,)."""
        super().__init__()
        annotators, classes = silent.shape
        hushed = silent.any(dim=1)  # (R,): who is silent about something
        self.register_buffer("hushed", hushed, persistent=False)
        voice = torch.where(hushed, SILENT_VOICE, 1.0)
        self.register_buffer("voice", voice if absent is None else voice.where(~absent, 0.0), persistent=False)
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

    @torch.no_grad()
    def vote(self, guessed: Tensor, labels: Tensor) -> Tensor:
        """The panel's vote, (B, L, P): labels (B, R, P) where they were given, elsewhere guesses (B, R, L, P).

        Everybody has a voice, the silent half of one, the absent none.
        """
        said = labels[:, :, None] == torch.arange(guessed.shape[2], device=labels.device)[:, None]
        shares = torch.where((labels >= 0)[:, :, None], said, guessed.exp())
        return (shares * (self.voice / self.voice.sum())[:, None, None]).sum(dim=1)

    def given(self, labels: Tensor) -> tuple[Tensor, Tensor]:
        """The vote (B, L, P) of labels (B, R, P) as they are, and where there is one (B, P).

        What somebody silent about a class calls background may be that class, so it does not count.
        """
        loud = labels.where(~(self.hushed[:, None] & (labels == 0)), -1)
        return trusted_vote(loud, self.voice, self._shape[1]), (loud >= 0).any(dim=1)
