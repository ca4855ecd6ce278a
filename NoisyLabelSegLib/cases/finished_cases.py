"""What an interrupted run has finished: the result of each case is kept in a file, so that the next run goes on there.

A result is a tree of dataclasses of this library, containers, arrays and plain values; it is written as JSON and arrays
and never runs code when it is read.
"""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import hashlib
import importlib
import itertools
import json
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.failures import Failure
from NoisyLabelSegLib.output import output_file
from NoisyLabelSegLib.progress import Map

_TREE = "tree"
_PACKAGE = Path(__file__).resolve().parents[1]


def run_key(study: Study, *settings: object, folder: str | Path | None = None) -> str:
    """Stands for a run: equal where the settings, this library and all files of the study and of a folder are equal."""
    files = [
        *_PACKAGE.rglob("*.py"),
        *(source for case in study.cases for source in case.sources() if isinstance(source, Path)),
        *(Path(folder).rglob("*") if folder is not None else ()),
    ]
    panel = (study.name, study.classes, study.annotators, [(case.id, list(case.annotations)) for case in study.cases])
    digest = hashlib.sha256(repr((settings, panel)).encode())
    for file in files:
        if file.is_file():
            state = file.stat()
            digest.update(repr((str(file), state.st_size, state.st_mtime_ns)).encode())
    return digest.hexdigest()


def remembering(run: Map, folder: Path) -> Map:
    """A map over cases that keeps every result in the folder, and does not work out again those that are there."""
    calls = itertools.count()

    def run_all(function: Callable[[Any], Any], cases: Iterable[Any]) -> Iterable[Any]:
        return run(_Remembered(function, folder / f"{next(calls)}"), cases)

    return run_all


@dataclass(frozen=True)
class _Remembered:
    function: Callable[[Any], Any]
    folder: Path

    def __call__(self, case: Any) -> Any:
        path = self.folder / f"{hashlib.sha256(case.id.encode()).hexdigest()}.npz"
        if path.exists():
            try:
                return read_result(path)
            except (OSError, ValueError, KeyError, zipfile.BadZipFile):
                path.unlink()
        result = self.function(case)
        if not isinstance(result, Failure):
            with contextlib.suppress(TypeError):  # what cannot be kept is worked out again
                write_result(path, result)
        return result


def write_result(path: Path, result: Any) -> None:
    """Writes a result, whole or not at all."""
    arrays: list[np.ndarray[Any, Any]] = []
    tree = json.dumps(_encoded(result, arrays))
    with output_file(path) as part:
        named = {f"a{number}": array for number, array in enumerate(arrays)}
        np.savez(part, **{_TREE: np.frombuffer(tree.encode(), dtype=np.uint8)}, **named)  # type: ignore[arg-type]


def read_result(path: Path) -> Any:
    """What `write_result` wrote."""
    with np.load(path, allow_pickle=False) as content:
        return _decoded(json.loads(content[_TREE].tobytes()), content)


def _encoded(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Plain values stand for themselves; everything else is a list that begins with what it is."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.ndarray | np.generic):
        arrays.append(np.asarray(value))
        return ["array" if isinstance(value, np.ndarray) else "number", len(arrays) - 1]
    if isinstance(value, bytes):
        arrays.append(np.frombuffer(value, dtype=np.uint8))
        return ["bytes", len(arrays) - 1]
    if isinstance(value, Path):
        return ["path", str(value)]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(_encoded(item, arrays) for item in value)]
    if isinstance(value, set | frozenset):
        return [type(value).__name__, *(_encoded(item, arrays) for item in sorted(value))]
    if isinstance(value, Mapping):
        return ["dict", *([_encoded(key, arrays), _encoded(item, arrays)] for key, item in value.items())]
    name = f"{type(value).__module__}:{type(value).__qualname__}"
    if isinstance(value, enum.Enum):
        return ["enum", name, _encoded(value.value, arrays)]
    if dataclasses.is_dataclass(value):
        fields = {field.name: _encoded(getattr(value, field.name), arrays) for field in dataclasses.fields(value)}
        return ["object", name, fields]
    raise TypeError(f"a result of {type(value)} cannot be kept")


def _decoded(tree: Any, arrays: Mapping[str, Any]) -> Any:
    if not isinstance(tree, list):
        return tree
    kind, *rest = tree
    if kind in ("array", "number"):
        array = arrays[f"a{rest[0]}"]
        return array if kind == "array" else array[()]
    if kind == "bytes":
        return arrays[f"a{rest[0]}"].tobytes()
    if kind == "path":
        return Path(rest[0])
    if kind == "dict":
        return {_decoded(key, arrays): _decoded(item, arrays) for key, item in rest}
    if kind == "enum":
        return _class(rest[0], enum.Enum)(_decoded(rest[1], arrays))
    if kind == "object":
        found = object.__new__(_class(rest[0], object))
        for name, value in rest[1].items():
            object.__setattr__(found, name, _decoded(value, arrays))
        return found
    container = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}[kind]
    return container(_decoded(item, arrays) for item in rest)


def _class(name: str, base: type) -> Any:
    """A dataclass or enumeration of this library, by module and name."""
    module, _, qualified = name.partition(":")
    found = None
    if module.startswith(f"{_PACKAGE.name}."):
        found = getattr(importlib.import_module(module), qualified, None)
    if not isinstance(found, type) or not issubclass(found, base):
        raise ValueError(f"{name} is no class of a result")
    if base is object and not dataclasses.is_dataclass(found):
        raise ValueError(f"{name} is no class of a result")
    return found
