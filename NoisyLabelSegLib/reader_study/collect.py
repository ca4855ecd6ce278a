"""Adds what readers handed in to a study: pseudonyms resolved, checked, with dates, earlier versions kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases import Annotation, Case, Study, read_image, read_labels, write_image, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import csv_text, output_folder, write_text
from NoisyLabelSegLib.progress import Report, silent, steps
from NoisyLabelSegLib.reader_study.hand_ins import (
    BEGUN,
    BROKEN,
    FINISHED,
    MISSING,
    OPEN,
    HandIn,
    find_key,
    packages,
    read_package,
    workspace,
)
from NoisyLabelSegLib.reader_study.key import HandoutKey

PROGRESS_CSV = "progress.csv"
_FOLDER, NOT_RETURNED = "collected", "not_returned"


@dataclass(frozen=True)
class Collection:
    """What a collection found: the study as it is now, a row of progress per reader, and problems in sentences.

    `added` counts new readings, `replaced` those that have an earlier version, `unchanged` those that were in already.
    """

    study: Study
    progress: tuple[dict[str, Any], ...]
    problems: tuple[str, ...]
    added: int
    replaced: int
    unchanged: int


def collect(
    places: Sequence[str | Path], out: str | Path, *, key: str | Path | None = None, report: Report = silent
) -> Collection:
    """Adds finished readings to a study, or makes one of them.

    Parameters
    ----------
    places
        Folders or zip files that readers sent back, or the folder of the hand-out with all of them.
    out
        The folder of the study that was handed out, or a new folder, which gets the images of the packages.
    key
        The hand-out's key; None for the one in or beside `places`.

    Returns
    -------
    Collection
        Readings that are open, begun, missing or broken are not added, and said so.

    Raises
    ------
    UserError
        If there is no key, a package is of another hand-out, or the study does not have its cases.
    """
    out, sources = Path(out), [Path(place) for place in places]
    out = out.parent if out.name == "study.json" else out
    opened = HandoutKey.read(find_key(sources) if key is None else key)
    study = _existing(out, opened)
    with workspace() as scratch, output_folder(out, force=study is not None) as folder:
        hand_ins = [
            item
            for place in steps(list(packages(sources, scratch)), "collect", report)
            for item in read_package(place, opened, study)
        ]
        book = _Book(study or _new_study(opened, hand_ins, folder, out), opened, folder, out)
        for hand_in in hand_ins:
            if hand_in.state == FINISHED:
                book.add(hand_in)
        found = book.study()
        progress = tuple(_progress(opened, hand_ins, found))
        write_text(folder / "study.json", found.text(out))
        write_text(folder / PROGRESS_CSV, csv_text(progress))
    problems = tuple(_sentence(item) for item in hand_ins if item.state in (BROKEN, MISSING))
    counts = book.counts
    return Collection(
        Study.read(out), progress, (*problems, *book.problems), counts["added"], counts["replaced"], counts["unchanged"]
    )


def _existing(out: Path, key: HandoutKey) -> Study | None:
    """The study in the folder, None where there is none; it must be the one that was handed out."""
    if not (out / "study.json").exists():
        return None
    study = Study.read(out)
    known = {case.id for case in study.cases}
    absent = [id for id in key.cases if id not in known]
    if absent or study.classes != key.classes:
        what = f"has no case {absent[0]}" if absent else "has other classes"
        remedy = "give the study that was handed out, or a new folder"
        raise UserError(f"{what}, so it is not the study of this hand-out", file=out / "study.json", remedy=remedy)
    return study


def _new_study(key: HandoutKey, hand_ins: Sequence[HandIn], folder: Path, out: Path) -> Study:
    """A study with the images of the packages, under the cases' own names and without labels yet."""
    cases = []
    for id, other in key.cases.items():
        sources = next((item.images for item in hand_ins if item.item.case == id and item.images), ())
        for source in sources:
            write_image(folder / id / source.name, read_image(source))
        if sources:
            images = tuple(out / id / source.name for source in sources)
            cases.append(Case(id, images, patient=other.get("patient"), split=other.get("split")))
    if not cases:
        raise UserError(
            "No package holds an image, so no new study can be made", remedy="collect into the study itself"
        )
    return Study(key.study, key.classes, tuple(key.readers), tuple(cases), out)


class _Book:
    """Enters readings into the cases of a study; labels are written into `folder`, which will become `out`."""

    def __init__(self, study: Study, key: HandoutKey, folder: Path, out: Path) -> None:
        self._study, self._folder, self._out = study, folder, out
        self._cases = {case.id: case for case in study.cases}
        self._new = [reader for reader in key.readers if reader not in study.annotators]
        self.counts: Counter[str] = Counter()
        self.problems: list[str] = []

    def study(self) -> Study:
        """The study with everything that was added."""
        used = {name for case in self._cases.values() for name in case.annotations}
        annotators = (*self._study.annotators, *(name for name in self._new if name in used))
        return replace(self._study, annotators=annotators, cases=tuple(self._cases.values()))

    def add(self, hand_in: HandIn) -> None:
        case, reader = self._cases[hand_in.item.case], hand_in.reader
        first, repeats = case.annotations.get(reader), case.repeats.get(reader, ())
        if hand_in.item.reading == 1:
            annotation = self._annotation(case, hand_in, first)
            annotations = {**case.annotations, reader: annotation}
            self._cases[case.id] = replace(case, annotations=annotations)
        elif first is None:
            self.problems.append(
                f"{reader}, {hand_in.item.pseudonym}: a repeated reading waits until the first reading is finished."
            )
        else:
            annotation = self._annotation(case, hand_in, repeats[0] if repeats else None)
            self._cases[case.id] = replace(case, repeats={**case.repeats, reader: (annotation, *repeats[1:])})

    def _annotation(self, case: Case, hand_in: HandIn, before: Annotation | None) -> Annotation:
        """The reading as it stands in the study; labels that are in already stay as they are."""
        assert hand_in.labels is not None
        if before is not None and _same(before, hand_in):
            self.counts["unchanged"] += 1
            return before
        self.counts["added" if before is None else "replaced"] += 1
        versions = [] if before is None else [*before.extra.get("versions", []), self._relative(before)]
        name = f"{hand_in.reader}_reading{hand_in.item.reading}_version{len(versions) + 1}.nrrd"
        place = Path(_FOLDER) / case.id / name
        write_labels(self._folder / place, hand_in.labels.array, hand_in.labels.geometry)
        when = dict(hand_in.when or {})
        day = when.pop("date", None)
        return Annotation(self._out / place, day, {**when, **({"versions": versions} if versions else {})})

    def _relative(self, annotation: Annotation) -> str:
        assert isinstance(annotation.source, Path)
        return annotation.source.relative_to(self._out).as_posix()


def _same(annotation: Annotation, hand_in: HandIn) -> bool:
    assert isinstance(annotation.source, Path)
    assert hand_in.labels is not None
    return np.array_equal(read_labels(annotation.source).array, hand_in.labels.array)


def _progress(key: HandoutKey, hand_ins: Sequence[HandIn], study: Study) -> list[dict[str, Any]]:
    """A row per reader of the hand-out; readings that an earlier collection added count as finished."""
    cases = {case.id: case for case in study.cases}
    current = {(item.reader, item.item.pseudonym): item.state for item in hand_ins}
    rows = []
    for reader, items in key.readers.items():
        states: Counter[str] = Counter()
        readings = []
        for item in items:
            case = cases.get(item.case, Case(item.case))
            known = [*filter(None, [case.annotations.get(reader)]), *case.repeats.get(reader, ())]
            is_in = len(known) >= item.reading
            states[current.get((reader, item.pseudonym), FINISHED if is_in else NOT_RETURNED)] += 1
            readings += known[item.reading - 1 : item.reading]
        seconds = [reading.extra["seconds"] for reading in readings if "seconds" in reading.extra]
        row: dict[str, Any] = {"reader": reader, "readings": len(items)}
        row |= {state: states[state] for state in (FINISHED, BEGUN, OPEN, MISSING, BROKEN, NOT_RETURNED)}
        rows.append({**row, "minutes": round(sum(seconds) / 60, 2) if seconds else None})
    return rows


def _sentence(hand_in: HandIn) -> str:
    place = f"{hand_in.reader}, {hand_in.item.pseudonym} (case {hand_in.item.case})"
    if hand_in.state == MISSING:
        return f"{place}: there is no file of labels."
    return f"{place}: labels cannot be used: {hand_in.problem}."
