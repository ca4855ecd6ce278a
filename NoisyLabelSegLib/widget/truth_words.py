"""The names of what a truth can be estimated by besides fusion methods, and where a truth comes from in words."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from slicer.i18n import tr as _

from NoisyLabelSegLib.fusion import METHODS
from NoisyLabelSegLib.scene.references import KNOWN, SCENE

MODEL = "model"
"""The method that is not a fusion: a trained network, run by a job."""
MODEL_WITH_LABELS = "model-with-labels"
"""The same, its answer combined with the labels of the ticked annotators."""
NETWORKS = (MODEL, MODEL_WITH_LABELS)


def sourceInWords(method: str) -> str:
    """Where an estimate or a reference comes from, by the name of its method."""
    if method in METHODS:
        words = _("{method} of the annotators' labels").format(method=METHODS[method].title)
    elif method == MODEL:
        words = _("the estimate of a trained model")
    elif method == MODEL_WITH_LABELS:
        words = _("a trained model together with the annotators' labels")
    elif method == KNOWN:
        words = _("the known truth of the case")
    elif method.startswith(SCENE):
        words = _("the segmentation of {name}").format(name=method.split(":", 2)[-1])
    else:
        words = _("the truth in the scene")
    return str(words)


def fewReaders(names: Sequence[str]) -> list[str]:
    """What people should know about a truth from one or two readers."""
    if len(names) == 1:
        return [_("The truth is {name}'s labels alone, so reliability cannot be told.").format(name=names[0])]
    if len(names) == 2:
        return [_("The truth is from two readers: nothing tells who is right, so reliability cannot be told.")]
    return []


def today() -> str:
    return datetime.date.today().isoformat()
