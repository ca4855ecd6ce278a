"""JSON that comes from outside, checked: text to an object, an object to a dataclass, with errors that name the key."""

from __future__ import annotations

import dataclasses
import json
import math
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.untrusted import read_regular

Record = TypeVar("Record")


LARGEST_TEXT = 1 << 29
"""Bytes of the largest text file that is read: a study of half a million cases."""
_MOST_DIGITS = 18  # of a whole number, which then fits into 64 bits


def read_text(path: str | Path, *, missing: str = "check the path") -> str:
    """The text of a UTF-8 file (a byte-order mark is dropped); raises a UserError that names the file.

    `missing` is the advice about a file that does not exist.
    """
    path = Path(path)
    try:
        return read_regular(path, LARGEST_TEXT, missing=missing).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError("is not UTF-8 text", file=path, remedy="save it as UTF-8") from error


def read_json(path: str | Path, *, missing: str = "check the path", damaged: str = "correct it") -> Any:
    """The content of a JSON file; `damaged` is the advice about one that is not valid JSON."""
    text = read_text(path, missing=missing)
    try:
        return strict_json(text)
    except RecursionError as error:
        raise UserError("is nested too deeply", file=path, remedy=damaged) from error
    except json.JSONDecodeError as error:
        raise UserError(
            f"is not valid JSON (line {error.lineno})", file=path, remedy=damaged, detail=str(error)
        ) from error
    except ValueError as error:
        raise UserError(f"is not valid JSON: {error}", file=path, remedy=damaged) from error


def strict_json(text: str) -> Any:
    """json.loads(), but keys that stand twice, NaN, huge numbers and lone surrogates are refused with ValueError."""
    content = json.loads(
        text,
        object_pairs_hook=_without_repetition,
        parse_constant=_refuse_constant,
        parse_int=_bounded_int,
        parse_float=_finite_float,
    )
    if "\\ud" in text.lower():
        _refuse_surrogates(content)
    return content


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"it has the key {next(name for name in names if names.count(name) > 1)[:60]!r} twice")
    return content


def _refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is not a number")


def _bounded_int(word: str) -> int:
    if len(word.lstrip("-")) > _MOST_DIGITS:
        raise ValueError(f"the number {word[:_MOST_DIGITS]}... is too large")
    return int(word)


def _finite_float(word: str) -> float:
    number = float(word)
    if math.isinf(number):
        raise ValueError(f"the number {word[:60]} is too large")
    return number


def _refuse_surrogates(content: Any) -> None:
    if isinstance(content, str):
        if any("\ud800" <= letter <= "\udfff" for letter in content):
            raise ValueError(f"the text {content[:60]!r} holds half a character")
    elif isinstance(content, dict):
        for name, value in content.items():
            _refuse_surrogates(name)
            _refuse_surrogates(value)
    elif isinstance(content, list):
        for value in content:
            _refuse_surrogates(value)


def parse_object(text: str, *, what: str, remedy: str = "") -> dict[str, Any]:
    """The JSON object in the text; `what` begins the sentence about anything else, such as "The job's settings are"."""
    try:
        content = strict_json(text)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{what} not valid JSON", remedy=remedy, detail=str(error)) from error
    if not isinstance(content, dict):
        raise UserError(f"{what} not a JSON object", remedy=remedy)
    return content


def to_dataclass(kind: type[Record], content: Mapping[str, Any], *, what: str) -> Record:
    """A `kind`, a dataclass, with the values of a JSON object; lists become tuples.

    Raises UserError for a key that is no field, for a field without default that is missing and for a value of another
    type than its field's; `what`, such as "job", is the thing that the sentence is about. Known types are str, bool,
    int, float, tuple[T, ...], Mapping[str, T], T | None and Any.
    """
    fields = {item.name: item for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for name in content:
        if name not in fields:
            raise UserError(f"The {what} has no setting {name!r}", remedy=f"the settings are {', '.join(fields)}")
    for name, item in fields.items():
        needed = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        if needed and name not in content:
            raise UserError(f"The {what}'s setting {name!r} is missing")
    hints = get_type_hints(kind)
    for name, value in content.items():
        if not _fits(value, hints[name]):
            words = _type_in_words(hints[name])
            raise UserError(f"The {what}'s setting {name!r} must be {words}, not {json.dumps(value)}")
    return kind(**{name: tuple(value) if isinstance(value, list) else value for name, value in content.items()})


_PLAIN_TYPES: dict[Any, tuple[str, str]] = {
    str: ("text", "text"),
    bool: ("true or false", "true or false"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
}
"""Type to its name in a sentence, of one value and of several."""


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value as json.loads returns it belongs to the type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if hint is type(None):
        return value is None
    if origin in (Union, types.UnionType):
        return any(_fits(value, part) for part in arguments)
    if origin is tuple:
        return isinstance(value, list) and all(_fits(item, arguments[0]) for item in value)
    if origin is Mapping:
        return isinstance(value, dict) and all(_fits(item, arguments[1]) for item in value.values())
    if hint not in _PLAIN_TYPES:
        raise TypeError(f"JSON settings cannot have the type {hint}")
    number = (int, float) if hint is float else hint
    return isinstance(value, number) and (hint is bool or not isinstance(value, bool))


def _type_in_words(hint: Any) -> str:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return " or ".join("null" if part is type(None) else _type_in_words(part) for part in arguments)
    if origin is tuple:
        return f"a list of {_PLAIN_TYPES[arguments[0]][1]}"
    if origin is Mapping:
        return "an object" if arguments[1] is Any else f"an object of {_PLAIN_TYPES[arguments[1]][1]}"
    return _PLAIN_TYPES[hint][0]
