"""Settings as JSON: `{"format": "noisylabelseg-job/1", "verb": "fuse", "study": ..., ...}`, strictly checked."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from NoisyLabelSegLib.errors import UserError

FORMAT = "noisylabelseg-job/1"
Settings = TypeVar("Settings")


def to_json(settings: Any) -> str:
    """The settings, a dataclass with a `verb`, as indented JSON."""
    content = {"format": FORMAT, "verb": settings.verb, **dataclasses.asdict(settings)}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def from_json(text: str, kinds: Mapping[str, type[Settings]]) -> Settings:
    """The settings of the verb that the text names; whatever does not belong raises UserError."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(
            "The job's settings are not valid JSON", remedy="see docs/jobs.md for an example", detail=str(error)
        ) from error
    if not isinstance(content, dict) or content.pop("format", None) != FORMAT:
        raise UserError(f"The job's settings are not of the format {FORMAT}")
    verb = content.pop("verb", None)
    if not isinstance(verb, str) or verb not in kinds:
        raise UserError(f"There is no job {verb!r}", remedy=f"choose one of {', '.join(kinds)}")
    return _made(kinds[verb], content)


def read(path: str | Path, kinds: Mapping[str, type[Settings]]) -> Settings:
    """The settings in a file, which an error names."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise UserError("does not exist", file=path, remedy="check the path") from error
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", file=path, remedy="check its permissions") from error
    except UnicodeDecodeError as error:
        raise UserError("is not UTF-8 text", file=path, remedy="save it as UTF-8") from error
    try:
        return from_json(text, kinds)
    except UserError as error:
        raise UserError(error.problem, file=path, remedy=error.remedy, detail=error.detail) from error


def _made(kind: type[Settings], content: Mapping[str, Any]) -> Settings:
    fields = {item.name: item for item in dataclasses.fields(kind)}  # type: ignore[arg-type]
    for name in content:
        if name not in fields:
            raise UserError(f"The job has no setting {name!r}", remedy=f"the settings are {', '.join(fields)}")
    for name, item in fields.items():
        needed = item.default is dataclasses.MISSING and item.default_factory is dataclasses.MISSING
        if needed and name not in content:
            raise UserError(f"The job's setting {name!r} is missing")
    return kind(**{name: _checked(name, fields[name].type, value) for name, value in content.items()})


def _checked(name: str, annotation: Any, value: Any) -> Any:
    """The value as the field's type; the types of settings are few, and written as text in their annotations."""
    words, fits = _TYPES[annotation]
    if not fits(value):
        raise UserError(f"The job's setting {name!r} must be {words}, not {json.dumps(value)}")
    return tuple(value) if isinstance(value, list) else value


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


_TYPES: dict[str, tuple[str, Any]] = {
    "str": ("text", lambda value: isinstance(value, str)),
    "bool": ("true or false", lambda value: isinstance(value, bool)),
    "tuple[str, ...]": (
        "a list of text",
        lambda value: isinstance(value, list) and all(isinstance(v, str) for v in value),
    ),
    "Mapping[str, Any]": ("an object", lambda value: isinstance(value, dict)),
    "Mapping[str, float]": (
        "an object of numbers",
        lambda value: isinstance(value, dict) and all(map(_is_number, value.values())),
    ),
}
