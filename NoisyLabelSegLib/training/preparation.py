"""What must be known before a training starts: its cases, what their labels say, and the network's architecture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from NoisyLabelSegLib.cases import Study
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.networks import Architecture
from NoisyLabelSegLib.progress import Report, silent
from NoisyLabelSegLib.training.cases import Split
from NoisyLabelSegLib.training.learners import load_learner
from NoisyLabelSegLib.training.objectives.base import Learner
from NoisyLabelSegLib.training.reference_set import Knowledge
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Samples
from NoisyLabelSegLib.training.settings import Settings
from NoisyLabelSegLib.training.source import StudySource, Survey


@dataclass(frozen=True)
class TrainingData:
    """The training cases and their surveys, the same of held-out cases if there are any, and the labels' summary."""

    study: Study
    learner: Learner
    source: StudySource
    surveys: list[Survey]
    held_out: tuple[Samples, list[Survey]] | None
    labels: LabelSummary
    remarks: tuple[str, ...]

    def architecture(self, settings: Settings) -> Architecture:
        """What the learner's network is built from; the settings are those of an attempt."""
        return self.learner.architecture(
            settings,
            channels=len(self.source[0].image),
            classes=len(self.study.classes),
            annotators=len(self.study.annotators),
        )


def prepare(study: Study, split: Split, settings: Settings, report: Report = silent) -> TrainingData:
    """Opens every case of the split once; raises UserError for cases that cannot be trained on."""
    source = StudySource(study, split.train, settings)
    surveys = source.survey(report)
    if not any(survey.marked for survey in surveys):
        raise UserError("Nobody marked anything in the training cases", remedy="check the labels of the study")
    validate = StudySource(study, split.validate, settings)
    held_out = (Samples(validate, settings, vary=False), validate.survey(report)) if len(validate) else None
    learner = load_learner(settings.learner)
    years = study.experience if settings.experience else {}
    errors = [survey.errors for survey in surveys]
    knowledge = Knowledge.of(errors, study.annotators, years, settings.experience)
    known = knowledge if years or any(knowledge.curated) else None
    labels = LabelSummary.of([survey.votes for survey in surveys], len(study.classes), known)
    unlearned = _without_labels(study, labels) if learner.learns_annotators else ()
    return TrainingData(study, learner, source, surveys, held_out, labels, (*split.remarks, *unlearned))


def _without_labels(study: Study, labels: LabelSummary) -> Iterator[str]:
    for index in np.flatnonzero(labels.absent):
        name = study.annotators[index]
        yield f"{name} labeled none of the training cases, so {name}'s errors are not learned."
