"""Fills table nodes from rows, and reads them back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import vtk

from NoisyLabelSegLib.scene.arrays import Node

Row = Mapping[str, Any]


def fillTable(node: Node, rows: Sequence[Row]) -> None:
    """Replaces the columns of a table node: numbers as numbers (missing ones as NaN), everything else as text."""
    modified = node.StartModify()
    node.RemoveAllColumns()
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [row.get(name) for row in rows]
        node.AddColumn(_numbers(name, values) if _areNumbers(values) else _texts(name, values))
    node.SetUseColumnTitleAsColumnHeader(True)
    node.SetLocked(True)
    node.EndModify(modified)


def rowsOf(node: Node) -> list[dict[str, Any]]:
    """The rows of a table node; a number that does not exist is None."""
    table = node.GetTable()
    columns = [table.GetColumn(index) for index in range(table.GetNumberOfColumns())]
    return [{column.GetName(): _value(column, row) for column in columns} for row in range(table.GetNumberOfRows())]


def _areNumbers(values: Sequence[Any]) -> bool:
    return all(value is None or isinstance(value, (int, float)) for value in values)


def _numbers(name: str, values: Sequence[Any]) -> Node:
    whole = all(isinstance(value, int) for value in values)
    column = vtk.vtkIntArray() if whole else vtk.vtkDoubleArray()
    column.SetName(name)
    for value in values:
        column.InsertNextValue(math.nan if value is None else value)
    return column


def _texts(name: str, values: Sequence[Any]) -> Node:
    column = vtk.vtkStringArray()
    column.SetName(name)
    for value in values:
        column.InsertNextValue("" if value is None else str(value))
    return column


def _value(column: Node, row: int) -> Any:
    value = column.GetValue(row)
    return None if isinstance(value, float) and math.isnan(value) else value
