"""Layouts for any number of annotators."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from NoisyLabelSegLib.scene.layout import columnsFor, layoutXml


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 2), (4, 2), (5, 3), (9, 3), (10, 4)])
def test_the_grid_is_about_square(count: int, columns: int) -> None:
    assert columnsFor(count) == columns


def test_every_annotator_has_an_own_cell() -> None:
    items = ElementTree.fromstring(layoutXml(["a", "b", "c", "d", "e"])).findall("item")
    cells = [(item.get("row"), item.get("column")) for item in items]
    assert cells == [("0", "0"), ("0", "1"), ("0", "2"), ("1", "0"), ("1", "1")]
    assert len({item[0].get("singletontag") for item in items}) == 5


def test_names_with_special_letters_survive() -> None:
    names = ["Zoë <1>", 'A & "B"']
    layout = ElementTree.fromstring(layoutXml(names))
    assert [node.text for node in layout.iter("property") if node.get("name") == "viewlabel"] == names


def test_an_unknown_orientation_is_refused() -> None:
    with pytest.raises(ValueError, match="Oblique is not one of Axial"):
        layoutXml(["a"], ("Oblique",))
