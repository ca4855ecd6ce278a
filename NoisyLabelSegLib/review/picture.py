"""A slice as HTML: the image as PNG inside the page, outlines and error maps as vector shapes over it."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.review.contours import contour_path
from NoisyLabelSegLib.review.error_map import ErrorCode, error_map
from NoisyLabelSegLib.review.gallery import SlicePicture

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
    """A grey (rows, columns) uint8 image as a data URI."""
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
