"""Imports point one way: each package may use only what stands in its row of RULES."""

from __future__ import annotations

import ast
import graphlib
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "NoisyLabelSegLib"

ARRAYS = {"numpy", "scipy", "SimpleITK", "pydicom", "highdicom"}
TORCH = {"numpy", "torch", "safetensors", "lightning_fabric"}
TERMINAL = {"joblib", "rich", "rich_argparse"}
LIBRARY = ["cases", "metrics", "simulation", "fusion", "decisions", "evaluation", "reader_study", "agreement", "review"]
NETWORKS = ["networks", "training", "inference"]

# Package: (packages it may import besides itself, others it may import besides the standard library).
RULES: dict[str, tuple[set[str], set[str]]] = {
    **{package: (set(LIBRARY[:place]), ARRAYS) for place, package in enumerate(LIBRARY)},
    **{
        package: ({"cases", "fusion", "metrics", *NETWORKS[:place]}, TORCH | {"SimpleITK", "scipy"})
        for place, package in enumerate(NETWORKS)
    },
    "verbs": (set(), set()),
    "jobs": (set(), set()),
    "scene": ({"cases", "metrics", "fusion", "decisions", "agreement", "review"}, {"slicer", "vtk", "numpy"}),
    "widget": (
        {"scene", "jobs", "verbs", "review", "decisions", "agreement", "reader_study", "fusion", "metrics", "cases"},
        {"qt", "ctk", "slicer"},
    ),
    "demo": ({*LIBRARY, *NETWORKS, "commands"}, ARRAYS | TORCH),
    "commands": ({*LIBRARY, *NETWORKS, "demo", "jobs", "verbs"}, ARRAYS | TERMINAL),
    "cli": ({"commands"}, TERMINAL),
    "api": (set(), set()),
    "__init__": (set(), set()),
}
# What a package may import inside a function only.
INSIDE_FUNCTIONS: dict[str, tuple[set[str], set[str]]] = {
    "simulation": (set(), {"skimage"}),
    "networks": (set(), {"monai"}),
    "verbs": ({*LIBRARY, *NETWORKS}, set()),
    "api": ({*LIBRARY, *NETWORKS}, set()),
    "__init__": ({"api", "cases", "fusion"}, set()),
    "jobs": ({"verbs"}, set()),
    "commands": ({"scene"}, {"dask", "distributed", "matplotlib"}),
    "demo": ({"scene"}, set()),
    "widget": ({"simulation"}, {"SampleData", "PyTorchUtils"}),
}
# Files beside the packages, used by all of them, need nothing but the standard library.
SHARED = {
    "errors",
    "failures",
    "json_checks",
    "lazy",
    "locks",
    "output",
    "progress",
    "resources",
    "signals",
    "ticks",
    "untrusted",
    "words",
}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def package_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return "cli" if parts[0] == "__main__" else parts[0]


def for_types_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imported(tree: ast.Module) -> list[tuple[str, bool]]:
    """Every imported module's name, and whether it is loaded later: inside a function, or for type checking only."""
    found: list[tuple[str, bool]] = []

    def visit(node: ast.AST, inside: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend((alias.name, inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide which package is meant"
            module = node.module or ""
            found.extend((f"{module}.{alias.name}", inside) for alias in node.names)
        for child in ast.iter_child_nodes(node):
            visit(child, inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or for_types_only(node))

    visit(tree, False)
    return found


def forbidden(package: str, name: str, *, inside: bool) -> bool:
    parts = name.split(".")
    if parts[0] in sys.stdlib_module_names:
        return False
    if package in SHARED:
        return parts[0] != "NoisyLabelSegLib" or parts[1] not in SHARED
    library, others = RULES[package]
    if inside and package in INSIDE_FUNCTIONS:
        library, others = library | INSIDE_FUNCTIONS[package][0], others | INSIDE_FUNCTIONS[package][1]
    if parts[0] != "NoisyLabelSegLib":
        return parts[0] not in others
    return parts[1] not in {package, "__version__", "cli"} | SHARED | library


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_package_may(path: Path) -> None:
    package = package_of(path)
    assert package in RULES or package in SHARED, f"package {package} has no rule"
    wrong = [
        name
        for name, inside in imported(ast.parse(path.read_text(encoding="utf-8")))
        if forbidden(package, name, inside=inside)
    ]
    assert not wrong, f"{path.name} of {package} imports {', '.join(wrong)}"


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("cases", "torch"),
        ("cases", "NoisyLabelSegLib.fusion"),
        ("fusion", "NoisyLabelSegLib.review.sentences"),
        ("fusion", "joblib"),
        ("review", "matplotlib"),
        ("networks", "slicer"),
        ("errors", "numpy"),
        ("jobs", "NoisyLabelSegLib.training"),
        ("widget", "torch"),
    ],
)
def test_the_rule_catches_a_forbidden_import(package: str, name: str) -> None:
    assert forbidden(package, name, inside=False)


@pytest.mark.parametrize("name", ["NoisyLabelSegLib", "NoisyLabelSegLib.cases", "NoisyLabelSegLib.cli"])
def test_importing_loads_nothing_heavy(name: str) -> None:
    code = f"import {name}, sys; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"torch", "slicer", "vtk", "qt", "PySide6", "skimage", "highdicom", "SimpleITK", "matplotlib", "monai"}
    assert not heavy & set(loaded)


def loaded_at_import(tree: ast.AST) -> list[str]:
    """The names imported while the module itself is imported: not in functions, not for type checking only."""
    found: list[str] = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.If) and for_types_only(node):
            found += loaded_at_import(ast.Module(node.orelse, []))
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            found += loaded_at_import(node)
    return found


def import_graph(sources: dict[str, str]) -> dict[str, set[str]]:
    """Which modules of the library each module (dotted name: source text) loads, the packages around them included.

    A package around the importing module itself is left out: it is always being imported already.
    """
    graph: dict[str, set[str]] = {}
    for module, source in sources.items():
        used = graph.setdefault(module, set())
        for name in loaded_at_import(ast.parse(source)):
            target = name if name in sources else name.rpartition(".")[0]
            if target not in sources or target == module:
                continue
            parts = target.split(".")
            around = {".".join(parts[:end]) for end in range(1, len(parts))}
            used |= {target} | {package for package in around if not module.startswith(f"{package}.")} - {module}
    return graph


def import_cycle(sources: dict[str, str]) -> list[str]:
    """The modules of one cycle of imports, empty if there is none."""
    try:
        graphlib.TopologicalSorter(import_graph(sources)).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def library_sources() -> dict[str, str]:
    def name(path: Path) -> str:
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    return {name(path): path.read_text(encoding="utf-8") for path in modules()}


def test_no_modules_import_each_other() -> None:
    assert import_cycle(library_sources()) == []


def test_a_cycle_of_imports_is_found_unless_a_function_or_a_type_needs_it() -> None:
    first = "from p.b import x"
    assert set(import_cycle({"p": "", "p.a": first, "p.b": "import p.a"})) == {"p.a", "p.b"}
    assert not import_cycle({"p": "", "p.a": first, "p.b": "def f():\n    import p.a"})
    assert not import_cycle({"p": "", "p.a": first, "p.b": "if TYPE_CHECKING:\n    import p.a"})


@pytest.mark.parametrize(("package", "above"), [("compare", "active"), ("compare", "report"), ("active", "report")])
def test_a_part_of_review_does_not_import_the_parts_above_it(package: str, above: str) -> None:
    start, forbidden_start = (f"NoisyLabelSegLib.review.{name}" for name in (package, above))
    checked = [path for path in modules() if path.parent == PACKAGE / "review" / package]
    assert checked, f"there is no package {start}"
    names = [name for path in checked for name, _ in imported(ast.parse(path.read_text(encoding="utf-8")))]
    assert not [name for name in names if f"{name}.".startswith(f"{forbidden_start}.")]
