"""The losses against a reference written as plain loops over images, annotators, classes and pixels."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch import Tensor

from NoisyLabelSegLib.networks import losses
from NoisyLabelSegLib.networks.confusion import Confusion, GlobalConfusion, LowRankConfusion, PixelConfusion

IMAGES, PIXELS = 2, 5
SIZES = [(2, 1), (2, 4), (2, 8), (3, 3), (4, 5), (6, 2)]


def softmax(values: list[Tensor]) -> list[Tensor]:
    total = sum((value.exp() for value in values), torch.zeros((), dtype=torch.float64))
    return [value.exp() / total for value in values]


def pixel_matrix(logits: Tensor, b: int, r: int, x: int) -> list[list[Tensor]]:
    """a[i][j] of one annotator at one pixel, from logits (B, R, L, L, P)."""
    classes = logits.shape[2]
    columns = [softmax([logits[b, r, i, j, x] for i in range(classes)]) for j in range(classes)]
    return [[columns[j][i] for j in range(classes)] for i in range(classes)]


def low_rank_matrix(profiles: Tensor, weights: Tensor, b: int, r: int, x: int) -> list[list[Tensor]]:
    """The columns of I + B1 B2^T, normalized; B1 is softmaxed over its rows, B2 is exp of the weights."""
    classes, rank = profiles.shape[2:4]
    said = [softmax([profiles[b, r, i, k, x] for i in range(classes)]) for k in range(rank)]
    matrix = [[torch.zeros((), dtype=torch.float64) for _ in range(classes)] for _ in range(classes)]
    for i, j in itertools.product(range(classes), repeat=2):
        matrix[i][j] = float(i == j) + sum(
            (said[k][i] * weights[b, r, j, k, x].exp() for k in range(rank)), torch.zeros((), dtype=torch.float64)
        )
    for j in range(classes):
        total = sum((matrix[i][j] for i in range(classes)), torch.zeros((), dtype=torch.float64))
        for i in range(classes):
            matrix[i][j] = matrix[i][j] / total
    return matrix


class Example:
    """Random logits of one kind, labels with gaps, and the matrices of every pixel by loops."""

    def __init__(self, kind: str, classes: int, annotators: int) -> None:
        maker = torch.Generator().manual_seed(100 * classes + annotators)

        def normal(*shape: int) -> Tensor:
            return torch.randn(*shape, generator=maker, dtype=torch.float64).requires_grad_()

        self.classes, self.annotators = classes, annotators
        self.truth_logits = normal(IMAGES, classes, PIXELS)
        self.labels = torch.randint(-1, classes, (IMAGES, annotators, PIXELS), generator=maker)
        self.labels[0, 0] = -1  # an annotator who did not label an image at all
        self.labels[0, -1, 0] = 0
        rank = min(2, classes)
        shapes = {
            "pixel": [(IMAGES, annotators, classes, classes, PIXELS)],
            "low-rank": [(IMAGES, annotators, classes, rank, PIXELS)] * 2,
            "global": [(annotators, classes, classes)],
        }
        self.numbers = [normal(*shape) for shape in shapes[kind]]
        self.kind = kind
        self._matrices: dict[tuple[int, int, int], list[list[Tensor]]] = {}

    @property
    def leaves(self) -> list[Tensor]:
        return [self.truth_logits, *self.numbers]

    def confusion(self) -> Confusion:
        if self.kind == "pixel":
            return PixelConfusion(self.numbers[0])
        if self.kind == "low-rank":
            return LowRankConfusion(*self.numbers)
        return GlobalConfusion(self.numbers[0], IMAGES, PIXELS)

    def matrix(self, b: int, r: int, x: int) -> list[list[Tensor]]:
        if (b, r, x) not in self._matrices:
            self._matrices[b, r, x] = self._made(b, r, x)
        return self._matrices[b, r, x]

    def _made(self, b: int, r: int, x: int) -> list[list[Tensor]]:
        if self.kind == "low-rank":
            return low_rank_matrix(self.numbers[0], self.numbers[1], b, r, x)
        logits = self.numbers[0]
        if self.kind == "global":
            logits = logits[None, ..., None].expand(IMAGES, -1, -1, -1, PIXELS)
        return pixel_matrix(logits, b, r, x)

    def truth(self, b: int, x: int) -> list[Tensor]:
        return softmax([self.truth_logits[b, j, x] for j in range(self.classes)])

    def labeled(self) -> list[tuple[int, int, int]]:
        places = itertools.product(range(IMAGES), range(self.annotators), range(PIXELS))
        return [(b, r, x) for b, r, x in places if self.labels[b, r, x] >= 0]


def by_loops(example: Example, name: str) -> Tensor:
    total = torch.zeros((), dtype=torch.float64)
    labeled = example.labeled()
    classes = range(example.classes)
    if name == "each":
        for b, r, x in labeled:
            matrix, truth = example.matrix(b, r, x), example.truth(b, x)
            total = total - sum((matrix[int(example.labels[b, r, x])][j] * truth[j] for j in classes), total * 0).log()
        return total / len(labeled)
    if name == "joint":
        for b, x in itertools.product(range(IMAGES), range(PIXELS)):
            likelihood = total * 0
            for j in classes:
                term = example.truth(b, x)[j]
                for r in range(example.annotators):
                    if example.labels[b, r, x] >= 0:
                        term = term * example.matrix(b, r, x)[int(example.labels[b, r, x])][j]
                likelihood = likelihood + term
            total = total - likelihood.log()
        return total / len(labeled)
    if name == "trace":
        for b, r, x in labeled:
            matrix = example.matrix(b, r, x)
            total = total + sum((matrix[j][j] for j in classes), total * 0)
        return total / len(labeled)
    seen = sorted({(b, x) for b, _, x in labeled})
    for b, x in seen:
        matrices = [example.matrix(b, r, x) for r in range(example.annotators)]
        for i, j in itertools.permutations(classes, 2):
            mean = [sum((m[i][k] for m in matrices), total * 0) / len(matrices) for k in classes]
            total = total + torch.relu(mean[j] + 0.3 - mean[i])
    return total / (len(seen) * example.classes)


def ours(example: Example, name: str) -> Tensor:
    confusion = example.confusion()
    log_truth = example.truth_logits.float().log_softmax(dim=1)
    known = example.labels >= 0
    if name == "trace":
        return losses.trace(confusion.diagonal(), known)
    if name == "hinge":
        return losses.dominance_hinge(confusion.matrices(), 0.3, known.any(dim=1))
    rows = confusion.rows(example.labels.clamp(min=0))
    likelihood = losses.annotator_likelihood if name == "each" else losses.joint_likelihood
    return likelihood(rows, log_truth, known)


@pytest.mark.parametrize("name", ["each", "joint", "trace", "hinge"])
@pytest.mark.parametrize("kind", ["pixel", "low-rank", "global"])
@pytest.mark.parametrize(("classes", "annotators"), SIZES)
def test_a_loss_and_its_gradient_equal_those_of_plain_loops(
    kind: str, classes: int, annotators: int, name: str
) -> None:
    example = Example(kind, classes, annotators)
    expected = by_loops(example, name)
    expected_gradients = torch.autograd.grad(expected, example.leaves, allow_unused=True)
    found = ours(example, name)
    gradients = torch.autograd.grad(found, example.leaves, allow_unused=True)
    assert found.item() == pytest.approx(expected.item(), abs=1e-6)
    for expected_gradient, gradient in zip(expected_gradients, gradients, strict=True):
        assert (expected_gradient is None) == (gradient is None)
        if gradient is not None and expected_gradient is not None:
            torch.testing.assert_close(gradient.double(), expected_gradient, atol=1e-6, rtol=1e-4)


@pytest.mark.parametrize("kind", ["pixel", "low-rank", "global"])
def test_columns_sum_to_one_and_rows_and_diagonals_are_parts_of_the_matrices(kind: str) -> None:
    example = Example(kind, classes=4, annotators=3)
    confusion = example.confusion()
    matrices = confusion.matrices()
    torch.testing.assert_close(matrices.exp().sum(dim=2), torch.ones(IMAGES, 3, 4, PIXELS))
    torch.testing.assert_close(confusion.diagonal(), torch.diagonal(matrices, dim1=2, dim2=3).movedim(-1, 2))
    for label in range(4):
        rows = confusion.rows(torch.full((IMAGES, 3, PIXELS), label))
        torch.testing.assert_close(rows, matrices[:, :, label])


@pytest.mark.parametrize("extreme", [50.0, 1e4])
@pytest.mark.parametrize("name", ["each", "joint", "trace", "hinge"])
@pytest.mark.parametrize("kind", ["pixel", "low-rank", "global"])
@pytest.mark.parametrize("type_", [torch.float32, torch.bfloat16, torch.float16])
def test_gradients_are_finite_where_probabilities_are_zero_or_one(
    kind: str, name: str, extreme: float, type_: torch.dtype
) -> None:
    example = Example(kind, classes=3, annotators=2)
    with torch.no_grad():
        for leaf in example.leaves:
            leaf.copy_(leaf.sign() * extreme)
    example.truth_logits = example.truth_logits.detach().to(type_).requires_grad_()
    example.numbers = [numbers.detach().to(type_).requires_grad_() for numbers in example.numbers]
    loss = ours(example, name)
    gradients = torch.autograd.grad(loss, example.leaves, allow_unused=True)
    assert math.isfinite(loss.item())
    assert all(gradient is None or torch.isfinite(gradient).all() for gradient in gradients)


def test_a_missing_annotator_changes_nothing() -> None:
    example = Example("pixel", classes=3, annotators=2)
    example.labels[:, 1] = -1
    alone = Example("pixel", classes=3, annotators=2)
    alone.numbers = [example.numbers[0][:, :1].detach()]
    alone.labels, alone.truth_logits = example.labels[:, :1], example.truth_logits
    for name in ("each", "joint", "trace"):
        torch.testing.assert_close(ours(example, name), ours(alone, name))


def test_the_weighted_vote_is_the_share_of_the_weights_of_those_who_labeled() -> None:
    labels = torch.tensor([[[1, 2, 0], [0, 2, -1], [0, -1, -1]]])
    vote = losses.reliability_weighted_vote(labels, torch.tensor([6.0, 2.0, 1.0]), classes=3)
    expected = torch.tensor([[[3 / 9, 0, 1], [6 / 9, 0, 0], [0, 1, 0]]])
    torch.testing.assert_close(vote, expected)


def test_a_sharpened_vote_keeps_ties_and_the_absence_of_votes() -> None:
    vote = torch.tensor([[[0.75, 0.5, 0.0], [0.25, 0.5, 0.0]]])
    torch.testing.assert_close(losses.sharpened(vote, 2), torch.tensor([[[0.9, 0.5, 0.0], [0.1, 0.5, 0.0]]]))


def test_where_nobody_labeled_there_is_no_vote() -> None:
    assert not losses.reliability_weighted_vote(torch.full((1, 2, 3), -1), torch.ones(2), classes=2).any()


def test_a_batch_without_labels_costs_nothing() -> None:
    example = Example("pixel", classes=2, annotators=2)
    example.labels[:] = -1
    assert ours(example, "each").item() == 0
    assert ours(example, "joint").item() == 0


def test_the_dice_loss_is_one_minus_dice_of_the_classes_but_background() -> None:
    labels = torch.tensor([[0, 1, 1, 2, -1]])
    said = torch.tensor([[0, 1, 0, 2, 2]])
    certain = torch.nn.functional.one_hot(said, 3).movedim(-1, 1).float()
    # One of two pixels of class 1 is found; class 2 is right where it is known. Each sum is widened by 1.
    expected = ((1 - (2 * 1 + 1) / (1 + 2 + 1)) + (1 - (2 * 1 + 1) / (1 + 1 + 1))) / 2
    torch.testing.assert_close(losses.dice_loss(certain.clamp(min=1e-9).log(), labels), torch.tensor(expected))


def test_the_soft_dice_loss_is_least_where_the_probabilities_are_the_target() -> None:
    target = torch.tensor([[[0.75, 0.4, 0.0], [0.25, 0.6, 0.0]]])
    known = torch.tensor([[True, True, False]])
    start = torch.tensor([[[0.5, 0.2, 0.1], [0.5, 0.8, 0.9]]]).log()
    assert losses.soft_dice_loss(start, target, known) > 0.01
    at_the_target = target.clamp(min=1e-9).log().requires_grad_()
    loss = losses.soft_dice_loss(at_the_target, target, known)
    torch.testing.assert_close(loss, torch.tensor(0.0))
    loss.backward()
    torch.testing.assert_close(at_the_target.grad, torch.zeros_like(target))


def test_the_soft_dice_loss_to_one_hot_labels_is_the_dice_loss() -> None:
    labels = torch.tensor([[0, 1, 1, 2, -1]])
    known, log_p = labels >= 0, torch.randn(1, 3, 5, generator=torch.Generator().manual_seed(0)).log_softmax(dim=1)
    target = torch.nn.functional.one_hot(labels.clamp(min=0), 3).movedim(-1, 1) * known[:, None].float()
    torch.testing.assert_close(losses.soft_dice_loss(log_p, target, known), losses.dice_loss(log_p, labels))


def test_the_dice_loss_has_a_gradient_for_a_class_of_a_single_pixel() -> None:
    logits = torch.zeros(1, 2, 1000, requires_grad=True)
    labels = torch.zeros(1, 1000, dtype=torch.long)
    labels[0, 0] = 1
    losses.dice_loss(logits.log_softmax(dim=1), labels).backward()
    assert logits.grad is not None
    lone, others = logits.grad[0, 1, 0], logits.grad[0, 1, 1:]
    assert lone < 0 < others.min(), "the pixel moves to its class, all others away from it"
    assert -lone > 100 * others.max()
