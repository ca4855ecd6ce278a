"""Labels packed once, fused as often as you like: with another method, other options or other annotators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.methods import DEFAULT, method_named
from NoisyLabelSegLib.fusion.model import Solution
from NoisyLabelSegLib.fusion.packing import UNKNOWN, checked_labels, checked_masks, pack
from NoisyLabelSegLib.fusion.result import Fusion, remarks_on
from NoisyLabelSegLib.fusion.table import PlacedTable, RegisteredImages


class Votes:
    """Everyone's labels of one case as patterns of votes; the label arrays themselves are not kept.

    labels: (R, *shape) or a list of R arrays of whole numbers 0 to 255; None for an annotator without labels.
    classes: L; None takes the largest label plus one, at least 2.
    known: a (*shape) mask per annotator, True where the annotator looked; None for everywhere.
    names: what remarks call the annotators; None for "annotator 1" and so on.
    images: the scan and the annotations' own registered images, which methods of ATLAS_METHODS compare.
    """

    def __init__(
        self,
        labels: Any,
        *,
        classes: int | None = None,
        known: Sequence[Any] | None = None,
        names: Sequence[str] | None = None,
        images: RegisteredImages | None = None,
    ) -> None:
        checked = checked_labels(labels)
        self._images = images
        self._packed = pack(checked, checked_masks(known, checked))
        self.names = tuple(names or (f"annotator {index + 1}" for index in range(len(checked))))
        _require_images(images, self._packed.shape, len(checked))
        if len(self.names) != len(checked):
            raise UserError(f"There are {len(self.names)} names for {len(checked)} annotators")
        self.present = tuple(index for index, array in enumerate(checked) if array is not None)
        self.classes = _classes(classes, int(self.table.values[-1]))

    @cached_property
    def table(self) -> PlacedTable:
        """The votes that occur and their counts, which is all that most methods look at."""
        occurs = self._packed.counts > 0
        occurs[0] = True
        counts = self._packed.counts[occurs].astype(np.float64)
        row = np.maximum(np.cumsum(occurs) - 1, 0)
        return PlacedTable(self._packed.patterns[occurs], counts, self._packed, row, images=self._images)

    def fuse(self, method: str = DEFAULT, *, annotators: Sequence[int] | None = None, **options: Any) -> Fusion:
        """Fuses the votes of these annotators (all if None) by the method of this name."""
        table = self.among(annotators)
        return self._fusion(table, method_named(method).solve(table, options))

    def fused_as(self, found: Solution, *, annotators: Sequence[int] | None = None) -> Fusion:
        """The fusion of this case by a solution that was found elsewhere for the rows of `among(annotators)`."""
        return self._fusion(self.among(annotators), found, pooled=True)

    def counts_against(self, fusion: Fusion) -> NDArray[np.int64]:
        """(R, L, L + 1): voxels in which annotator r says i where a fusion of these votes decided for j.

        Exactly what counting in the label images gives. The last column holds voxels whose fused label is none of the L
        classes (those that a method left undecided); voxels that an annotator did not look at count for nobody.
        """
        decided = fusion.label_counts(self._packed)
        by_class = np.column_stack([decided[:, : self.classes], decided[:, self.classes :].sum(axis=1)])
        counts = np.zeros((len(self.names), self.classes, self.classes + 1), dtype=np.int64)
        for annotator, said in zip(counts, self._packed.patterns.T, strict=True):
            looked = (said != UNKNOWN) & (self._packed.counts > 0)
            np.add.at(annotator, said[looked], by_class[looked])
        return counts

    def marked(self) -> NDArray[np.bool_]:
        """(*shape): where anybody marked anything."""
        return self._packed.spread(np.asarray((self._packed.patterns > 0).any(axis=1)))

    def _fusion(self, table: PlacedTable, found: Solution, *, pooled: bool = False) -> Fusion:
        return Fusion(table, found, self.classes, remarks_on(table, self.names, self.classes, pooled=pooled))

    def among(self, annotators: Sequence[int] | None) -> PlacedTable:
        """The table as if only these annotators (all if None) had looked."""
        if annotators is None:
            return self.table
        chosen = set(annotators)
        if not chosen <= set(range(len(self.names))) or not chosen & set(self.present):
            raise UserError("None of the chosen annotators labeled this case", remedy="choose at least one who did")
        return self.table.without(set(range(len(self.names))) - chosen)


def fuse(labels: Any, method: str = DEFAULT, classes: int | None = None, **options: Any) -> Fusion:
    """Fuses several annotators' labels into one estimate of the truth.

    Parameters
    ----------
    labels
        (R, *shape), or a list of R arrays (*shape), of whole numbers 0 to 255; None in the list for an annotator who
        did not label this case. 255 is a class like any other.
    method
        A name of METHODS.
    classes
        The number of classes L; None for the largest label plus one, at least 2.
    **options
        `known` (masks (*shape) of where each annotator looked), `names` (of the annotators, for remarks), `annotators`
        (the indices of those to use), `images` (RegisteredImages, for STEPS and non-local STAPLE), and the options of
        the method, as in docs/fusion.md.

    Returns
    -------
    Fusion
        `labels` (*shape) uint8, `probabilities` (L, *shape) float32, `confusion` (R, L, L) with entry i, j =
        p(label i | true class j), and `remarks` in sentences.

    Raises
    ------
    UserError
        If the arrays differ in shape, a label is not a whole number from 0 to L - 1, or there is no such method.

    Examples
    --------
    >>> fusion = fuse([[0, 1, 1], [0, 1, 0], [1, 1, 0]], method="majority")
    >>> fusion.labels.tolist()
    [0, 1, 0]
    """
    given = {name: options.pop(name, None) for name in ("known", "names", "images")}
    votes = Votes(labels, classes=classes, **given)
    return votes.fuse(method, **options)


def _require_images(images: RegisteredImages | None, shape: tuple[int, ...], annotators: int) -> None:
    if images is None:
        return
    if len(images.own) != annotators:
        raise UserError(f"There are {len(images.own)} registered images for {annotators} annotators")
    for image in (images.scan, *images.own):
        if image is not None and image.shape != shape:
            raise UserError("A registered image and the labels have different sizes", remedy="resample it first")


def _classes(classes: int | None, largest: int) -> int:
    if classes is None:
        return max(largest + 1, 2)
    if not isinstance(classes, int | np.integer) or not 2 <= classes <= 256:
        raise UserError(f"{classes} classes cannot be fused", remedy="give 2 to 256, background included")
    if largest >= classes:
        raise UserError(
            f"There is a label {largest}, but only {classes} classes (0 to {classes - 1})",
            remedy="give more classes or correct the labels",
        )
    return int(classes)
