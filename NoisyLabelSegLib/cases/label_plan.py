"""Decides what the label values and segments of all files mean: classes of the study, and how each file is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from NoisyLabelSegLib.cases.file_kinds import kind_of
from NoisyLabelSegLib.cases.files import read_label_values
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.import_plan import PlannedSource
from NoisyLabelSegLib.cases.label_findings import Marked, merged_spellings, same_class
from NoisyLabelSegLib.cases.label_values import LabelFile, class_names, read_mask
from NoisyLabelSegLib.cases.segments import Segmentation, read_segments
from NoisyLabelSegLib.errors import UserError


@dataclass(frozen=True)
class Relabel:
    """`--relabel b:7=1`: what reader b (all readers without a name) labeled 7, or called 7, becomes 1."""

    reader: str | None
    old: str
    new: str

    @classmethod
    def parse(cls, text: str) -> Relabel:
        left, equals, new = text.rpartition("=")
        reader, colon, old = left.rpartition(":")
        if not equals or not old.strip() or not new.strip():
            raise UserError(
                f"--relabel {text} cannot be understood", remedy="write READER:OLD=NEW or OLD=NEW, such as anna:7=1"
            )
        return cls(reader.strip() if colon else None, old.strip(), new.strip())

    def concerns(self, reader: str) -> bool:
        return self.reader in (None, reader)


@dataclass
class LabelPlan:
    """The classes, where their names come from, how to read each file (its path unless stated), and what is marked."""

    classes: tuple[str, ...]
    classes_from: str
    sources: dict[Path, PlannedSource] = field(default_factory=dict)
    marked: list[Marked] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def plan_labels(
    files: Sequence[LabelFile],
    classes: Sequence[str] | None = None,
    classes_from: str = "--classes",
    relabel: Sequence[Relabel] = (),
) -> LabelPlan:
    """By the names of the segments where every file has some, by the values of the labels otherwise."""
    if files and all(file.segments is not None for file in files):
        return _by_name(files, classes, classes_from, relabel)
    return _by_value(files, classes, classes_from, relabel)


def _by_value(
    files: Sequence[LabelFile], classes: Sequence[str] | None, classes_from: str, relabel: Sequence[Relabel]
) -> LabelPlan:
    tables = {file: _value_table(file, relabel) for file in files}
    high = _high_masks(files, tables) if classes is None or len(classes) == 2 else {}
    final: dict[LabelFile, tuple[int, ...]] = {}
    for file, table in tables.items():
        values = tuple(sorted({table.get(value, value) for value in file.values} - {0}))
        final[file] = (1,) if file in high or (values == (255,) and not (classes and len(classes) > 2)) else values
    if classes is None and high and any(max(values, default=0) > 1 for values in final.values()):
        high = {}
        final = {file: file.values for file in files}
    names = tuple(classes) if classes is not None else class_names(list(final.items()))
    plan = LabelPlan(names, classes_from if classes is not None else "the label values")
    for file in files:
        if tables[file]:
            plan.sources[file.path] = partial(_read_relabeled, file.path, tables[file])
        elif file in high and file.values != (255,):
            plan.sources[file.path] = partial(read_mask, file.path)
        plan.marked.append(Marked(file.case, file.reader, final[file]))
    counted = Counter(value for file, value in high.items() if file.path in plan.sources)
    plan.remarks += [f"Masks of 0 and {value} are read as 0 and 1: {count}." for value, count in counted.items()]
    return plan


def _high_masks(files: Sequence[LabelFile], tables: Mapping[LabelFile, Mapping[int, int]]) -> dict[LabelFile, int]:
    """Masks of 0 and a high value, where that is the only value of their reader."""
    used: dict[str, set[int]] = {}
    for file in files:
        used.setdefault(file.reader, set()).update(file.values)
    return {
        file: file.values[0]
        for file in files
        if file.is_high_mask and len(used[file.reader]) == 1 and not tables[file] and file.values[0] <= 65535
    }


def _value_table(file: LabelFile, relabel: Sequence[Relabel]) -> dict[int, int]:
    table: dict[int, int] = {}
    for rule in relabel:
        if not rule.concerns(file.reader):
            continue
        if not rule.old.isdecimal() or not rule.new.isdecimal() or int(rule.new) > 255:
            raise UserError(
                f"--relabel {rule.old}={rule.new} does not name two label values",
                remedy="these labels have numbers and no names; the new value is from 0 to 255",
            )
        if int(rule.old) in file.values:
            table[int(rule.old)] = int(rule.new)
    return table


def _read_relabeled(path: Path, table: Mapping[int, int]) -> Image:
    image = read_label_values(path)
    array = image.array.copy()
    for old, new in table.items():
        array[image.array == old] = new
    if array.max(initial=0) > 255:
        raise UserError(f"has the label {int(array.max())}, which is above 255", file=path, remedy="use --relabel")
    return Image(array.astype(np.uint8), image.geometry)


def _by_name(
    files: Sequence[LabelFile], classes: Sequence[str] | None, classes_from: str, relabel: Sequence[Relabel]
) -> LabelPlan:
    """Segments of one name, also in another spelling, are one class, whatever their values are."""
    named = {file: _renamed(file, relabel) for file in files}
    if classes is None:
        merged, numbers, remarks = merged_spellings(name for renamed in named.values() for name in renamed.values())
        names = ("background", *(merged or ("foreground",)))
        plan = LabelPlan(names, "the names of the segments", remarks=remarks)
    else:
        plan, numbers = LabelPlan(tuple(classes), classes_from), _numbers_of(named, classes)
    for file, renamed in named.items():
        table = {old: numbers[new] for old, new in renamed.items()}
        plan.sources[file.path] = partial(_read_segments, file.path, table)
        values = {table[name] for name, value in (file.segments or {}).items() if value in file.values}
        plan.marked.append(Marked(file.case, file.reader, tuple(sorted(values))))
    return plan


def _numbers_of(named: Mapping[LabelFile, Mapping[str, str]], classes: Sequence[str]) -> dict[str, int]:
    """The place of each segment's name among the given classes, exact names before other spellings."""
    by_meaning = {same_class(name): number for number, name in reversed(list(enumerate(classes)))}
    exact = {name: number for number, name in enumerate(classes)}
    numbers: dict[str, int] = {}
    for file, renamed in named.items():
        for name in renamed.values():
            number = exact.get(name, by_meaning.get(same_class(name)))
            if number is None:
                raise UserError(
                    f"has the segment {name}, which is not among the classes {', '.join(classes)}",
                    file=file.path,
                    remedy="add it to --classes or rename it with --relabel OLD=NEW",
                )
            numbers[name] = number
    return numbers


def _renamed(file: LabelFile, relabel: Sequence[Relabel]) -> dict[str, str]:
    """Segment to its name after --relabel."""
    rules = {rule.old: rule.new for rule in relabel if rule.concerns(file.reader)}
    return {name: rules.get(name, name) for name in file.segments or {}}


def renamed_segments(path: Path, reader: str, relabel: Sequence[Relabel]) -> Segmentation:
    """The segments of a file, with their names after --relabel."""
    rules = {rule.old: rule.new for rule in relabel if rule.concerns(reader)}
    found = read_segments(path, kind_of(path))
    segments = tuple(replace(segment, name=rules.get(segment.name, segment.name)) for segment in found.segments)
    return replace(found, segments=segments)


def _read_segments(path: Path, numbers: Mapping[str, int]) -> Image:
    return read_segments(path, kind_of(path)).as_labels(numbers)
