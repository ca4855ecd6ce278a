"""Label values and classes that probably mean the same: proposals, and labels in which they are one class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.label_findings import Marked, same_class, value_groups
from NoisyLabelSegLib.errors import UserError

Labels = NDArray[np.uint8]
PLAIN = "class "
"""How the names of classes begin that have only a number."""


@dataclass(frozen=True)
class LabelMatch:
    """What a reader (all readers where empty) labeled `old` means the class `new`; as text `b:7=1` or `7=1`."""

    reader: str
    old: int
    new: int

    def __str__(self) -> str:
        return f"{self.reader}:{self.old}={self.new}" if self.reader else f"{self.old}={self.new}"

    @classmethod
    def parse(cls, text: str) -> LabelMatch:
        left, _, new = text.rpartition("=")
        reader, _, old = left.rpartition(":")
        if not old.strip().isdecimal() or not new.strip().isdecimal() or max(int(old), int(new)) > 255:
            raise UserError(
                f"{text!r} does not match two label values", remedy="write READER:OLD=NEW or OLD=NEW, such as anna:7=1"
            )
        return cls(reader.strip(), int(old), int(new))


def proposed_matches(marked: Iterable[Marked], classes: Sequence[str]) -> list[LabelMatch]:
    """Classes whose names differ only by spelling, and readers whose label values nobody else uses.

    Values of a reader are matched in their order to those that most readers use, as far as there are as many.

    Examples
    --------
    >>> marked = [Marked("p1", "a", (1,)), Marked("p1", "b", (7,)), Marked("p1", "c", (1,))]
    >>> [str(match) for match in proposed_matches(marked, ["background", *"1234567"])]
    ['b:7=1']
    >>> [str(match) for match in proposed_matches([], ["background", "Edema", "core", "oedema"])]
    ['3=1']
    """
    first: dict[str, int] = {}
    spellings = [
        LabelMatch("", number, first[key])
        for number, name in enumerate(classes)
        if first.setdefault(key := same_class(name), number) != number
    ]
    table = {match.old: match.new for match in spellings}
    respelled = [
        Marked(each.case, each.reader, tuple(sorted({table.get(value, value) for value in each.values})))
        for each in marked
    ]
    return [*spellings, *_value_matches(value_groups(respelled))]


def match_sentence(match: LabelMatch, classes: Sequence[str]) -> str:
    """The question that a proposal asks, for people."""
    old, new = (classes[label] if label < len(classes) else str(label) for label in (match.old, match.new))
    if match.reader:
        return f"{match.reader} uses {old} (value {match.old}) where others use {new} (value {match.new})"
    return f"{old} and {new} differ only by spelling"


def merge_labels(
    labels: Mapping[str, Labels], classes: Sequence[str], matches: Iterable[LabelMatch]
) -> tuple[dict[str, Labels], tuple[str, ...]]:
    """Everybody's labels (*shape) with matched classes as one, and the classes that are left, numbered without gaps.

    Classes that were matched away are dropped, and so are those without a name of their own that nobody uses any more.
    Arrays that stay the same are not copied.
    """
    matches = list(matches)
    if not matches:
        return dict(labels), tuple(classes)
    tables = {reader: _table([each for each in matches if each.reader in ("", reader)]) for reader in labels}
    used = {int(tables[reader][value]) for reader, array in labels.items() for value in _values(array)}
    old = {match.old for match in matches}
    kept = [
        number
        for number, name in enumerate(classes)
        if number == 0 or number in used or not (number in old or name.startswith(PLAIN))
    ]
    numbers = np.zeros(256, dtype=np.uint8)
    numbers[kept] = np.arange(len(kept))
    names = tuple(classes[number] for number in kept)
    if len(names) == 2 and names[1].startswith(PLAIN):
        names = (names[0], "foreground")
    return {reader: _mapped(array, numbers[tables[reader]]) for reader, array in labels.items()}, names


def _value_matches(groups: Sequence[tuple[list[str], set[int]]]) -> list[LabelMatch]:
    """Readers of the other groups, whose values become those of the first."""
    if len(groups) < 2:
        return []
    wanted = sorted(groups[0][1])
    return [
        LabelMatch(reader, old, new)
        for readers, values in groups[1:]
        if len(values) == len(wanted)
        for reader in readers
        for old, new in zip(sorted(values), wanted, strict=True)
    ]


def _table(matches: Sequence[LabelMatch]) -> NDArray[np.uint8]:
    """Value to value: spellings first, so that what a reader's value is matched to is final."""
    table = np.arange(256, dtype=np.uint8)
    for match in sorted(matches, key=lambda each: bool(each.reader)):
        table[table == match.old] = match.new
    return table


def _values(labels: Labels) -> NDArray[np.intp]:
    return np.flatnonzero(np.bincount(labels.ravel(), minlength=256)) if labels.size else np.array([], dtype=np.intp)


def _mapped(labels: Labels, table: NDArray[np.uint8]) -> Labels:
    return labels if np.array_equal(table[_values(labels)], _values(labels)) else table[labels]
