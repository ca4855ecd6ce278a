"""The labels that are used together with the image of a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case
from NoisyLabelSegLib.errors import UserError


def labels_of(case: Case) -> dict[str, NDArray[Any]]:
    """Annotator to labels (*shape), of everybody who labeled the case."""
    return {name: drawn for name in case.annotators if (drawn := case.labels(name)) is not None}


def given_labels(case: Case, labels: bool | Mapping[str, NDArray[Any]] | None) -> dict[str, NDArray[Any]] | None:
    """The labels of the case for True, or those given; None to use the image alone."""
    if labels is None or labels is False:
        return None
    if labels is True:
        return labels_of(case)
    if not isinstance(labels, Mapping):
        raise UserError("labels= must be True or a mapping from annotators to labels")
    return {name: np.asarray(drawn) for name, drawn in labels.items()}
