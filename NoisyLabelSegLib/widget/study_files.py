"""Cases of the scene as files: what a worker in another process can read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, write_image
from NoisyLabelSegLib.cases.case import Source
from NoisyLabelSegLib.errors import UserError


def writeImages(case: Case, folder: Path) -> list[Path]:
    """The channels of a case; an image that is a file already is used where it is."""
    return [_written(source, folder / f"image_{place}.nrrd") for place, source in enumerate(case.images)]


def writeStudy(cases: Iterable[Case], folder: Path, *, name: str, classes: Sequence[str]) -> Path:
    """A study of cases that are in memory; returns the path of its study.json."""
    written = []
    for case in cases:
        place = folder / case.id
        annotations = {
            annotator: Annotation(_written(annotation.source, place / f"annotator_{index}.nrrd"), annotation.date)
            for index, (annotator, annotation) in enumerate(case.annotations.items())
        }
        written.append(
            replace(case, images=tuple(writeImages(case, place)), annotations=annotations, truth_source=None)
        )
    if not written:
        raise UserError("There is no case to learn from", remedy="open a case with annotators first")
    annotators = tuple(dict.fromkeys(annotator for case in written for annotator in case.annotations))
    return Study(name, tuple(classes), annotators, tuple(written)).write(folder, force=True)


def _written(source: Source, path: Path) -> Path:
    if isinstance(source, Image):
        write_image(path, source)
        return path
    return source
