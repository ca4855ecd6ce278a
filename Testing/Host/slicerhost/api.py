"""The names that 3D Slicer 5.12.3 has on its Qt, CTK and Slicer objects; any other name is refused.

slicer_names.json holds, per class, the names that the panel uses and the running application has. After a change of the
panel, slicerhost.make_names makes it anew from the list of all names that was taken from the application.
"""

from __future__ import annotations

import functools
import inspect
import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

TABLE = Path(__file__).with_name("slicer_names.json")
PREFIXES = ("qt", "ctk", "slicer")
UTIL = "slicer.util"
_FOREIGN = ("PySide6", "Shiboken")


class Names:
    """`listed` is in slicer-api.json, `unlisted` are classes that it leaves out, with names from Qt's documentation."""

    def __init__(self, listed: dict[str, list[str]], unlisted: dict[str, list[str]]) -> None:
        self.listed, self.unlisted = listed, unlisted

    @classmethod
    def read(cls, path: Path = TABLE) -> Names:
        return cls(**json.loads(path.read_text(encoding="utf-8")))

    def write(self, path: Path = TABLE) -> None:
        parts = (f"{json.dumps(part)}: {{\n{_lines(names)}\n}}" for part, names in vars(self).items())
        path.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")

    def of(self, kind: type) -> set[str] | None:
        """What objects of a class have in the application; None for a class that is not Qt's or Slicer's."""
        if not any(base.__module__.startswith(_FOREIGN) for base in kind.__mro__):
            return None
        found = [self._names(f"{prefix}.{base.__name__}") for base in kind.__mro__ for prefix in PREFIXES]
        return {name for names in found if names is not None for name in names}

    def module(self, name: str) -> set[str] | None:
        if name == UTIL:
            return set(self._names(UTIL) or ())
        if name not in PREFIXES[:2]:
            return None
        return {key.partition(".")[2] for key in (*self.listed, *self.unlisted) if key.startswith(f"{name}.")}

    def _names(self, key: str) -> list[str] | None:
        return self.listed.get(key, self.unlisted.get(key))


def known(source: Any, name: str) -> Any:
    """The object itself, if the application has this name on it; every attribute in the panel's sources comes here."""
    owner = source if inspect.isclass(source) or inspect.ismodule(source) else type(source)
    refuse_unknown(owner, name)
    return source


@functools.cache
def refuse_unknown(owner: Any, name: str) -> None:
    names = _table().module(owner.__name__) if isinstance(owner, types.ModuleType) else _table().of(owner)
    if names is not None and name not in names and not name.startswith("__"):
        raise AttributeError(
            f"{owner.__name__} has no {name!r} in 3D Slicer 5.12.3, as far as {TABLE.name} knows; "
            "look the name up in slicer-api.json, and run python -m slicerhost.make_names if it is there"
        )


@functools.cache
def _table() -> Names:
    return Names.read()


def properties_of(root: ElementTree.Element) -> Iterator[tuple[str, str]]:
    """Class and property of everything that a .ui file sets on its widgets; properties of one's own left out."""
    for widget in root.iter("widget"):
        for element in widget.findall("property"):
            if element.get("stdset") != "0":
                yield widget.get("class", ""), element.get("name", "")


def _lines(names: dict[str, list[str]]) -> str:
    return ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in names.items())
