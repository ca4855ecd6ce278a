"""Where the confusion fields of a case are kept while it is predicted: in memory, or in a temporary file."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import numpy as np

from NoisyLabelSegLib.cases.estimates import Field


@contextmanager
def field_store(folder: Path | None, shape: tuple[int, ...] | None) -> Iterator[Field | None]:
    """A float32 array of this shape, in memory or in a temporary file in the folder; None without a shape."""
    if shape is None or folder is None:
        yield None if shape is None else np.empty(shape, dtype=np.float32)
        return
    with tempfile.TemporaryFile(dir=folder) as file:
        yield _mapped(file, shape)


def _mapped(file: BinaryIO, shape: tuple[int, ...]) -> Field:
    """Its space on the disk is allocated at once, because a disk that fills up later ends the process."""
    size = math.prod(shape) * np.dtype(np.float32).itemsize
    if hasattr(os, "posix_fallocate"):  # not on Windows and macOS
        os.posix_fallocate(file.fileno(), 0, size)
    return np.memmap(file, dtype=np.float32, shape=shape)
