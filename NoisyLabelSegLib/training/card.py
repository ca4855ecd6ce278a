"""The model card of a finished training."""

from __future__ import annotations

import platform
from collections.abc import Sequence

import torch

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.cases import Case, Study
from NoisyLabelSegLib.cases.model_card import ModelCard
from NoisyLabelSegLib.fusion.label_agreement import LabelAgreement
from NoisyLabelSegLib.networks import Architecture
from NoisyLabelSegLib.training.checkpoints import Checkpoint
from NoisyLabelSegLib.training.preprocessing import Preprocessing
from NoisyLabelSegLib.training.settings import Settings

INTENDED_USE = (
    "Research. Estimates the true segmentation, and every annotator's errors, on images like those it was trained on; "
    "not a medical device, and not checked on other scanners or other annotators."
)


def card_of(
    study: Study,
    cases: Sequence[Case],
    settings: Settings,
    architecture: Architecture,
    state: Checkpoint,
    agreement: LabelAgreement | None,
) -> ModelCard:
    """cases: those that were trained on; settings: those of the last attempt; agreement: on held-out labels."""
    curated = sum(case.curated for case in cases) if settings.curated else 0
    labels = {name: sum(name in case.annotations for case in cases) for name in study.annotators}
    return ModelCard(
        architecture=architecture,
        classes=study.classes,
        annotators=study.annotators,
        preprocessing=Preprocessing.of(settings).to_json(),
        settings=settings.to_json(),
        metrics={
            "training": state.kept,
            "remarks": list(state.remarks),
            "labelAgreement": None if agreement is None else agreement.to_json(),
        },
        provenance={
            "study": study.name,
            "studyDigest": state.study,
            "cases": len(cases),
            "labelsPerAnnotator": labels,
            **({"curatedCases": curated} if curated else {}),
            "noisylabelseg": __version__,
            "torch": torch.__version__,
            "python": platform.python_version(),
        },
        intended_use=INTENDED_USE,
        license=str(study.extra.get("license", "as the study it was trained on")),
    )
