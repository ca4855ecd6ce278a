"""Imports point one way: each room may use only what stands in its row of RULES."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "NoisyLabelSegLib"

ARRAYS = {"numpy", "scipy", "SimpleITK", "pydicom", "highdicom"}
TORCH = {"numpy", "torch", "safetensors", "lightning_fabric"}
TERMINAL = {"joblib", "rich", "rich_argparse"}
LIBRARY = ["cases", "simulation", "fusion", "metrics", "review"]
NETWORKS = ["networks", "training", "inference"]

# Room: (rooms it may import besides itself, packages it may import besides the standard library).
RULES: dict[str, tuple[set[str], set[str]]] = {
    **{room: (set(LIBRARY[:place]), ARRAYS) for place, room in enumerate(LIBRARY)},
    **{
        room: ({"cases", "fusion", "metrics", *NETWORKS[:place]}, TORCH | {"SimpleITK", "scipy"})
        for place, room in enumerate(NETWORKS)
    },
    "jobs": ({"cases"}, set()),
    "scene": ({"cases", "fusion", "review"}, {"slicer", "vtk", "numpy"}),
    "widget": ({"scene", "jobs", "review", "fusion", "cases"}, {"qt", "ctk", "slicer"}),
    "experiments": (
        {*LIBRARY, *NETWORKS, "commands"},
        ARRAYS | TORCH | TERMINAL | {"skimage", "matplotlib", "PIL", "monai"},
    ),
    "commands": ({*LIBRARY, *NETWORKS, "experiments", "jobs"}, ARRAYS | TERMINAL),
    "cli": ({"commands"}, TERMINAL),
}
# What a room may import inside a function only.
INSIDE_FUNCTIONS: dict[str, tuple[set[str], set[str]]] = {
    "simulation": (set(), {"skimage"}),
    "networks": (set(), {"monai"}),
    "jobs": ({*LIBRARY, *NETWORKS}, set()),
    "commands": ({"scene"}, {"dask", "distributed"}),
    "experiments": ({"scene"}, {"slicerhost"}),
    "widget": ({"simulation"}, {"SampleData", "PyTorchUtils"}),
}
# Files beside the rooms, used by all of them, need nothing but the standard library.
SHARED = {"errors", "output", "progress", "resources", "signals", "__init__"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return "cli" if parts[0] == "__main__" else parts[0]


def imported(tree: ast.Module) -> list[tuple[str, bool]]:
    """Every imported module's name, and whether the import stands inside a function."""
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, inside: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend((alias.name, inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide which room is meant"
            module = node.module or ""
            found.extend((f"{module}.{alias.name}", inside) for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child, inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))

    visit(tree, False)
    return found


def forbidden(room: str, name: str, *, inside: bool) -> bool:
    parts = name.split(".")
    if parts[0] in sys.stdlib_module_names:
        return False
    if room in SHARED:
        return parts[0] != "NoisyLabelSegLib" or parts[1] not in SHARED
    rooms, packages = RULES[room]
    if inside and room in INSIDE_FUNCTIONS:
        rooms, packages = rooms | INSIDE_FUNCTIONS[room][0], packages | INSIDE_FUNCTIONS[room][1]
    if parts[0] != "NoisyLabelSegLib":
        return parts[0] not in packages
    return parts[1] not in {room, "__version__", "cli"} | SHARED | rooms


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    room = room_of(path)
    assert room in RULES or room in SHARED, f"room {room} has no rule"
    wrong = [
        name
        for name, inside in imported(ast.parse(path.read_text(encoding="utf-8")))
        if forbidden(room, name, inside=inside)
    ]
    assert not wrong, f"{path.name} of {room} imports {', '.join(wrong)}"


@pytest.mark.parametrize(
    ("room", "name"),
    [
        ("cases", "torch"),
        ("cases", "NoisyLabelSegLib.fusion"),
        ("fusion", "NoisyLabelSegLib.review.words"),
        ("fusion", "joblib"),
        ("review", "matplotlib"),
        ("networks", "slicer"),
        ("errors", "numpy"),
        ("jobs", "NoisyLabelSegLib.training"),
        ("widget", "torch"),
    ],
)
def test_the_rule_catches_a_forbidden_import(room: str, name: str) -> None:
    assert forbidden(room, name, inside=False)


@pytest.mark.parametrize("name", ["NoisyLabelSegLib", "NoisyLabelSegLib.cases", "NoisyLabelSegLib.cli"])
def test_importing_loads_nothing_heavy(name: str) -> None:
    code = f"import {name}, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"torch", "slicer", "vtk", "qt", "PySide6", "skimage", "highdicom", "SimpleITK", "matplotlib", "monai"}
    assert not heavy & set(loaded)
