"""Prediction in pieces equals prediction at once."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from NoisyLabelSegLib.inference import Predictor, predictor
from NoisyLabelSegLib.networks import Architecture, CoupledNetwork, coupled


def a_network(dimensions: int = 2, **arguments: object) -> CoupledNetwork:
    torch.manual_seed(1)
    network = CoupledNetwork(Architecture(dimensions, 1, 3, 2, widths=(4, 8), **arguments))  # type: ignore[arg-type]
    assert network.annotator_head is not None
    for parameter in network.annotator_head.parameters():
        torch.nn.init.normal_(parameter)
    return network


def an_image(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(1, *shape)).astype(np.float32)


def gathered(predictor: Predictor, image: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    pieces = list(predictor.pieces(image, labels=True, confusion=True))
    assert [piece.where.start for piece in pieces[1:]] == [piece.where.stop for piece in pieces[:-1]]
    truth = np.concatenate([piece.truth for piece in pieces], axis=1)
    labels = np.concatenate([piece.labels for piece in pieces], axis=1)  # type: ignore[misc]
    confusion = np.concatenate([piece.confusion for piece in pieces], axis=3)  # type: ignore[misc]
    return truth, labels, confusion


@pytest.mark.parametrize("confusion", ["pixel", "low-rank", "global"])
def test_a_prediction_is_what_the_network_says_slice_by_slice(confusion: str) -> None:
    network, image = a_network(confusion=confusion), an_image(3, 8, 12)
    truth, labels, matrices = gathered(Predictor(network), image)
    assert truth.shape == (3, 3, 8, 12)
    assert matrices.shape == (2, 3, 3, 3, 8, 12)
    for number in range(3):
        with torch.no_grad():
            prediction = network(torch.from_numpy(image[None, :, number]))
            p = prediction.log_truth.exp()[0].numpy()
            a = network.confusion(prediction.features).matrices().exp()[0].numpy()
        np.testing.assert_allclose(truth[:, number].reshape(3, -1), p, atol=1e-5)
        np.testing.assert_allclose(matrices[:, :, :, number].reshape(2, 3, 3, -1), a, atol=1e-5)
        said = np.einsum("rijx,jx->rix", a, p).argmax(axis=1)
        np.testing.assert_array_equal(labels[:, number].reshape(2, -1), said)


@pytest.mark.parametrize("size", [1, 100, 250])
def test_the_size_of_a_batch_changes_nothing(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    network, image = a_network(), an_image(5, 8, 12)
    whole = gathered(Predictor(network), image)
    monkeypatch.setattr(predictor, "PIXELS_AT_ONCE", size)
    monkeypatch.setattr(coupled, "MATRIX_ENTRIES_AT_ONCE", size * 10)
    for one, other in zip(whole, gathered(Predictor(network), image), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("size", [1, 300, 2000])
def test_however_many_tiles_make_a_batch_the_answer_is_the_same(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    network, image = a_network(), an_image(3, 20, 17)
    whole = gathered(Predictor(network, patch=8), image)
    monkeypatch.setattr(predictor, "PIXELS_AT_ONCE", size)
    for one, other in zip(whole, gathered(Predictor(network, patch=8), image), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


def test_no_pass_of_the_network_and_no_piece_is_larger_than_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    network, passed = a_network(), []
    monkeypatch.setattr(predictor, "PIXELS_AT_ONCE", 1000)
    network.register_forward_hook(lambda _network, images, _answer: passed.append(images[0][:, 0].numel()))
    pieces = list(Predictor(network, patch=8).pieces(an_image(9, 20, 20), labels=True))
    assert max(passed) <= 1000
    assert max(piece.truth[0].size for piece in pieces) <= 1000


@pytest.mark.parametrize("dimensions", [2, 3])
def test_tiles_give_probabilities_that_sum_to_one(dimensions: int) -> None:
    network, image = a_network(dimensions), an_image(20, 24, 17)
    truth, _, matrices = gathered(Predictor(network, patch=16), image)
    np.testing.assert_allclose(truth.sum(axis=0), 1, atol=1e-5)
    np.testing.assert_allclose(matrices.sum(axis=1), 1, atol=1e-5)


def test_mirrored_images_get_mirrored_answers_when_flips_are_averaged() -> None:
    network, image = a_network(), an_image(1, 16, 16)
    plain = gathered(Predictor(network, flips=True), image)
    mirrored = gathered(Predictor(network, flips=True), np.ascontiguousarray(image[..., ::-1]))
    np.testing.assert_allclose(plain[0], mirrored[0][..., ::-1], atol=1e-5)
    np.testing.assert_allclose(plain[2], mirrored[2][..., ::-1], atol=1e-5)


def test_the_truth_alone_does_not_touch_the_annotators_part(monkeypatch: pytest.MonkeyPatch) -> None:
    network = a_network()
    monkeypatch.setattr(CoupledNetwork, "confusion", None)
    (piece,) = Predictor(network).pieces(an_image(1, 8, 8))
    assert piece.labels is None
    assert piece.confusion is None
