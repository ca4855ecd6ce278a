"""The slices of a case that a report scrolls through: a compressed image, label maps, and where they lie."""

from __future__ import annotations

import math
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import SimpleITK as sitk
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.review.compare.mistakes import Mistake
from NoisyLabelSegLib.review.report.gallery import Display, square_box

MOST_SLICES, MOST_PIXELS = 24, 256
"""Of one case: slices, and pixels along an edge of a slice."""
_IMAGE_BYTES, _LARGEST_IMAGE, _SMALLEST_EDGE = 14_000_000, 400_000, 32
"""Of the images of all cases together and of one case; no image is made smaller than this edge."""
_QUALITY, _TILES_ACROSS, _BLOCK = 70, 6, 8
_FEWEST, _SHARE = 2, 1 / 3
"""A reference is contested where so many annotators, and this share of them, differ from it."""


@dataclass(frozen=True)
class CaseSlices:
    """What a report shows of a case; `slices` count from 1 along the array's first axis, `of` so many.

    Label maps are (rows, columns) per slice, packed by `packed`; `labels` are packed as what differs from the truth.
    `pixel` is height and width of their pixels in mm. `to_ras` (d, d + 1) leads from column, row (and slice index) to
    RAS mm. `image` is one JPEG of all slices as tiles (height, width), `across` in a row, empty without an image; its
    gray values 0 to 255 stand for `gray` (low, high), and `window` is what is shown at first.
    `contested` packs where the reference is contested, which is `contested_share` of all that anyone marked.
    """

    case: str
    slices: tuple[int, ...]
    of: int
    rows: int
    columns: int
    pixel: tuple[float, float]
    left: str
    top: str
    to_ras: tuple[tuple[float, ...], ...]
    image: bytes
    tile: tuple[int, int]
    across: int
    gray: tuple[float, float]
    window: tuple[float, float]
    truth: bytes
    labels: Mapping[str, bytes]
    contested: bytes
    contested_share: float

    def place(self, center_ras: Sequence[float]) -> tuple[float, float]:
        """Column and row of a point in RAS mm."""
        matrix = np.array(self.to_ras)
        found = np.linalg.solve(matrix[:, :-1], np.asarray(center_ras) - matrix[:, -1])
        return float(found[0]), float(found[1])

    def nearest(self, mistake: Mistake) -> int | None:
        """The place in `slices` of the one that shows a mistake best, None where none shows it."""
        inside = [place for place, slice in enumerate(self.slices) if _shows(slice, mistake)]
        middle = _middle_slice(mistake, np.array(self.to_ras))
        return min(inside, key=lambda place: abs(self.slices[place] - middle), default=None)


def is_contested(mistake: Mistake, annotators: int) -> bool:
    """Whether the reference is contested where a mistake lies: several of the case's annotators say the same there."""
    same = 1 + len(mistake.shared_with)
    return same >= _FEWEST and same >= _SHARE * annotators


def slices_of_case(
    case: str,
    labels: Mapping[str, NDArray[np.uint8]],
    truth: NDArray[np.uint8],
    image: NDArray[Any] | None,
    geometry: Geometry,
    mistakes: Sequence[Mistake],
    *,
    cases: int,
) -> CaseSlices | None:
    """Packs the slices on which anyone marked anything, None where there is none.

    labels, truth and image are (*shape). Where more than `MOST_SLICES` are marked, those that show the largest mistakes
    go first and the rest are spread evenly. `cases` share the room of one report.
    """
    volume = geometry.dimension == 3
    stacks: list[NDArray[np.uint8]] = [array if volume else array[None] for array in (truth, *labels.values())]
    marked = np.max([stack.max(axis=(1, 2)) for stack in stacks], axis=0) > 0
    if not marked.any():
        return None
    middles = {id(mistake): _middle_slice(mistake, _to_ras_of_array(geometry)) for mistake in mistakes}
    chosen = _choose(np.flatnonzero(marked), mistakes, middles)
    display = Display.of(geometry)
    shown = [np.stack([display.turn(stack[index]) for index in chosen]) for stack in stacks]
    box = square_box([stack.max(axis=0) for stack in shown], display.pixel)
    edges = [part.stop - part.start for part in box]
    rows, columns = (_size(edge, max(edges), MOST_PIXELS) for edge in edges)
    true, *drawn = (_nearest(stack[(slice(None), *box)], rows, columns) for stack in shown)
    contested = _contested(true, drawn)
    pixels, gray, window = _pixels(image, volume, chosen, display, box)
    packed_image, tile = (b"", (0, 0)) if pixels is None else _tiles(pixels, min(_LARGEST_IMAGE, _IMAGE_BYTES // cases))
    steps = edges[0] / rows, edges[1] / columns
    anyone = np.any([true, *drawn], axis=0)
    return CaseSlices(
        case=case,
        slices=tuple(index + 1 for index in chosen),
        of=len(marked),
        rows=rows,
        columns=columns,
        pixel=(display.pixel[0] * steps[0], display.pixel[1] * steps[1]),
        left=display.left,
        top=display.top,
        to_ras=_to_ras(geometry, display, box, steps, shown[0].shape[1:]),
        image=packed_image,
        tile=tile,
        across=min(_TILES_ACROSS, len(chosen)),
        gray=gray,
        window=window,
        truth=packed(true),
        labels={name: packed(array ^ true) for name, array in zip(labels, drawn, strict=True)},
        contested=packed(contested),
        contested_share=float(contested.sum() / max(anyone.sum(), 1)),
    )


def packed(maps: NDArray[Any]) -> bytes:
    """Label maps (slices, rows, columns) uint8, each row as what differs from the one above, compressed by zlib."""
    maps = maps.astype(np.uint8)
    changes = maps.copy()
    changes[:, 1:] ^= maps[:, :-1]
    return zlib.compress(changes.tobytes(), 6)


def unpacked(content: bytes, shape: tuple[int, int, int]) -> NDArray[np.uint8]:
    """What `packed` was given; the script of the report does the same."""
    changes = np.frombuffer(zlib.decompress(content), np.uint8).reshape(shape)
    return np.asarray(np.bitwise_xor.accumulate(changes, axis=1))


def _choose(marked: NDArray[np.intp], mistakes: Sequence[Mistake], middles: Mapping[int, int]) -> list[int]:
    """Array indices of at most MOST_SLICES slices, in order."""
    if len(marked) <= MOST_SLICES:
        return [int(index) for index in marked]
    chosen: set[int] = set()
    for mistake in sorted(mistakes, key=lambda mistake: -mistake.size):
        if len(chosen) < MOST_SLICES and not any(_shows(index + 1, mistake) for index in chosen):
            chosen.add(middles[id(mistake)] - 1)
    more: set[int] = set()
    for count in range(1, len(marked) + 1):  # ever more slices at even distances, until there are enough
        even = {int(marked[place]) for place in np.linspace(0, len(marked) - 1, count).round().astype(int)}
        if len(chosen | even) > MOST_SLICES:
            break
        more = even
    return sorted(chosen | more)


def _shows(slice: int, mistake: Mistake) -> bool:
    return mistake.first_slice <= slice <= mistake.last_slice


def _middle_slice(mistake: Mistake, to_ras: NDArray[np.float64]) -> int:
    """The slice (from 1) of a mistake's center, by a matrix whose last input is the slice index."""
    if mistake.slices == 1:
        return 1
    found = np.linalg.solve(to_ras[:, :-1], np.asarray(mistake.center_ras) - to_ras[:, -1])
    return min(max(round(float(found[-1])) + 1, mistake.first_slice), mistake.last_slice)


def _to_ras_of_array(geometry: Geometry) -> NDArray[np.float64]:
    """(d, d + 1): from x, y (and z) index to RAS mm."""
    matrix = np.column_stack([geometry.index_to_point_matrix, geometry.origin])
    matrix[:2] *= -1
    return matrix


def _to_ras(
    geometry: Geometry,
    display: Display,
    box: tuple[slice, ...],
    steps: tuple[float, float],
    shape: tuple[int, ...],
) -> tuple[tuple[float, ...], ...]:
    """From column, row (and slice index) of the label maps, at the centers of their pixels, to RAS mm."""
    scale, offset = [], []
    for axis in (1, 0):  # column, then row, to the place in the turned slice before it was flipped
        first = box[axis].start + (steps[axis] - 1) / 2
        flipped = display.flipped[axis]
        scale.append(-steps[axis] if flipped else steps[axis])
        offset.append(shape[axis] - 1 - first if flipped else first)
    n = geometry.dimension
    index = np.zeros((n, n + 1))  # to x, y (and z)
    for place, (factor, start) in enumerate(zip(scale, offset, strict=True)):
        axis = 1 - place if display.transposed else place
        index[axis, place], index[axis, n] = factor, start
    if n == 3:
        index[2, 2] = 1.0
    matrix = _to_ras_of_array(geometry)
    found = matrix[:, :-1] @ index
    found[:, -1] += matrix[:, -1]
    return tuple(tuple(round(float(value), 6) for value in row) for row in found)


def _size(edge: int, longest: int, most: int) -> int:
    return edge if longest <= most else max(1, round(edge * most / longest))


def _nearest(maps: NDArray[np.uint8], rows: int, columns: int) -> NDArray[np.uint8]:
    """The maps thinned out to this size, each pixel as its middle was."""
    places = [
        ((np.arange(count) + 0.5) * size / count).astype(int)
        for count, size in zip((rows, columns), maps.shape[1:], strict=True)
    ]
    return maps[:, places[0][:, None], places[1]]


def _contested(true: NDArray[np.uint8], drawn: Sequence[NDArray[np.uint8]]) -> NDArray[np.bool_]:
    differing = np.zeros(true.shape, np.uint16)
    for labels in drawn:
        differing += labels != true
    return np.asarray(differing >= max(_FEWEST, math.ceil(_SHARE * len(drawn))))


def _pixels(
    image: NDArray[Any] | None, volume: bool, chosen: Sequence[int], display: Display, box: tuple[slice, ...]
) -> tuple[NDArray[np.float32] | None, tuple[float, float], tuple[float, float]]:
    """The image on the chosen slices from 0 to 255, what these two stand for, and the window to begin with."""
    if image is None:
        return None, (0.0, 255.0), (0.0, 255.0)
    stack = image if volume else image[None]
    found = np.nan_to_num(np.stack([display.turn(stack[index])[box] for index in chosen]).astype(np.float32))
    some = found.ravel()[:: max(1, found.size // 200_000)]
    lowest, low, high, highest = (float(value) for value in np.percentile(some, [0.1, 1, 99, 99.9]))
    scaled = np.clip((found - lowest) / max(highest - lowest, 1e-6), 0, 1) * np.float32(255)
    return scaled, (lowest, highest), (low, high)


def _tiles(pixels: NDArray[np.float32], most_bytes: int) -> tuple[bytes, tuple[int, int]]:
    """The slices side by side in one JPEG of at most so many bytes, and height and width of one of them."""
    longest = max(pixels.shape[1:])
    edge = min(longest, MOST_PIXELS, int(math.sqrt(8 * most_bytes / len(pixels))))  # a pixel takes an eighth or more
    while True:
        edge = max(edge, min(longest, _SMALLEST_EDGE))
        sheet, tile = _sheet(pixels, edge / longest)
        content = _jpeg(sheet)
        if len(content) <= most_bytes or edge <= _SMALLEST_EDGE:
            return content, tile
        edge = int(edge * min(0.9, math.sqrt(most_bytes / len(content))))


def _sheet(pixels: NDArray[np.float32], scale: float) -> tuple[NDArray[np.uint8], tuple[int, int]]:
    """All slices as tiles of one image; tiles begin at the blocks of JPEG, so that none shines into another."""
    if scale < 1:
        size = max(1, round(1 / scale))
        smooth = ndimage.uniform_filter(pixels, size=(1, size, size))
        pixels = ndimage.zoom(smooth, (1, scale, scale), order=1, mode="nearest", grid_mode=True)
    count, rows, columns = pixels.shape
    across = min(_TILES_ACROSS, count)
    height, width = (-(-size // _BLOCK) * _BLOCK for size in (rows, columns))
    sheet = np.zeros((-(-count // across) * height, across * width), np.uint8)
    for number, tile in enumerate(pixels):
        row, column = divmod(number, across)
        filled = np.pad(tile, ((0, height - rows), (0, width - columns)), mode="edge")
        sheet[row * height :, column * width :][:height, :width] = filled.round()
    return sheet, (rows, columns)


def _jpeg(image: NDArray[np.uint8]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="noisylabelseg-") as folder:
        path = Path(folder) / "slices.jpg"
        sitk.WriteImage(sitk.GetImageFromArray(image), str(path), useCompression=True, compressionLevel=_QUALITY)
        return path.read_bytes()
