"""Loads the extension's sources as PythonQt would run them: Qt properties are attributes, enums are flat.

Every module of the panel is compiled with PySide's `true_property` switched on, every method call in it goes through
`guard.call`, and every attribute through `api.known`. Scoped enums, which PySide has and PythonQt has not, are refused
while loading.
"""

from __future__ import annotations

import ast
import enum
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Sequence
from pathlib import Path

PROLOGUE = """
from __feature__ import true_property
from slicerhost.api import known as __host_known__
from slicerhost.guard import call as __host_call__
"""


class HostLoader(importlib.machinery.SourceFileLoader):
    """Compiles one source file for the host; never from a cache, which other programs would then share."""

    def get_code(self, fullname: str) -> types.CodeType:
        path = self.get_filename(fullname)
        tree = ast.parse(self.get_data(path), path)
        _refuse_scoped_enums(tree, path)
        tree = ast.fix_missing_locations(_Guarded().visit(tree))
        place = _after_future_imports(tree.body)
        tree.body[place:place] = ast.parse(PROLOGUE).body
        return compile(tree, path, "exec", dont_inherit=True)


class HostFinder(importlib.abc.MetaPathFinder):
    """Finds the modules whose name is, or lies below, one of `names`, and loads them with HostLoader."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not any(fullname == name or fullname.startswith(name + ".") for name in self.names):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.origin and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = HostLoader(fullname, spec.origin)
        return spec


def load_source(name: str, path: Path) -> types.ModuleType:
    """Executes one file as module `name`, as Slicer does with a scripted module; running it again reloads it."""
    loader = HostLoader(name, str(path))
    module = types.ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    loader.exec_module(module)
    return module


class _Guarded(ast.NodeTransformer):
    """`a.b` becomes `__host_known__(a, "b").b`, and `a.b(c)` becomes `__host_call__(a.b, c)`."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Attribute):
            return node
        return _call("__host_call__", [node.func, *node.args], node.keywords, node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.value = _call("__host_known__", [node.value, ast.Constant(node.attr)], [], node)
        return node


def _call(name: str, arguments: list[ast.expr], keywords: list[ast.keyword], place: ast.expr) -> ast.Call:
    function = ast.copy_location(ast.Name(name, ast.Load()), place)
    return ast.copy_location(ast.Call(function, arguments, keywords), place)


def _refuse_scoped_enums(tree: ast.AST, path: str) -> None:
    import qt

    for node in ast.walk(tree):
        parts = _dotted(node)
        if len(parts) == 4 and parts[0] == "qt":
            group = getattr(getattr(qt, parts[1], None), parts[2], None)
            if isinstance(group, enum.EnumMeta):
                flat = f"qt.{parts[1]}.{parts[3]}"
                raise AttributeError(f"{path}: PythonQt has no {'.'.join(parts)}; its enum values are flat ({flat})")


def _dotted(node: ast.AST) -> list[str]:
    """["qt", "Qt", "Checked"] for the expression qt.Qt.Checked, else an empty list."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _after_future_imports(body: list[ast.stmt]) -> int:
    place = 0
    for index, statement in enumerate(body):
        docstring = index == 0 and isinstance(statement, ast.Expr)
        future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
        if docstring or future:
            place = index + 1
    return place
