"""Labels that are no labels, and labels on a grid that is not the image's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from NoisyLabelSegLib.cases import Geometry, Image, write_image
from Testing.spoiling import GRID, LABEL, SHIFTED, Bad, assert_refused, labels, to_2d

OTHER_SIZE = Geometry.plain((4, 5, 7), GRID.spacing)
OTHER_SPACING = Geometry.plain(GRID.shape, (0.7, 0.7, 3.0))
FLIPPED = Geometry(GRID.shape, GRID.spacing, GRID.origin, (-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
NAN = float("nan")


def vector_labels(folder: Path) -> None:
    array = np.stack([np.zeros(GRID.shape, np.uint8), np.ones(GRID.shape, np.uint8)])
    write_image(folder / LABEL, Image(array, GRID))


BAD = {
    # labels that are not labels
    "NaN labels": Bad(labels(np.float32(NAN)), LABEL, "NaN"),
    "infinite labels": Bad(labels(np.float32(np.inf)), LABEL, "infinity"),
    "negative labels": Bad(labels(np.int16(-1)), LABEL, "-1"),
    "labels with fractions": Bad(labels(np.float32(0.5)), LABEL, "fractions"),
    "labels above 255": Bad(labels(np.int16(256)), LABEL, "256"),
    "large float labels": Bad(labels(np.float64(1e9)), LABEL, "above 255"),
    "large unsigned labels": Bad(labels(np.uint32(4_000_000_000)), LABEL, "above 255"),
    "gray levels as labels": Bad(labels(np.arange(6, dtype=np.uint8) * 40), LABEL, "200"),
    "two components per voxel": Bad(vector_labels, LABEL, "components"),
    # grids that do not fit
    "label of another size": Bad(labels(np.uint8(1), grid=OTHER_SIZE), LABEL, "7 x 5 x 4"),
    "label of another spacing": Bad(labels(np.uint8(1), grid=OTHER_SPACING), LABEL, "spacing"),
    "label elsewhere": Bad(labels(np.uint8(1), grid=SHIFTED), LABEL, "3 mm"),
    "label flipped": Bad(labels(np.uint8(1), grid=FLIPPED), LABEL, "axes"),
    "2D label of a 3D image": Bad(to_2d, LABEL, "2D"),
    "second channel on another grid": Bad(
        labels(np.int16(1), grid=OTHER_SIZE, name="case1/image2.nrrd"), "image2.nrrd", "size"
    ),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_bad_labels_get_one_sentence(bad: Bad, good_input: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert_refused(bad, good_input, capfd)
