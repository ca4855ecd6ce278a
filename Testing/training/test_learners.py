"""A kind of network with its objective is one registration: a toy one is trained and predicts without other edits."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from NoisyLabelSegLib.cases import Study, read_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference import PredictionOutputs, predict_cases
from NoisyLabelSegLib.networks import Architecture, SegmentationNetwork, build_network, register_network
from NoisyLabelSegLib.networks.losses import label_cross_entropy
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.networks.registry import NETWORKS, Probabilities
from NoisyLabelSegLib.training import Settings, register_learner, train_study
from NoisyLabelSegLib.training.learners import LEARNERS, load_learner
from NoisyLabelSegLib.training.objectives.base import Counts, Learner, Objective, Terms, agreement_counts
from NoisyLabelSegLib.training.reliability import LabelSummary
from NoisyLabelSegLib.training.samples import Batch

MakeStudy = Callable[..., Study]
TINY = Settings(widths=(4,), epochs=2, batch=3, device="cpu", learning_rate=1e-2, restarts=0)


class OneHeadEach(SegmentationNetwork):
    """A 1x1 convolution to one segmentation per annotator; the truth is their mean."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__(architecture)
        self.heads = nn.Conv2d(architecture.channels, architecture.annotators * architecture.classes, 1)
        nn.init.normal_(self.heads.weight, std=float(architecture.network_arguments["spread"]))

    def forward(self, images: Tensor) -> Tensor:
        """Log probabilities of every annotator's label, (B, R, L, H, W)."""
        shape = (self.architecture.annotators, self.architecture.classes)
        logits: Tensor = self.heads(images).unflatten(1, shape)
        return logits.log_softmax(dim=2)

    @property
    def predicts_annotators(self) -> bool:
        return True

    def predict(self, images: Tensor, *, annotators: bool = False) -> Probabilities:
        each = self(images).exp()
        columns = each[:, :, :, None].repeat(1, 1, 1, self.architecture.classes, 1, 1)
        return Probabilities(each.mean(dim=1), columns if annotators else None)


class OneHeadEachObjective(Objective):
    def forward(self, batch: Batch, done: float, whole: Counts | None = None) -> Terms:
        assert 0 <= done <= 1
        log_each, labels = self.network(batch.images).flatten(3), batch.labels.flatten(2)
        share = (labels >= 0).sum() / (whole or Counts.of(batch)).labels
        loss = share * label_cross_entropy(log_each.flatten(0, 1), labels.flatten(0, 1))
        return Terms(loss, loss.detach(), agreement_counts(labels, log_each.exp().mean(dim=1).log()))


class OneHeadEachLearner(Learner):
    learns_annotators = True

    def architecture(self, settings: Settings, *, channels: int, classes: int, annotators: int) -> Architecture:
        plain = super().architecture(settings, channels=channels, classes=classes, annotators=annotators)
        return replace(plain, network="toy", network_arguments={"spread": 0.1})

    def objective(self, network: SegmentationNetwork, settings: Settings, labels: LabelSummary) -> Objective:
        assert labels.weights.shape == (network.architecture.annotators,)
        return OneHeadEachObjective(network, settings)


@pytest.fixture
def toy() -> Iterator[str]:
    """The name of a learner that is registered while a test runs."""
    register_network("toy", OneHeadEach)
    register_learner("toy", OneHeadEachLearner)
    yield "toy"
    del NETWORKS["toy"], LEARNERS["toy"]


def test_a_registered_learner_is_trained_packed_and_used_for_prediction(
    toy: str, make_disk_study: MakeStudy, tmp_path: Path
) -> None:
    study = make_disk_study(cases=3)
    settings = TINY.with_words([f"target={toy}"])
    assert settings.problems() == []
    package = train_study(study, tmp_path / "run", settings).package
    network, card = load_package(package)
    assert isinstance(network, OneHeadEach)
    assert card.to_json()["architecture"]["network"] == toy
    predict_cases(
        package, study.cases[:1], tmp_path / "out", outputs=PredictionOutputs(annotators=True, confusion=True)
    )
    folder = tmp_path / "out" / study.cases[0].id
    assert read_image(folder / "truth.nrrd").array.shape == (16, 16)
    assert {path.name for path in folder.iterdir()} >= {f"annotator_{name}.nrrd" for name in study.annotators}


def test_a_registered_learner_resumes_to_the_same_weights(toy: str, make_disk_study: MakeStudy, tmp_path: Path) -> None:
    study, settings = make_disk_study(cases=3), replace(TINY, target=toy, epochs=4)
    whole = train_study(study, tmp_path / "whole", settings).package

    class Stop(Exception):
        pass

    def stop_after_two(progress: object) -> None:
        if getattr(progress, "stage", "") == "train" and getattr(progress, "done", 0) == 2:
            raise Stop

    with pytest.raises(Stop):
        train_study(study, tmp_path / "run", settings, report=stop_after_two)
    resumed = train_study(study, tmp_path / "run", settings, resume=True).package
    for first, second in zip(*(load_package(package)[0].parameters() for package in (whole, resumed)), strict=True):
        assert torch.equal(first, second)


def test_a_name_is_registered_once(toy: str) -> None:
    with pytest.raises(ValueError, match="'toy' already"):
        register_learner(toy, OneHeadEachLearner)
    with pytest.raises(ValueError, match="'toy' already"):
        register_network(toy, OneHeadEach)


def test_a_network_that_is_not_registered_is_refused_by_name() -> None:
    with pytest.raises(UserError, match="no network 'later'"):
        build_network(Architecture(2, 1, 2, 2, network="later"))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_says_what_it_needs_and_builds_its_objective(name: str) -> None:
    learner, settings = load_learner(name), replace(TINY, target=name)
    architecture = learner.architecture(settings, channels=1, classes=2, annotators=3)
    labels = LabelSummary(np.zeros((3, 2), bool), np.zeros(3, bool), np.ones(3, np.float32), has_single_labels=True)
    network = learner.network(architecture, labels)
    assert network.predicts_annotators == learner.learns_annotators
    assert learner.needs_labels or learner.needs_truth
    assert learner.objective(network, settings, labels).network is network


def test_the_oracle_of_the_matrices_is_chosen_by_either_setting() -> None:
    assert Settings(confusion="oracle-cm").learner == Settings(target="oracle-cm").learner == "oracle-cm"
    assert Settings(target="majority", confusion="oracle-cm").learner == "majority"


def test_settings_and_their_choices_are_known_without_torch() -> None:
    code = "import sys; from NoisyLabelSegLib.training import settings as s; s.preset('default'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"torch", "numpy", "SimpleITK"} & set(loaded)
