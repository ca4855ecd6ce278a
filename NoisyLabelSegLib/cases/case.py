"""One scan and what the annotators drew on it; nothing is read before it is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.files import read_geometry, read_image, read_labels
from NoisyLabelSegLib.cases.geometry import Geometry, Image
from NoisyLabelSegLib.errors import UserError

Source = Path | Image
"""A file that is read when needed, or an image that is in memory already (from a Slicer scene, say)."""

Labels = NDArray[np.uint8]


@dataclass(frozen=True)
class Annotation:
    """One annotator's labels of one case, and when they were drawn (ISO date) if that is known.

    `image` is the annotation's own image, registered to that of the case, as the atlases of a multi-atlas study have.
    `extra` keeps the file's other keys, among them `started` (ISO date and time) and `seconds` of work.
    """

    source: Source
    date: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    image: Source | None = None


@dataclass(frozen=True)
class Case:
    """An image of one or more channels, any annotators' labels, and the truth where it is known.

    `classes` is the number of classes L; labels at or above it are refused. None (loose files) allows 0 to 255.
    `off_grid` is the advice about a file that is not on the grid of the case. `patient` is whose scan it is: several
    cases may be of one patient. `repeats` are later readings of the case by annotators who labeled it already.
    `provenance` says how the truth came about: `method`, `annotators`, `edited`, `signed_off_by`, `date`, `curated`.

    Examples
    --------
    >>> case = simulate("lesions", "lesions", cases=3, size=(40, 40, 6)).cases[0]
    >>> case.image().shape, case.labels("good").shape
    ((1, 6, 40, 40), (6, 40, 40))
    >>> case.geometry.spacing
    (4.4, 4.4, 16.0)
    """

    id: str
    images: tuple[Source, ...] = ()
    annotations: Mapping[str, Annotation] = field(default_factory=dict)
    truth_source: Source | None = None
    split: str | None = None
    classes: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    off_grid: str = "resample it onto the image first (noisylabelseg import folder --resample)"
    patient: str | None = None
    repeats: Mapping[str, tuple[Annotation, ...]] = field(default_factory=dict)
    provenance: Mapping[str, Any] = field(default_factory=dict)

    @property
    def curated(self) -> bool:
        """Whether the truth is marked as curated: training may take it for the true labels."""
        return self.truth_source is not None and self.provenance.get("curated") is True

    def sources(self) -> Iterator[Source]:
        """Everything the case is made of: images, then annotations, then repeated readings, then the truth."""
        yield from self.images
        for annotation in (*self.annotations.values(), *(item for items in self.repeats.values() for item in items)):
            yield annotation.source
            if annotation.image is not None:
                yield annotation.image
        if self.truth_source is not None:
            yield self.truth_source

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of those who labeled this case."""
        return tuple(self.annotations)

    @cached_property
    def geometry(self) -> Geometry:
        """The grid of the first image, or of the first labels where there is no image; reads a header only."""
        first = next(iter(self.sources()), None)
        if first is None:
            raise UserError(f"Case {self.id} has neither an image nor labels")
        return first.geometry if isinstance(first, Image) else read_geometry(first)

    def image(self) -> NDArray[np.float32]:
        """All channels, (C, *shape) float32; files with several components give several channels."""
        if not self.images:
            raise UserError(f"Case {self.id} has no image")
        channels = [self._on_grid(source, read_image).channels for source in self.images]
        return np.concatenate(channels).astype(np.float32, copy=False)

    def first_channel(self) -> NDArray[Any]:
        """The first channel, (*shape), with the file's own number type: a fraction of the memory of `image`."""
        if not self.images:
            raise UserError(f"Case {self.id} has no image")
        channel: NDArray[Any] = self._on_grid(self.images[0], read_image).channels[0]
        return channel

    def labels(self, annotator: str) -> Labels | None:
        """This annotator's labels, (*shape) uint8, or None where the annotator did not label this case."""
        annotation = self.annotations.get(annotator)
        return None if annotation is None else self._labels(annotation.source)

    def all_labels(self, annotators: Sequence[str]) -> list[Labels | None]:
        """The labels of these annotators in this order, None for those who did not label this case."""
        return [self.labels(annotator) for annotator in annotators]

    def registered_images(self, annotators: Sequence[str]) -> list[NDArray[Any] | None]:
        """The first channel of each annotator's own image, None for those who have none."""
        own = [self.annotations[name].image if name in self.annotations else None for name in annotators]
        return [None if source is None else self._on_grid(source, read_image).channels[0] for source in own]

    def readings(self, annotator: str) -> list[Labels]:
        """All readings of the case by this annotator: the annotation first, then the repeats."""
        first = self.annotations.get(annotator)
        every = [*([] if first is None else [first]), *self.repeats.get(annotator, ())]
        return [self._labels(annotation.source) for annotation in every]

    def truth(self) -> Labels | None:
        """The known truth, (*shape) uint8, or None."""
        return None if self.truth_source is None else self._labels(self.truth_source)

    def _labels(self, source: Source) -> Labels:
        labels: Labels = self._on_grid(source, read_labels).array
        if self.classes is not None and labels.size and int(labels.max()) >= self.classes:
            raise UserError(
                f"has label {int(labels.max())}, but the study names {self.classes} classes (0 to {self.classes - 1})",
                file=source if isinstance(source, Path) else None,
                remedy="add the class to the study or correct the labels",
            )
        return labels

    def _on_grid(self, source: Source, read: Any) -> Image:
        image: Image = source if isinstance(source, Image) else read(source)
        self.require_grid(image.geometry, source if isinstance(source, Path) else None)
        return image

    def require_grid(self, geometry: Geometry, file: Path | None = None) -> None:
        """Refuses an image that is not on the grid of the case."""
        self.geometry.require_same(geometry, f"case {self.id}", file=file, remedy=self.off_grid)
