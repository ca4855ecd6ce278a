"""The slices worth a picture: the worst ones of a study, cropped to what was marked."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Geometry
from NoisyLabelSegLib.metrics.components import busy_box
from NoisyLabelSegLib.review.compare.error_map import ErrorCode

_TOWARDS = (("L", "R"), ("P", "A"), ("S", "I"))  # the letters at the positive and negative end of each LPS axis


@dataclass(frozen=True)
class Display:
    """The slices along an array's first axis (the picture itself in 2D), turned for the screen.

    `left` and `top` name the patient side at these edges of the screen, empty in 2D. `pixel` is height and width of a
    displayed pixel in millimeters.
    """

    transposed: bool
    flipped: tuple[bool, bool]
    pixel: tuple[float, float]
    left: str = ""
    top: str = ""

    @classmethod
    def of(cls, geometry: Geometry) -> Display:
        """Rows run to the back or down, columns to the patient's left, or to the back where slices are sagittal."""
        if geometry.dimension == 2:
            return cls(False, (False, False), geometry.spacing_zyx)  # type: ignore[arg-type]
        patient_axes, signs = _nearest_patient_axes(geometry)
        row, column = patient_axes[1], patient_axes[0]  # of the array's y and x axis
        transposed = column > row  # of left-right, front-back and head-foot, the earlier runs across the screen
        row_sign, column_sign = signs[1], signs[0]
        pixel = (geometry.spacing[1], geometry.spacing[0])
        if transposed:
            row, column, row_sign, column_sign, pixel = column, row, column_sign, row_sign, pixel[::-1]
        down = -1 if row == 2 else 1  # heads are up
        flipped = (row_sign != down, column_sign != 1)
        return cls(transposed, flipped, pixel, left=_TOWARDS[column][1], top=_TOWARDS[row][0 if down < 0 else 1])

    def turn(self, array: NDArray[Any]) -> NDArray[Any]:
        """A slice (rows, columns) of the array as it is shown."""
        array = array.T if self.transposed else array
        return array[:: -1 if self.flipped[0] else 1, :: -1 if self.flipped[1] else 1]


def _nearest_patient_axes(geometry: Geometry) -> tuple[list[int], list[int]]:
    """The patient axis (0 left, 1 back, 2 up) nearest to each array axis x, y, z, no two the same, and its sign."""
    direction = np.asarray(geometry.direction).reshape(3, 3)
    left = np.abs(direction)
    axes = [0, 0, 0]
    for _ in range(3):
        patient, array = np.unravel_index(np.argmax(left), left.shape)
        axes[array] = int(patient)
        left[patient, :] = left[:, array] = -1
    return axes, [1 if direction[patient, array] >= 0 else -1 for array, patient in enumerate(axes)]


_LEAST_PIXELS = 48
_MARGIN = 0.35


@dataclass(frozen=True)
class SlicePicture:
    """One slice as it is shown: `image` (rows, columns) uint8 or None, `truth` and `labels` (rows, columns) uint8.

    `slice` counts from 1; `error_area` is what was wrong there in mm2, over all annotators or for one.
    """

    number: int
    case: str
    slice: int
    slices: int
    error_area: float
    image: NDArray[np.uint8] | None
    truth: NDArray[np.uint8]
    labels: Mapping[str, NDArray[np.uint8]]
    display: Display


class Gallery:
    """Keeps the `size` worst slices offered, at most one of each case unless there are fewer cases than places."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._best: list[tuple[int, float, int, int, SlicePicture]] = []

    def offer(self, pictures: Sequence[SlicePicture]) -> None:
        """The worst slices of one case, worst first."""
        for turn, picture in enumerate(pictures[: self._size]):
            # the worst slice of any case goes before the second worst of any other
            entry = (-turn, picture.error_area, -picture.number, -picture.slice, picture)
            heapq.heappush(self._best, entry)
            if len(self._best) > self._size:
                heapq.heappop(self._best)

    def pictures(self) -> list[SlicePicture]:
        return [entry[-1] for entry in sorted(self._best, key=lambda entry: entry[:4], reverse=True)]


def worst_slices(
    number: int,
    case: str,
    error_maps: Mapping[str, NDArray[np.uint8]],
    image: NDArray[Any] | None,
    truth: NDArray[np.uint8],
    labels: Mapping[str, NDArray[np.uint8]],
    geometry: Geometry,
    count: int,
) -> list[SlicePicture]:
    """The `count` slices with the largest area of errors in these maps, which may be of one annotator or of all."""
    areas = _error_areas(error_maps, geometry)
    order = np.argsort(-areas, kind="stable")
    chosen: list[int] = []
    for index in order.tolist():
        if len(chosen) < count and areas[index] > 0 and all(abs(index - other) > 1 for other in chosen):
            chosen.append(index)
    return [_picture(number, case, index, float(areas[index]), image, truth, labels, geometry) for index in chosen]


def _error_areas(error_maps: Mapping[str, NDArray[np.uint8]], geometry: Geometry) -> NDArray[np.float64]:
    """The area of errors in each slice (1 in 2D), in mm2."""
    slices = geometry.shape[0] if geometry.dimension == 3 else 1
    areas = np.zeros(slices)
    for codes in error_maps.values():
        wrong = (codes >= ErrorCode.FALSE_NEGATIVE).reshape(slices, -1)
        areas += np.count_nonzero(wrong, axis=1)
    return areas * float(np.prod(geometry.spacing[:2]))


def _picture(
    number: int,
    case: str,
    index: int,
    area: float,
    image: NDArray[Any] | None,
    truth: NDArray[np.uint8],
    labels: Mapping[str, NDArray[np.uint8]],
    geometry: Geometry,
) -> SlicePicture:
    display = Display.of(geometry)
    volume = geometry.dimension == 3

    def shown(array: NDArray[Any]) -> NDArray[Any]:
        return display.turn(array[index] if volume else array)

    flat_truth, flat_labels = shown(truth), {name: shown(array) for name, array in labels.items()}
    box = square_box([flat_truth, *flat_labels.values()], display.pixel)
    return SlicePicture(
        number=number,
        case=case,
        slice=index + 1,
        slices=geometry.shape[0] if volume else 1,
        error_area=area,
        image=None if image is None else _gray(shown(image)[box]),
        truth=flat_truth[box].copy(),
        labels={name: array[box].copy() for name, array in flat_labels.items()},
        display=display,
    )


def square_box(arrays: Sequence[NDArray[Any]], pixel: tuple[float, float]) -> tuple[slice, ...]:
    """A box around everything marked, about square in millimeters, with some of the surroundings."""
    shape = arrays[0].shape
    marked = busy_box(arrays, shape, margin=0)
    lengths = [(part.stop - part.start) * edge for part, edge in zip(marked, pixel, strict=True)]
    wanted = max(max(lengths) * (1 + 2 * _MARGIN), _LEAST_PIXELS * min(pixel))
    box = []
    for part, edge, size in zip(marked, pixel, shape, strict=True):
        half = wanted / edge / 2
        middle = (part.start + part.stop) / 2
        box.append(slice(max(0, int(middle - half)), min(size, int(np.ceil(middle + half)))))
    return tuple(box)


def _gray(image: NDArray[Any]) -> NDArray[np.uint8]:
    """The window from the 1st to the 99th percentile of what is shown."""
    image = np.nan_to_num(image)
    low, high = np.percentile(image, [1, 99])
    scaled = (image - low) / max(float(high - low), 1e-6)
    return np.asarray(np.clip(scaled * 255, 0, 255), dtype=np.uint8)
