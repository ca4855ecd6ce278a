"""Files of unknown origin: only regular ones are opened, and how large they may become in memory is limited."""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path
from typing import BinaryIO

from NoisyLabelSegLib.errors import UserError

LIMIT_VARIABLE = "NOISYLABELSEG_LARGEST_IMAGE_GB"
"""The environment variable that sets the limit of require_memory()."""

DEFAULT_LIMIT_GB = 4.0
LEAST_EDGE, LARGEST_EDGE = 1e-6, 1e6
"""Voxel edges in millimeters that can be meant: from a nanometer to a kilometer."""

_GIGABYTE = 10**9


def open_regular(path: Path, *, missing: str = "check the path") -> BinaryIO:
    """Opens a file for reading, unless it is missing, unreadable, or a folder, pipe, socket or device.

    `missing` is the advice about a file that does not exist.
    """
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"is {_name_of(status.st_mode)}, not a file", file=path, remedy="give a regular file")
        return path.open("rb")
    except FileNotFoundError as error:
        raise UserError("does not exist", file=path, remedy=missing) from error
    except OSError as error:
        remedy = "use a shorter path" if error.strerror == "File name too long" else "check its permissions"
        raise UserError(f"cannot be read ({error.strerror})", file=shortened(path), remedy=remedy) from error
    except ValueError as error:  # a zero character or a lone surrogate
        raise UserError("is not a path that a file can have", file=shortened(path), remedy="check the path") from error


def read_regular(path: Path, most: int, *, missing: str = "check the path") -> bytes:
    """The content of a regular file of at most `most` bytes."""
    with open_regular(path, missing=missing) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            problem = f"has {in_gigabytes(size)}, more than the {in_gigabytes(most)} that such a file may have"
            raise UserError(problem, file=path, remedy="check that it is the file you mean")
        return file.read(most)


def require_memory(path: Path, size: int) -> None:
    """Refuses a file that takes more bytes in memory than the limit, which LIMIT_VARIABLE sets in gigabytes."""
    limit = _limit()
    if size > limit:
        raise UserError(
            f"unpacks to {in_gigabytes(size)}, more than the limit of {in_gigabytes(limit)}",
            file=path,
            remedy=f"if that is right, raise the limit with the environment variable {LIMIT_VARIABLE}",
        )


def in_gigabytes(size: float) -> str:
    """A number of bytes for people, such as "6.0 GB"."""
    return f"{size / _GIGABYTE:.1f} GB" if size >= _GIGABYTE / 10 else f"{size / 10**6:.1f} MB"


def shortened(path: Path) -> Path:
    """A path as a sentence can show it: at most 200 characters, all of which can be printed."""
    text = str(path)
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return Path(text if len(text) <= 200 else f"{text[:100]}…{text[-90:]}")


def _limit() -> float:
    text = os.environ.get(LIMIT_VARIABLE, "")
    try:
        limit = float(text or DEFAULT_LIMIT_GB)
    except ValueError:
        limit = math.nan
    if not limit > 0:
        problem = f"The environment variable {LIMIT_VARIABLE} is {text!r}"
        raise UserError(problem, remedy="set it to a number of gigabytes above 0")
    return limit * _GIGABYTE


def _name_of(mode: int) -> str:
    names = {
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return names.get(stat.S_IFMT(mode), "something else")
