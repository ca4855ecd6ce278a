"""What p is trained on where labels are missing, on images small enough to check by hand."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.training import Settings
from NoisyLabelSegLib.training.loop import make_optimizer
from NoisyLabelSegLib.training.objectives import coupled
from NoisyLabelSegLib.training.objectives.base import Counts, Objective
from NoisyLabelSegLib.training.objectives.coupled import CoupledObjective
from NoisyLabelSegLib.training.objectives.fused import TargetObjective
from NoisyLabelSegLib.training.objectives.imputation import LabelImputation
from NoisyLabelSegLib.training.samples import Batch

ANNOTATORS, EDGE = 3, 8
NOBODY = torch.zeros(ANNOTATORS, 2, dtype=torch.bool)
SETTINGS = Settings(widths=(4, 8), learning_rate=1e-2)


def objective(settings: Settings = SETTINGS, unused: Tensor = NOBODY) -> CoupledObjective:
    torch.manual_seed(0)
    network = CoupledNetwork(Architecture(2, 1, 2, ANNOTATORS, widths=settings.widths))
    return CoupledObjective(network, settings, imputation=LabelImputation(settings.widths[0], unused))


def batch(given: list[list[int]]) -> Batch:
    """Images, left half bright: annotator 0 marks that, 1 everything, 2 nothing; given: who labeled each."""
    image = torch.zeros(len(given), 1, EDGE, EDGE)
    image[..., : EDGE // 2] = 1
    labels = torch.full((len(given), ANNOTATORS, EDGE, EDGE), -1)
    for number, annotators in enumerate(given):
        for annotator in annotators:
            labels[number, annotator] = [image[number, 0].long(), torch.tensor(1), torch.tensor(0)][annotator]
    return Batch(image, labels, None, torch.full((len(given), EDGE, EDGE), -1))


def after(trained: CoupledObjective, data: Batch, steps: int, done: float = 1.0) -> CoupledObjective:
    optimizer = make_optimizer(trained, trained.network.annotator_parameters(), SETTINGS)
    for _ in range(steps):
        optimizer.zero_grad()
        trained(data, done).loss.backward()
        optimizer.step()
    return trained


def test_imputation_distinguishes_annotators_who_never_labeled_the_same_image() -> None:
    data = batch([[0], [1], [2]])
    trained = after(objective(), data, 150)
    assert trained.imputation is not None
    imputed = trained.imputation(trained.network(data.images).features).argmax(dim=2)
    everyone = batch([[0, 1, 2]]).labels.flatten(2)
    assert (imputed == everyone).float().mean() > 0.95


def test_the_truth_of_single_labels_is_what_all_annotators_would_agree_on() -> None:
    data = batch([[0], [1], [2], [1], [1], [1]])
    data.images[3:] *= 2  # the brighter images were left to the one who marks everything
    trained = after(objective(), data, 200).network(data.images).log_truth.argmax(dim=1)
    assert torch.equal(trained, (data.images > 0).flatten(1).long())
    alone = CoupledObjective(objective().network, SETTINGS.with_words(["trace=0"]))
    without = after(alone, data, 200).network(data.images).log_truth.argmax(dim=1)
    assert without[3:].float().mean() > 0.9


def test_an_annotator_without_labels_has_no_weight_in_the_vote() -> None:
    everybody = LabelImputation(4, NOBODY)
    without_the_last = LabelImputation(4, NOBODY, absent=torch.tensor([False, False, True]))
    imputed, unknown = (
        torch.tensor([[0.1, 0.9], [0.1, 0.9], [1.0, 0.0]]).log()[None, :, :, None],
        torch.full((1, 3, 1), -1),
    )
    assert everybody.completed_vote(imputed, unknown)[0, 1].item() == pytest.approx(0.6)
    assert without_the_last.completed_vote(imputed, unknown)[0, 1].item() == pytest.approx(0.9)


def test_a_label_that_was_given_is_not_imputed() -> None:
    imputed, labels = torch.full((1, 3, 2, 2), 0.5).log(), torch.tensor([[[1, -1], [-1, -1], [0, 0]]])
    vote = LabelImputation(4, NOBODY).completed_vote(imputed, labels)
    torch.testing.assert_close(vote, torch.tensor([[[1.5, 2.0], [1.5, 1.0]]]) / 3)


def test_imputation_does_not_learn_from_the_truth_that_is_trained_on_it() -> None:
    weighted = objective(SETTINGS.with_words(["completion=1000"]))
    other = objective(SETTINGS.with_words(["completion=0"]))
    data = batch([[0], [1]])
    gradients = []
    for one in (weighted, other):
        one(data, 1.0).loss.backward()
        assert one.imputation is not None
        assert one.imputation.head.weight.grad is not None
        gradients.append(one.imputation.head.weight.grad)
    torch.testing.assert_close(*gradients)


def test_background_of_an_annotator_who_never_uses_a_class_is_masked_out() -> None:
    unused = NOBODY.clone()
    unused[2, 1] = True
    data = batch([[2]])

    def loss(weight: int, who: Tensor) -> Tensor:
        terms = objective(SETTINGS.with_words([f"completion={weight}"]), who)(data, 0.0)
        return terms.loss  # type: ignore[no-any-return]

    torch.testing.assert_close(loss(0, unused), loss(100, unused))
    assert loss(100, NOBODY) > loss(0, NOBODY) + 1


@pytest.mark.parametrize("done", [0.0, 1.0])
@pytest.mark.parametrize("words", [[], ["likelihood=each", "hinge=1"], ["identity_warm_up=1"], ["target=majority"]])
def test_parts_of_a_batch_add_up_to_the_whole_where_some_images_have_one_label_and_some_several(
    words: list[str], done: float
) -> None:
    data = batch([[0], [1], [0, 1, 2], [2]])
    data.labels[1, 1, :3] = -1
    settings = SETTINGS.with_words(["overlap=0", *words])
    if settings.target == "majority":
        data = data._replace(target=torch.nn.functional.one_hot(data.images[:, 0].long(), 2).movedim(-1, 1).float())

    def outcome(size: int) -> list[Tensor | None]:
        asked: Objective = objective(settings)
        if settings.target == "majority":
            asked = TargetObjective(asked.network, settings)
        parts = [asked(data.part(at, at + size), done, Counts.of(data)) for at in range(0, 4, size)]
        loss = torch.stack([terms.loss for terms in parts]).sum()
        loss.backward()
        likelihood = torch.stack([terms.likelihood for terms in parts]).sum()
        return [loss.detach(), likelihood, *(each.grad for each in asked.parameters() if each.grad is not None)]

    torch.testing.assert_close(outcome(1), outcome(4), rtol=1e-4, atol=1e-6)


def test_images_with_several_labels_are_trained_on_the_labels_and_not_on_imputed_ones() -> None:
    data = batch([[0, 1, 2]])
    losses = [objective(SETTINGS.with_words([f"completion={weight}"]))(data, 1.0).loss for weight in (0, 100)]
    torch.testing.assert_close(*losses)


@pytest.mark.parametrize("kept", [0, 10**9], ids=["computed again", "kept"])
def test_pixels_in_parts_give_the_loss_and_the_gradients_of_all_at_once(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = batch([[0], [0, 1, 2], [2]])
    data.labels[0, :, :3] = -1  # parts are of unequal weight

    def outcome() -> list[Tensor]:
        asked = objective(SETTINGS.with_words(["hinge=1"]))
        terms = asked(data, 1.0)
        terms.loss.backward()
        return [terms.loss.detach(), terms.likelihood, *(each.grad for each in asked.parameters())]

    whole = outcome()
    monkeypatch.setattr(coupled, "ENTRIES_AT_ONCE", 200)
    monkeypatch.setattr(coupled, "ENTRIES_KEPT", kept)
    torch.testing.assert_close(outcome(), whole, rtol=1e-4, atol=1e-6)
