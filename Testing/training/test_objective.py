"""What p is taught where labels are missing, on images small enough to see through."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from NoisyLabelSegLib.networks import Architecture, CoupledNetwork
from NoisyLabelSegLib.training import Settings
from NoisyLabelSegLib.training import objective as module
from NoisyLabelSegLib.training.guesses import LabelGuesses
from NoisyLabelSegLib.training.objective import Counts, Objective
from NoisyLabelSegLib.training.samples import Batch
from NoisyLabelSegLib.training.schedule import make_optimizer

ANNOTATORS, EDGE = 3, 8
NOBODY = torch.zeros(ANNOTATORS, 2, dtype=torch.bool)
SETTINGS = Settings(widths=(4, 8), learning_rate=1e-2)


def objective(settings: Settings = SETTINGS, silent: Tensor = NOBODY) -> Objective:
    torch.manual_seed(0)
    network = CoupledNetwork(Architecture(2, 1, 2, ANNOTATORS, widths=settings.widths))
    return Objective(network, settings, guesses=LabelGuesses(settings.widths[0], silent))


def batch(given: list[list[int]]) -> Batch:
    """Images, left half bright: annotator 0 marks that, 1 everything, 2 nothing; given: who labelled each."""
    image = torch.zeros(len(given), 1, EDGE, EDGE)
    image[..., : EDGE // 2] = 1
    labels = torch.full((len(given), ANNOTATORS, EDGE, EDGE), -1)
    for number, annotators in enumerate(given):
        for annotator in annotators:
            labels[number, annotator] = [image[number, 0].long(), torch.tensor(1), torch.tensor(0)][annotator]
    return Batch(image, labels, None, torch.full((len(given), EDGE, EDGE), -1))


def after(taught: Objective, lesson: Batch, steps: int, done: float = 1.0) -> Objective:
    optimizer = make_optimizer(taught, taught.network.annotator_head, SETTINGS)
    for _ in range(steps):
        optimizer.zero_grad()
        taught(lesson, done).loss.backward()
        optimizer.step()
    return taught


def test_guesses_tell_annotators_apart_who_never_labelled_the_same_image() -> None:
    lesson = batch([[0], [1], [2]])
    taught = after(objective(), lesson, 150)
    assert taught.guesses is not None
    guessed = taught.guesses(taught.network(lesson.images).features).argmax(dim=2)
    everyone = batch([[0, 1, 2]]).labels.flatten(2)
    assert (guessed == everyone).float().mean() > 0.95


def test_the_truth_of_single_labels_is_what_the_panel_would_agree_on() -> None:
    lesson = batch([[0], [1], [2], [1], [1], [1]])
    lesson.images[3:] *= 2  # the brighter images were left to the one who marks everything
    taught = after(objective(), lesson, 200).network(lesson.images).log_truth.argmax(dim=1)
    assert torch.equal(taught, (lesson.images > 0).flatten(1).long())
    alone = Objective(objective().network, SETTINGS.with_words(["trace=0"]))
    untaught = after(alone, lesson, 200).network(lesson.images).log_truth.argmax(dim=1)
    assert untaught[3:].float().mean() > 0.9


def test_who_labelled_nothing_has_no_voice_in_the_vote() -> None:
    everybody = LabelGuesses(4, NOBODY)
    without_the_last = LabelGuesses(4, NOBODY, absent=torch.tensor([False, False, True]))
    guessed, unknown = (
        torch.tensor([[0.1, 0.9], [0.1, 0.9], [1.0, 0.0]]).log()[None, :, :, None],
        torch.full((1, 3, 1), -1),
    )
    assert everybody.vote(guessed, unknown)[0, 1].item() == pytest.approx(0.6)
    assert without_the_last.vote(guessed, unknown)[0, 1].item() == pytest.approx(0.9)


def test_what_was_given_is_not_guessed() -> None:
    guessed, labels = torch.full((1, 3, 2, 2), 0.5).log(), torch.tensor([[[1, -1], [-1, -1], [0, 0]]])
    vote = LabelGuesses(4, NOBODY).vote(guessed, labels)
    torch.testing.assert_close(vote, torch.tensor([[[1.5, 2.0], [1.5, 1.0]]]) / 3)


def test_guesses_do_not_learn_from_the_truth_they_teach() -> None:
    taught = objective(SETTINGS.with_words(["completion=1000"]))
    other = objective(SETTINGS.with_words(["completion=0"]))
    lesson = batch([[0], [1]])
    gradients = []
    for one in (taught, other):
        one(lesson, 1.0).loss.backward()
        assert one.guesses is not None
        assert one.guesses.head.weight.grad is not None
        gradients.append(one.guesses.head.weight.grad)
    torch.testing.assert_close(*gradients)


def test_what_a_silent_annotator_calls_background_is_not_taken_as_given() -> None:
    silent = NOBODY.clone()
    silent[2, 1] = True
    lesson = batch([[2]])

    def loss(weight: int, who: Tensor) -> Tensor:
        terms = objective(SETTINGS.with_words([f"completion={weight}"]), who)(lesson, 0.0)
        return terms.loss  # type: ignore[no-any-return]

    torch.testing.assert_close(loss(0, silent), loss(100, silent))
    assert loss(100, NOBODY) > loss(0, NOBODY) + 1


@pytest.mark.parametrize("done", [0.0, 1.0])
@pytest.mark.parametrize("words", [[], ["likelihood=each", "hinge=1"], ["identity_warm_up=1"], ["target=majority"]])
def test_parts_of_a_batch_add_up_to_the_whole_where_some_images_have_one_label_and_some_several(
    words: list[str], done: float
) -> None:
    lesson = batch([[0], [1], [0, 1, 2], [2]])
    lesson.labels[1, 1, :3] = -1
    settings = SETTINGS.with_words(["overlap=0", *words])
    if settings.target == "majority":
        lesson = lesson._replace(
            target=torch.nn.functional.one_hot(lesson.images[:, 0].long(), 2).movedim(-1, 1).float()
        )

    def outcome(size: int) -> list[Tensor | None]:
        asked = objective(settings)
        parts = [asked(lesson.part(at, at + size), done, Counts.of(lesson)) for at in range(0, 4, size)]
        loss = torch.stack([terms.loss for terms in parts]).sum()
        loss.backward()
        likelihood = torch.stack([terms.likelihood for terms in parts]).sum()
        return [loss.detach(), likelihood, *(each.grad for each in asked.parameters() if each.grad is not None)]

    torch.testing.assert_close(outcome(1), outcome(4), rtol=1e-4, atol=1e-6)


def test_images_with_several_labels_are_taught_by_the_labels_and_not_by_guesses() -> None:
    lesson = batch([[0, 1, 2]])
    losses = [objective(SETTINGS.with_words([f"completion={weight}"]))(lesson, 1.0).loss for weight in (0, 100)]
    torch.testing.assert_close(*losses)


@pytest.mark.parametrize("kept", [0, 10**9], ids=["computed again", "kept"])
def test_pixels_in_parts_give_the_loss_and_the_gradients_of_all_at_once(
    kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = batch([[0], [0, 1, 2], [2]])
    lesson.labels[0, :, :3] = -1  # parts are of unequal weight

    def outcome() -> list[Tensor]:
        asked = objective(SETTINGS.with_words(["hinge=1"]))
        terms = asked(lesson, 1.0)
        terms.loss.backward()
        return [terms.loss.detach(), terms.likelihood, *(each.grad for each in asked.parameters())]

    whole = outcome()
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 200)
    monkeypatch.setattr(module, "ENTRIES_KEPT", kept)
    torch.testing.assert_close(outcome(), whole, rtol=1e-4, atol=1e-6)
