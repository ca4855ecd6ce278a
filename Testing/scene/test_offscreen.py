"""Pictures of error maps: the right color at the right place of the patient, on every kind of grid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, read_image
from NoisyLabelSegLib.review import DEFAULT_COLORS, PAPER, ErrorCode, color_table
from NoisyLabelSegLib.scene.colors import errorColors
from NoisyLabelSegLib.scene.offscreen import OffscreenView, gridOf, writePng
from NoisyLabelSegLib.scene.volumes import SCALAR, showAsCodes

Node = Any
OFFSET = 9.0  # millimeters from the middle to the boxes
PIXELS_PER_MM = 5
SIZE = 240


def centered(direction: Any, spacing: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Geometry:
    """A grid of 40 x 40 x 40 mm whose middle voxel lies at the origin of the patient's space."""
    shape = tuple(round(40 / edge) for edge in reversed(spacing))
    matrix = np.asarray(direction, dtype=float).reshape(3, 3)
    origin = -matrix @ (np.array(spacing) * [n // 2 for n in reversed(shape)])
    return Geometry(shape, spacing, tuple(origin.tolist()), tuple(matrix.ravel().tolist()))


def turned(degrees: tuple[float, float]) -> Any:
    """Directions turned around the head-foot axis and then around the left-right axis."""
    a, b = np.radians(degrees)
    about_z = np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    about_x = np.array([[1, 0, 0], [0, np.cos(b), -np.sin(b)], [0, np.sin(b), np.cos(b)]])
    return about_x @ about_z


GRIDS = {
    "plain": centered(np.eye(3)),
    "negative x and y": centered(np.diag([-1, -1, 1])),
    "negative y and z": centered(np.diag([1, -1, -1])),
    "thick slices": centered(np.diag([-1, 1, -1]), (1.0, 1.0, 4.0)),
    "sagittal slices": centered([[0, 0, 1], [1, 0, 0], [0, -1, 0]], (1.0, 1.0, 2.0)),
    "oblique": centered(turned((25, 15))),
    "oblique with negative directions": centered(turned((-30, 20)) @ np.diag([-1, 1, -1]), (1.0, 0.8, 2.0)),
}


def codes_by_place(geometry: Geometry) -> Any:
    """A true positive in the middle, and boxes to the patient's right, in front and above."""
    indices = np.moveaxis(np.indices(geometry.shape), 0, -1)
    points = geometry.points(indices)  # left, posterior, superior
    places = {
        ErrorCode.TRUE_POSITIVE: (0, 0, 0),
        ErrorCode.FALSE_POSITIVE: (-OFFSET, 0, 0),
        ErrorCode.FALSE_NEGATIVE: (0, -OFFSET, 0),
        ErrorCode.WRONG_CLASS: (0, 0, OFFSET),
    }
    codes = np.zeros(geometry.shape, dtype=np.uint8)
    for code, place in places.items():
        codes[(np.abs(points - place) < 4).all(axis=-1)] = code
    return codes


def drawn(code: ErrorCode, table: str = DEFAULT_COLORS) -> Any:
    """The color of a code over a black image."""
    *rgb, alpha = color_table(table)[code].rgba
    return np.array(rgb) * alpha * 255


def show(view: OffscreenView, image: Node, codes: Node, orientation: str) -> Any:
    image.GetDisplayNode().AutoWindowLevelOff()
    image.GetDisplayNode().SetWindowLevelMinMax(0, 100)
    view.compositeNode.SetBackgroundVolumeID(image.GetID())
    view.compositeNode.SetLabelVolumeID(codes.GetID())
    view.compositeNode.SetLabelOpacity(1)
    view.node.SetOrientation(orientation)
    view.node.SetFieldOfView(SIZE / PIXELS_PER_MM, SIZE / PIXELS_PER_MM, 1)
    view.node.JumpSliceByCentering(0, 0, 0)
    return view.picture()


# What is seen to the left of the middle and above it; nothing is drawn on the opposite sides.
SEEN = {
    "Axial": (ErrorCode.FALSE_POSITIVE, ErrorCode.FALSE_NEGATIVE),  # patient's right left, front up
    "Coronal": (ErrorCode.FALSE_POSITIVE, ErrorCode.WRONG_CLASS),  # patient's right left, head up
    "Sagittal": (ErrorCode.FALSE_NEGATIVE, ErrorCode.WRONG_CLASS),  # front left, head up
}


@pytest.mark.parametrize("orientation", SEEN)
@pytest.mark.parametrize("grid", GRIDS)
def test_every_error_has_its_color_at_its_place(
    grid: str, orientation: str, view: Callable[..., OffscreenView], add_volume: Callable[..., Node], scene: Node
) -> None:
    geometry = GRIDS[grid]
    image = add_volume("image", np.zeros(geometry.shape, np.int16), geometry, kind=SCALAR)
    codes = add_volume("codes", codes_by_place(geometry), geometry)
    showAsCodes(codes, errorColors(scene))
    picture = show(view(), image, codes, orientation)
    middle, step = SIZE // 2, round(OFFSET * PIXELS_PER_MM)
    left, above = SEEN[orientation]
    np.testing.assert_allclose(picture[middle, middle], drawn(ErrorCode.TRUE_POSITIVE), atol=2)
    np.testing.assert_allclose(picture[middle, middle - step], drawn(left), atol=2)
    np.testing.assert_allclose(picture[middle - step, middle], drawn(above), atol=2)
    assert not picture[middle, middle + step].any()
    assert not picture[middle + step, middle].any()


def test_the_color_blind_table_changes_the_colors(
    view: Callable[..., OffscreenView], add_volume: Callable[..., Node], scene: Node
) -> None:
    geometry = GRIDS["plain"]
    image = add_volume("image", np.zeros(geometry.shape, np.int16), geometry, kind=SCALAR)
    codes = add_volume("codes", codes_by_place(geometry), geometry)
    showAsCodes(codes, errorColors(scene, PAPER))
    picture = show(view(), image, codes, "Axial")
    step = round(OFFSET * PIXELS_PER_MM)
    expected = drawn(ErrorCode.FALSE_POSITIVE, PAPER)
    np.testing.assert_allclose(picture[SIZE // 2, SIZE // 2 - step], expected, atol=2)


def test_a_point_of_the_patient_has_a_pixel(view: Callable[..., OffscreenView], add_image: Callable[..., Node]) -> None:
    image = add_image("image", GRIDS["plain"])
    opened = view()
    show(opened, image, image, "Axial")
    assert opened.pixelOf((0, 0, 0)) == pytest.approx((SIZE / 2, SIZE / 2), abs=1)
    row, column = opened.pixelOf((OFFSET, 0, 0))  # RAS: to the patient's right
    assert (row, column) == pytest.approx((SIZE / 2, SIZE / 2 - OFFSET * PIXELS_PER_MM), abs=1)


def test_fitting_shows_the_whole_image_and_nothing_more(
    view: Callable[..., OffscreenView], add_image: Callable[..., Node]
) -> None:
    image = add_image("image", Geometry.plain((4, 30, 30)))
    image.GetDisplayNode().AutoWindowLevelOff()
    image.GetDisplayNode().SetWindowLevelMinMax(0, 100)
    opened = view()
    opened.compositeNode.SetBackgroundVolumeID(image.GetID())
    opened.fit()
    picture = opened.picture()
    assert (picture[30:-2, 30:-2] == 255).all()  # but for the letters at the edges
    assert (picture[2:-2, -2] == 255).all()


def test_pictures_stand_in_a_grid_with_free_places_black() -> None:
    white = np.full((3, 4, 3), 255, dtype=np.uint8)
    whole = gridOf([white] * 3, 2, gap=1)
    assert whole.shape == (7, 9, 3)
    assert (whole[:3, :4] == 255).all()
    assert not whole[4:, 5:].any()
    assert (whole[3] == whole[0, 4]).all()


def test_a_picture_is_the_same_after_writing(tmp_path: Path) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (5, 7, 3), dtype=np.uint8)
    writePng(tmp_path / "picture.png", picture)
    assert (np.moveaxis(read_image(tmp_path / "picture.png").array, 0, -1) == picture).all()
