"""What is suspicious about the labels of a study: values, class names, empty labels, too few readers; in sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MOST_NAMED = 5


@dataclass(frozen=True)
class Marked:
    """The classes above 0 that a reader marked on a case."""

    case: str
    reader: str
    values: tuple[int, ...]


def label_findings(marked: Iterable[Marked], classes: Sequence[str]) -> list[str]:
    """Sentences on labels that can be read but probably do not mean what they seem to, each with what to do.

    Parameters
    ----------
    marked
        One entry per reader and case, the reference left out.
    classes
        The names of the classes, background first.

    Examples
    --------
    >>> label_findings([Marked("p1", "a", (1,)), Marked("p1", "b", (7,))], ["background", *"1234567"])[0]
    'Readers use different label values: a 1; b 7; if they mean the same, import again with --relabel b:7=1.'
    """
    marked = list(marked)
    return [
        *_different_values(marked),
        *_similar_names(classes),
        *_empty_labels(marked),
        *_single_readers(marked),
    ]


def same_class(name: str) -> str:
    """A class name without what people spell differently: case, accents, punctuation, oe and ae, -our, plural."""
    text = unicodedata.normalize("NFKD", name.casefold())
    text = "".join(letter for letter in text if not unicodedata.combining(letter))
    text = re.sub(r"[\W_]+", " ", text).strip()
    text = re.sub("oe|ae|œ|æ", "e", text)
    words = [re.sub(r"our$", "or", re.sub(r"(?<=[^s]{3})s$", "", word)) for word in text.split()]
    return " ".join(words)


def merged_spellings(names: Iterable[str]) -> tuple[tuple[str, ...], dict[str, int], list[str]]:
    """Names that differ by spelling as one class: the classes, the number from 1 of each name, and remarks."""
    spellings: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        spellings.setdefault(same_class(name), []).append(name)
    numbers = {name: number for number, alike in enumerate(spellings.values(), start=1) for name in alike}
    remarks = [
        f"The segments {', '.join(alike)} differ only by spelling and are taken as one class, {alike[0]}."
        for alike in spellings.values()
        if len(alike) > 1
    ]
    return tuple(alike[0] for alike in spellings.values()), numbers, remarks


def value_groups(marked: Iterable[Marked]) -> list[tuple[list[str], set[int]]]:
    """Groups of readers (the largest first) whose label values have nothing in common with those of other groups."""
    used: dict[str, set[int]] = {}
    for entry in marked:
        used.setdefault(entry.reader, set()).update(entry.values)
    groups: list[tuple[list[str], set[int]]] = []
    for reader, values in used.items():
        if not values:
            continue
        joined = [group for group in groups if group[1] & values]
        groups = [group for group in groups if group not in joined]
        readers = [name for names, _ in joined for name in names]
        groups.append(([*readers, reader], values.union(*(more for _, more in joined))))
    return sorted(groups, key=lambda group: (-len(group[0]), min(group[1])))


def _different_values(marked: Sequence[Marked]) -> list[str]:
    groups = value_groups(marked)
    if len(groups) < 2:
        return []
    words = "; ".join(f"{_listed(readers)} {', '.join(map(str, sorted(values)))}" for readers, values in groups)
    target = min(groups[0][1])
    example = f"{groups[1][0][0]}:{min(groups[1][1])}={target}"
    return [
        f"Readers use different label values: {words}; if they mean the same, import again with --relabel {example}."
    ]


def _similar_names(classes: Sequence[str]) -> list[str]:
    by_meaning: dict[str, list[str]] = {}
    for name in classes:
        by_meaning.setdefault(same_class(name), []).append(name)
    return [
        f"The classes {' and '.join(names)} differ only by spelling; if they are one class, give them one label "
        f"with --relabel {classes.index(names[1])}={classes.index(names[0])} at import."
        for names in by_meaning.values()
        if len(names) > 1
    ]


def _empty_labels(marked: Sequence[Marked]) -> list[str]:
    """Labels without any mark on cases where others marked something."""
    somebody = {entry.case for entry in marked if entry.values}
    empty: dict[str, list[str]] = {}
    for entry in marked:
        if not entry.values and (entry.case in somebody or len(somebody) == 0):
            empty.setdefault(entry.reader, []).append(entry.case)
    return [
        f"The labels of {reader} are empty on {_listed(cases)}; an empty label says that nothing is there, so remove "
        "the file if the case was not read."
        for reader, cases in empty.items()
    ]


def _single_readers(marked: Sequence[Marked]) -> list[str]:
    readers = {entry.reader for entry in marked}
    if len(readers) == 1:
        sentence = f"There is only one reader, {next(iter(readers))}; fusing and agreement need at least two"
        return [f"{sentence}, so add the labels of another reader if there are any."]
    per_case: dict[str, int] = {}
    for entry in marked:
        per_case[entry.case] = per_case.get(entry.case, 0) + 1
    single = [case for case, count in per_case.items() if count == 1]
    if not single:
        return []
    sentence = f"Only one reader labeled {_listed(single)}; the fused truth of such a case is that reader's label alone"
    return [f"{sentence}, so add the labels of another reader or leave the case out."]


def _listed(names: Sequence[str]) -> str:
    if len(names) <= MOST_NAMED:
        return ", ".join(names)
    return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
