"""The one exception that is meant for people, the extra that a missing package belongs to, and how a run ends."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

DONE, FAULT, BAD_INPUT, CANCELLED = 0, 1, 2, 130
"""Exit codes of the command and of the worker."""


class UserError(Exception):
    """A problem a user can solve: which file, what is wrong, what to do; shown as one sentence, never as a traceback.

    `detail` is for the log only (for example what a file library said).
    """

    def __init__(self, problem: str, *, file: str | Path | None = None, remedy: str = "", detail: str = "") -> None:
        self.problem = problem.strip().rstrip(".")
        self.file = None if file is None else Path(file)
        self.remedy = remedy.strip().rstrip(".")
        self.detail = detail
        super().__init__(self.sentence)

    @property
    def sentence(self) -> str:
        place = f"{self.file}: " if self.file is not None else ""
        remedy = f"; {self.remedy}" if self.remedy else ""
        return " ".join(f"{place}{self.problem}{remedy}.".split())


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Lets an error that names no file name this one."""
    try:
        yield
    except UserError as error:
        if error.file is not None:
            raise
        raise UserError(error.problem, file=path, remedy=error.remedy, detail=error.detail) from error


EXTRAS = {
    "networks": ("torch", "safetensors", "lightning_fabric"),
    "trunks": ("monai",),
    "phantoms": ("skimage", "mlxtend"),
    "scene": ("slicer", "vtk"),
    "host": ("PySide6",),
    "figures": ("matplotlib",),
    "cluster": ("dask", "distributed"),
}
"""Extra of pyproject.toml to the modules it installs."""


def installing(extra: str) -> str:
    """The remedy for a package that comes with this extra."""
    remedy = f'install it with pip install "noisylabelseg[{extra}]"'
    return f"{remedy}; in Slicer, PyTorch comes with the PyTorch extension" if extra == "networks" else remedy


def missing_package(error: ModuleNotFoundError) -> UserError | None:
    """The error that names the extra to install, or None where a module of no extra is missing, which is our fault."""
    name = (error.name or "").partition(".")[0]
    for extra, modules in EXTRAS.items():
        if name in modules:
            problem = f"This needs the Python package {name}, which is not installed"
            return UserError(problem, remedy=installing(extra))
    return None


def ending(error: BaseException, *, remedy: str) -> tuple[int, str]:
    """The exit code and the sentence that an exception ends a run with; `remedy` is for a fault of ours."""
    if isinstance(error, KeyboardInterrupt):
        return CANCELLED, str(error) or "Cancelled: nothing half-written was left behind."
    if isinstance(error, ModuleNotFoundError):
        error = missing_package(error) or error
    if isinstance(error, UserError):
        return BAD_INPUT, error.sentence
    if _is_out_of_memory(error):
        return BAD_INPUT, "This machine ran out of memory; try fewer or smaller cases at once."
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
        return BAD_INPUT, f"{str(error.filename)[:100]}…: is longer than a path may be; use a shorter one."
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        return BAD_INPUT, f"The name {error.object[:100]!a} holds bytes that are not text; rename it."
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return FAULT, f"NoisyLabelSeg failed ({reason}); {remedy}."


def _is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, also where the loader of a library or PyTorch's allocator says so."""
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    words = ("cannot allocate memory", "failed to map segment", "can't allocate memory", "out of memory")
    return isinstance(error, (ImportError, RuntimeError)) and any(word in str(error).lower() for word in words)
