"""Makes slicer_names.json from the list of everything that the running application has.

cd Testing/Host && python -m slicerhost.make_names slicer-api.json
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from slicerhost.api import UTIL, Names, properties_of

REPOSITORY = Path(__file__).resolve().parents[3]
HOST = REPOSITORY / "Testing" / "Host"
SOURCES = (
    REPOSITORY / "NoisyLabelSeg",
    REPOSITORY / "NoisyLabelSegLib" / "widget",
    HOST / "refusals",
    HOST / "allowed",
)
"""Folders whose files are run as the panel's sources are."""
RETURNED = {
    "QAction",
    "QApplication",
    "QGridLayout",
    "QHeaderView",
    "QItemSelectionModel",
    "QTableWidgetItem",
    "QVBoxLayout",
    "qSlicerLayoutManager",
}
"""Classes of objects that methods return, so that no source names them."""

AMBIGUOUS = {"qt.QTimer": {"singleShot"}}
"""A property and a static function of one name: Qt's Python bindings differ in which of them it is."""


def made_from(api: Path, unlisted: dict[str, list[str]]) -> Names:
    """The table of the classes and names that the panel uses now, from the list of everything in the application."""
    content = json.loads(api.read_text(encoding="utf-8"))
    used = {*_used_in_sources(), *_used_in_forms()}
    listed = {UTIL: sorted(used & content[UTIL].keys())}
    for key, found in content["classes"].items():
        if key.partition(".")[2] in used | RETURNED:
            signals = {signal.partition("(")[0] for signal in found.get("signals", [])}
            names = {*found.get("properties", []), *found["methods"], *signals} - AMBIGUOUS.get(key, set())
            listed[key] = sorted(used & names)
    return Names(dict(sorted(listed.items())), unlisted)


def _used_in_sources() -> Iterator[str]:
    for path in (path for folder in SOURCES for path in folder.glob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        yield from (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))


def _used_in_forms() -> Iterator[str]:
    for path in (REPOSITORY / "Resources" / "UI").glob("*.ui"):
        root = ElementTree.parse(path).getroot()
        yield from (widget.get("class", "") for widget in root.iter("widget"))
        yield from (name for _, name in properties_of(root))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("api", type=Path, help="slicer-api.json")
    made_from(parser.parse_args().api, Names.read().unlisted).write()


if __name__ == "__main__":
    main()
