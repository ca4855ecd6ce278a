"""The plots are valid SVG and stand at the right place."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from NoisyLabelSegLib.review.report.plots import Interval, Line, ObjectCounts, count_plot, interval_plot, line_plot


def test_a_dot_right_of_zero_is_outside() -> None:
    rows = [Interval("a & b", 0, 1.5, 1.0, 2.0), Interval("c", 1, -1.0, -2.0, 0.0)]
    tree = ET.fromstring(interval_plot(rows, title="Bias <of> all", axis="mm"))
    zero = float(next(item for item in tree if item.get("class") == "zero").get("x1", ""))
    dots = [float(item.get("cx", "")) for item in tree if item.tag == "circle"]
    assert dots[1] < zero < dots[0]
    assert tree.get("aria-label") == "Bias <of> all"
    assert "a & b" in [item.text for item in tree]


def test_bars_are_as_long_as_their_counts() -> None:
    tree = ET.fromstring(count_plot([ObjectCounts("a", 8, 2, 0)], title="t", axis="objects"))
    bars = {item.get("class"): float(item.get("width", "")) for item in tree if item.tag == "rect"}
    assert set(bars) == {"found", "missed"}
    assert bars["found"] == pytest.approx(4 * bars["missed"], rel=0.01)


def test_a_missing_value_leaves_a_gap_in_the_dots() -> None:
    tree = ET.fromstring(line_plot([Line("a", 0, (0.5, None, 1.0))], title="t", axis="case"))
    assert sum(item.tag == "circle" for item in tree) == 2


@pytest.mark.parametrize("value", [0.0, 1e-17, 1e-7, 1e6])
def test_any_size_of_numbers_can_be_drawn(value: float) -> None:
    ET.fromstring(interval_plot([Interval("a", 0, value, value, value)], title="t", axis="mm"))
    ET.fromstring(count_plot([ObjectCounts("a", 0, 0, 0)], title="t", axis="objects"))
    ET.fromstring(line_plot([Line("a", 0, ())], title="t", axis="case"))
