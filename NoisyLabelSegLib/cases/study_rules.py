"""What a study file must satisfy, said in words; Resources/schema/study.schema.json says the same to machines.

Written by hand because Slicer ships no JSON Schema library; a test holds the two to the same verdicts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import date, datetime
from typing import Any

MOST_CLASSES = 256  # labels are uint8
_LONGEST_NAME, _LONGEST_PART = 200, 110
"""Bytes of a name that stands alone, and of one of two that stand in a file name with other words; 255 are allowed."""


def study_problem(content: Any) -> str | None:
    """The first thing that is wrong with the content of a study file, or None."""
    if not isinstance(content, dict):
        return "is not a study: the top level must be a JSON object"
    version = content.get("format")
    if version != "noisylabelseg-study/1":
        return f"has format {version!r}, but this version reads noisylabelseg-study/1"
    checks: list[tuple[str, Callable[[Any], str | None]]] = [
        ("name", _text_problem),
        ("classes", _classes_problem),
        ("annotators", _annotators_problem),
    ]
    for key, check in checks:
        if key not in content:
            return f"has no {key!r}"
        if problem := check(content[key]):
            return f"{key!r} {problem}"
    if problem := _experience_problem(content.get("experience", {}), content["annotators"]):
        return f"'experience' {problem}"
    cases = content.get("cases")
    if not isinstance(cases, list) or not cases:
        return "has no cases"
    annotators = set(content["annotators"])
    for index, entry in enumerate(cases):
        if problem := _case_problem(entry, annotators):
            id = entry.get("id") if isinstance(entry, dict) else None
            return f"case {id or f'number {index + 1}'} {problem}"
    repeated = [id for id, count in Counter(entry["id"].lower() for entry in cases).items() if count > 1]
    return f"has more than one case with the id {repeated[0]!r}" if repeated else None


def name_problem(name: Any) -> str | None:
    """Why a case id cannot be used, or a name that becomes a folder's; both stand in file names as they are."""
    if problem := _text_problem(name):
        return problem
    bad = sorted({letter for letter in name if _is_unsafe(letter)})
    if bad:
        return f"holds the character {bad[0]!r}, which cannot stand in a file name"
    if name in (".", "..") or name.endswith((".", " ")) or name.startswith(" "):
        return "begins or ends with a dot or blank, which cannot stand in a file name"
    if len(name.encode()) > _LONGEST_NAME:
        return f"takes more than {_LONGEST_NAME} bytes, too many for the name of a folder"
    return "is longer than 120 letters" if len(name) > 120 else None


def annotator_problem(name: Any) -> str | None:
    """Why a name cannot be an annotator's; in names of files its other characters are replaced."""
    if problem := _text_problem(name):
        return problem
    if not name.isprintable():
        return "holds a character that cannot be printed"
    if name != name.strip():
        return "begins or ends with a blank"
    if {".", ".."} & set(name.replace("\\", "/").split("/")):
        return "has dots where a folder's name could stand"
    return "is longer than 120 letters" if len(name) > 120 else None


def file_name_part(text: str) -> str:
    """The text with every character that cannot stand in a file name replaced by `_`."""
    return "".join("_" if _is_unsafe(letter) else letter for letter in text)


def short_file_name_part(text: str) -> str:
    """The same, cut so that two of them and other words fit into a file name; for names that are made distinct."""
    return file_name_part(text).encode()[:_LONGEST_PART].decode(errors="ignore")


class DistinctNames:
    """Names of files in one folder: a second one that would be spelled alike gets the number 2, a third one 3."""

    def __init__(self, joint: str = "-") -> None:
        self._joint, self._taken = joint, set[str]()

    def add(self, spelled: str) -> str:
        """The name, with a number if need be; many file systems do not tell upper from lower case."""
        name, number = spelled, 1
        while name.lower() in self._taken:
            number += 1
            name = f"{spelled}{self._joint}{number}"
        self._taken.add(name.lower())
        return name


def _is_unsafe(letter: str) -> bool:
    return letter in '/\\:*?"<>|' or not letter.isprintable()


def path_problem(path: Any) -> str | None:
    """Why a path in a study file cannot be used: it must be relative and stay below the study's folder."""
    if problem := _text_problem(path):
        return problem
    if "\0" in path:
        return "holds a zero character"
    if "\\" in path:
        return f"{path!r} has a backslash; write forward slashes"
    if path.startswith("/") or path[1:2] == ":":
        return f"{path!r} is absolute; paths are relative to the study file"
    if ".." in path.split("/"):  # text, not pathlib: a study may name a hundred thousand paths
        return f"{path!r} leaves the study's folder"
    return None


def _text_problem(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return "must be text that is not empty"
    half = not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value)
    return "holds half a character (a lone surrogate)" if half else None


def _classes_problem(value: Any) -> str | None:
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        return "must be a list of names"
    if not 2 <= len(value) <= MOST_CLASSES:
        return f"must name 2 to {MOST_CLASSES} classes, background first"
    return "must not repeat a name" if len(set(value)) < len(value) else None


def _annotators_problem(value: Any) -> str | None:
    if not isinstance(value, list) or not value:
        return "must be a list of at least one name"
    for name in value:
        if problem := annotator_problem(name):
            return f"has the name {name!r}, which {problem}"
    return "must not repeat a name" if len({name.lower() for name in value}) < len(value) else None


def _experience_problem(value: Any, annotators: list[str]) -> str | None:
    if not isinstance(value, dict):
        return "must be an object of annotators and years"
    for name, years in value.items():
        if name not in annotators:
            return f"names {name!r}, who is not among the study's annotators"
        if isinstance(years, bool) or not isinstance(years, (int, float)) or not 0 <= years <= 100:
            return f"of {name} must be years from 0 to 100, not {years!r}"
    return None


def _case_problem(entry: Any, annotators: set[str]) -> str | None:
    if not isinstance(entry, dict):
        return "must be a JSON object"
    if problem := name_problem(entry.get("id")):
        return f"has an 'id' that {problem}"
    images = entry.get("images")
    if not isinstance(images, list):
        return "has no list of 'images'"
    for path in images:
        if problem := path_problem(path):
            return f"has an image path that is wrong: {problem}"
    if "truth" in entry and (problem := _truth_problem(entry["truth"])):
        return f"has a truth that is wrong: {problem}"
    if "split" in entry and (problem := _text_problem(entry["split"])):
        return f"has a 'split' that {problem}"
    if "patient" in entry and (problem := _text_problem(entry["patient"])):
        return f"has a 'patient' that {problem}"
    if not isinstance(entry.get("annotations"), dict):
        return "has no object of 'annotations'"
    for name, value in entry["annotations"].items():
        if name not in annotators:
            return f"is labeled by {name!r}, who is not among the study's annotators"
        if problem := _annotation_problem(value):
            return f"has an annotation by {name} that is wrong: {problem}"
    if problem := _repeats_problem(entry.get("repeats", {}), entry["annotations"]):
        return problem
    return None if images or entry["annotations"] else "has neither an image nor labels"


def _truth_problem(value: Any) -> str | None:
    if not isinstance(value, dict):
        return path_problem(value)
    if problem := path_problem(value.get("file")):
        return f"its 'file' {problem}"
    for key in ("method", "signed_off_by"):
        if key in value and (problem := _text_problem(value[key])):
            return f"its {key!r} {problem}"
    if "annotators" in value and not (
        isinstance(value["annotators"], list) and all(isinstance(name, str) for name in value["annotators"])
    ):
        return "its 'annotators' must be a list of names"
    for key in ("edited", "curated"):
        if not isinstance(value.get(key, False), bool):
            return f"its {key!r} must be true or false"
    return _time_problem(value, "date", date, "2026-03-01")


def _repeats_problem(value: Any, annotations: Any) -> str | None:
    if not isinstance(value, dict):
        return "has 'repeats' that are not an object of lists"
    for name, readings in value.items():
        if name not in annotations:
            return f"has a repeated reading by {name!r}, who has no annotation of it"
        if not isinstance(readings, list) or not readings:
            return f"has 'repeats' by {name} that are not a list of at least one reading"
        for reading in readings:
            if problem := _annotation_problem(reading):
                return f"has a repeated reading by {name} that is wrong: {problem}"
    return None


def _annotation_problem(value: Any) -> str | None:
    if not isinstance(value, dict):
        return path_problem(value)
    if problem := path_problem(value.get("file")):
        return f"its 'file' {problem}"
    if "image" in value and (problem := path_problem(value["image"])):
        return f"its 'image' {problem}"
    seconds = value.get("seconds", 0)
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < float("inf"):
        return f"its 'seconds' {seconds!r} are not a number of seconds"
    return _time_problem(value, "date", date, "2026-03-01") or _time_problem(
        value, "started", datetime, "2026-03-01T09:30:00"
    )


def _time_problem(value: dict[str, Any], key: str, kind: type[date], example: str) -> str | None:
    if key in value:
        try:
            kind.fromisoformat(value[key])
        except (TypeError, ValueError):
            return f"its {key!r} {value[key]!r} is not a {key} like {example}"
    return None
