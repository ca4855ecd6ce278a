"""The registry of learners: a kind of network together with the objective that it is trained with.

The setting `target` names one. An entry is the one registration that a new kind needs: settings accept its name,
training asks it for its network, targets and objective, and prediction goes through the network's own method. The
classes are imported when a training begins, so that checking settings does not import torch.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from NoisyLabelSegLib.training.objectives.base import Learner

_OBJECTIVES = "NoisyLabelSegLib.training.objectives"

LEARNERS: dict[str, type[Learner] | str] = {
    "coupled": f"{_OBJECTIVES}.coupled:CoupledLearner",
    "majority": f"{_OBJECTIVES}.fused:FusedLearner",
    "mean": f"{_OBJECTIVES}.fused:FusedLearner",
    "staple": f"{_OBJECTIVES}.fused:FusedLearner",
    "staple-itk": f"{_OBJECTIVES}.fused:FusedLearner",
    "spatial-staple": f"{_OBJECTIVES}.fused:FusedLearner",
    "weighted-majority": f"{_OBJECTIVES}.fused:FusedLearner",
    "without-silent": f"{_OBJECTIVES}.votes:MarkersLearner",
    "votes": f"{_OBJECTIVES}.votes:VotesLearner",
    "separate": f"{_OBJECTIVES}.separate:SeparateLearner",
    "probabilistic-unet": f"{_OBJECTIVES}.probabilistic:ProbabilisticLearner",
    "phiseg": f"{_OBJECTIVES}.phiseg:PHiSegLearner",
    "conditioned": f"{_OBJECTIVES}.conditioned:ConditionedLearner",
    "agreed": f"{_OBJECTIVES}.agreed:AgreedLearner",
    "truth": f"{_OBJECTIVES}.oracle:TruthLearner",
    "oracle-cm": f"{_OBJECTIVES}.oracle:KnownConfusionLearner",
}
"""Name to a subclass of Learner, or to "module:class"; an instance is given its name."""


def register_learner(name: str, learner: type[Learner] | str) -> None:
    """Adds a kind of learner; raises ValueError for a name that is taken."""
    if name in LEARNERS:
        raise ValueError(f"there is a learner {name!r} already")
    LEARNERS[name] = learner


def load_learner(name: str) -> Learner:
    """The learner of that name; raises KeyError for one that is not registered."""
    registered = LEARNERS[name]
    if isinstance(registered, str):
        module, _, attribute = registered.partition(":")
        registered = getattr(importlib.import_module(module), attribute)
        assert isinstance(registered, type)
    return registered(name)
