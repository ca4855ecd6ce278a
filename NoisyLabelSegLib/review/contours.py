"""The outline of a 2D mask along its pixel edges as an SVG path, exact at any size."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

_Point = tuple[int, int]


def contour_path(mask: NDArray[np.bool_]) -> str:
    """Closed loops around a mask (rows, columns), one unit per pixel, for `d=` with the even-odd fill rule."""
    ends = _edges(mask)
    loops = []
    while ends:
        start = point = next(iter(ends))
        loop = [start]
        while True:
            following = ends[point].pop()
            if not ends[point]:
                del ends[point]
            point = following
            if point == start:
                break
            loop.append(point)
        loops.append(_path(loop))
    return "".join(loops)


def _edges(mask: NDArray[np.bool_]) -> dict[_Point, list[_Point]]:
    """Unit edges between inside and outside by their start (x, y), the inside always to the right."""
    padded = np.pad(mask, 1)
    inside = padded[1:-1, 1:-1]
    sides = (  # the neighbour that must be outside, then start and end of the edge from the pixel's corner
        (padded[:-2, 1:-1], (0, 0), (1, 0)),
        (padded[1:-1, 2:], (1, 0), (1, 1)),
        (padded[2:, 1:-1], (1, 1), (0, 1)),
        (padded[1:-1, :-2], (0, 1), (0, 0)),
    )
    ends: dict[_Point, list[_Point]] = defaultdict(list)
    for neighbour, (x0, y0), (x1, y1) in sides:
        for y, x in np.argwhere(inside & ~neighbour).tolist():
            ends[x + x0, y + y0].append((x + x1, y + y1))
    return ends


def _path(loop: list[_Point]) -> str:
    """A loop as horizontal and vertical strokes, those in line joined."""
    text, last = [f"M{loop[0][0]} {loop[0][1]}"], loop[0]
    for index, point in enumerate(loop[1:], start=1):
        following = loop[(index + 1) % len(loop)]
        straight = (last[0] == point[0] == following[0]) or (last[1] == point[1] == following[1])
        if straight:
            continue
        text.append(f"h{point[0] - last[0]}" if point[1] == last[1] else f"v{point[1] - last[1]}")
        last = point
    return "".join(text) + "z"
