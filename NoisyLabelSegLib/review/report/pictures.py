"""A slice as HTML in radiological orientation: the image as PNG, contours and error maps as SVG over it."""

from __future__ import annotations

import base64
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.review.compare.error_map import ErrorCode, error_map
from NoisyLabelSegLib.review.report.gallery import SlicePicture

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
    sides = (  # the neighbor that must be outside, then start and end of the edge from the pixel's corner
        (padded[:-2, 1:-1], (0, 0), (1, 0)),
        (padded[1:-1, 2:], (1, 0), (1, 1)),
        (padded[2:, 1:-1], (1, 1), (0, 1)),
        (padded[1:-1, :-2], (0, 1), (0, 0)),
    )
    ends: dict[_Point, list[_Point]] = defaultdict(list)
    for neighbor, (x0, y0), (x1, y1) in sides:
        for y, x in np.argwhere(inside & ~neighbor).tolist():
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


MOST_PIXELS = 192
"""The image is made no larger than this; what is drawn over it stays exact."""

_SHOWN = (ErrorCode.TRUE_POSITIVE, ErrorCode.FALSE_NEGATIVE, ErrorCode.FALSE_POSITIVE, ErrorCode.WRONG_CLASS)


def outlines_figure(picture: SlicePicture, annotators: Mapping[int, str], *, alt: str, caption: str) -> str:
    """The image with the outline of the truth and of every annotator, colored by their place in the study."""
    shapes = [
        f'<path class="by by{place}" d="{contour_path(picture.labels[name] != 0)}"/>'
        for place, name in annotators.items()
        if name in picture.labels
    ]
    shapes.append(f'<path class="truth" d="{contour_path(picture.truth != 0)}"/>')
    return _figure(picture, shapes, alt, caption)


def error_figure(picture: SlicePicture, annotator: str, *, alt: str, caption: str) -> str:
    """The image with one annotator's error map over it."""
    codes = error_map(picture.labels[annotator], picture.truth)
    shapes = [
        f'<path class="code{code:d}" d="{contour_path(codes == code)}"/>' for code in _SHOWN if (codes == code).any()
    ]
    return _figure(picture, shapes, alt, caption)


def png_uri(image: NDArray[Any]) -> str:
    """A gray (rows, columns) uint8 image as a data URI."""
    with tempfile.TemporaryDirectory(prefix="noisylabelseg-") as folder:
        path = Path(folder) / "slice.png"
        sitk.WriteImage(sitk.GetImageFromArray(np.ascontiguousarray(image)), str(path), useCompression=True)
        return "data:image/png;base64," + base64.b64encode(path.read_bytes()).decode("ascii")


def _figure(picture: SlicePicture, shapes: Sequence[str], alt: str, caption: str) -> str:
    rows, columns = picture.truth.shape
    height, width = rows * picture.display.pixel[0], columns * picture.display.pixel[1]
    image = np.zeros((1, 1), dtype=np.uint8) if picture.image is None else _small(picture.image)
    sides = [("left", picture.display.left), ("top", picture.display.top)]
    letters = "".join(f'<span class="{edge}">{letter}</span>' for edge, letter in sides if letter)
    return (
        f'<figure><div class="slice" style="aspect-ratio:{width:.4g}/{height:.4g}">'
        f'<img src="{png_uri(image)}" alt="{escape(alt)}">'
        f'<svg viewBox="0 0 {columns} {rows}" preserveAspectRatio="none" aria-hidden="true">{"".join(shapes)}</svg>'
        f"{letters}</div><figcaption>{caption}</figcaption></figure>"
    )


def _small(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The image smoothed and thinned out until it is no larger than MOST_PIXELS, its edges where they were."""
    factor = max(image.shape) / MOST_PIXELS
    if factor <= 1:
        return image
    smooth = ndimage.uniform_filter(image, size=round(factor))
    return np.asarray(ndimage.zoom(smooth, 1 / factor, order=1, mode="nearest", grid_mode=True), dtype=np.uint8)
