"""Cases of the scene as files: what a worker in another process can read."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

from NoisyLabelSegLib.cases import Annotation, Case, Image, Study, write_image
from NoisyLabelSegLib.cases.case import Source
from NoisyLabelSegLib.cases.estimates import FileKind, file_name


def writingImages(case: Case, folder: Path) -> Generator[str, None, list[Path]]:
    """Writes the channels of a case, a file a step; an image that is a file already is used where it is."""
    written = []
    for place, source in enumerate(case.images):
        yield case.id
        written.append(_written(source, folder / f"image_{place}.nrrd"))
    return written


def writingCase(case: Case, folder: Path) -> Generator[str, None, Case]:
    """Writes a case that is in memory, a file a step, into a folder of its name; returns it as a case of files."""
    place = folder / case.id
    images = yield from writingImages(case, place)
    annotations = {}
    for index, (annotator, annotation) in enumerate(case.annotations.items()):
        yield annotator
        file = _written(annotation.source, place / file_name(FileKind.ANNOTATOR, str(index)))
        annotations[annotator] = Annotation(file, annotation.date)
    return replace(case, images=tuple(images), annotations=annotations, truth_source=None)


def isStudy(path: str) -> bool:
    """Whether this is a file, or a folder with a study in it."""
    return bool(path) and (Path(path).is_file() or (Path(path) / "study.json").is_file())


def writeStudy(cases: Sequence[Case], folder: Path, *, name: str, classes: Sequence[str]) -> Path:
    """A study of cases whose files are in the folder; returns the path of its study.json."""
    annotators = tuple(dict.fromkeys(annotator for case in cases for annotator in case.annotations))
    return Study(name, tuple(classes), annotators, tuple(cases)).write(folder, force=True)


def _written(source: Source, path: Path) -> Path:
    if isinstance(source, Image):
        write_image(path, source, compressed=False)  # the worker reads it once, then it goes
        return path
    return source
