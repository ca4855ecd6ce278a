"""The color tables under Resources/colors: of the error map's codes, and one color per annotator."""

from __future__ import annotations

import json
from dataclasses import dataclass

from NoisyLabelSegLib.resources import resource_path

PAPER, COLORBLIND, ANNOTATORS = "errors_paper", "errors_colorblind", "annotators"


@dataclass(frozen=True)
class Color:
    """One entry of a table; `rgba` between 0 and 1."""

    code: int
    key: str
    name: str
    rgba: tuple[float, float, float, float]

    @property
    def css(self) -> str:
        """The color without its opacity, as in #e69f00."""
        return "#" + "".join(f"{round(255 * value):02x}" for value in self.rgba[:3])

    @property
    def opacity(self) -> float:
        return self.rgba[3]


def color_table(name: str) -> tuple[Color, ...]:
    """The table `Resources/colors/<name>.json`."""
    content = json.loads(resource_path(f"colors/{name}.json").read_text(encoding="utf-8"))
    return tuple(
        Color(entry["code"], entry["key"], entry["name"], tuple(entry["rgba"])) for entry in content["entries"]
    )
