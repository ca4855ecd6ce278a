"""What is shown to people can be translated."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

WIDGET = Path(__file__).resolve().parents[2] / "NoisyLabelSegLib" / "widget"


@pytest.mark.parametrize("path", sorted(WIDGET.glob("*.py")), ids=lambda path: path.name)
def test_only_whole_sentences_are_translated(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_":
            assert not isinstance(node.args[0], (ast.JoinedStr, ast.BinOp)), f"{path.name}, line {node.lineno}"
