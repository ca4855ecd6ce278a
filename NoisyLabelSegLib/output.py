"""Writing so that nothing is ever half there: beside the target first, then renamed into place; tables as CSV text."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import platform
import shutil
import signal
import tempfile
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.locks import claimed, remove_stale_lock

_DISK_ERRORS = {
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
    *(errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG),
}
_PARTIAL, _COMPLETE = ".partial-", ".complete-"
FINISHED = ".finished"
"""The folder, in a half-written one, of what an interrupted run had finished."""
_KEY = "key"
_HOST = f"{zlib.crc32(platform.node().encode('utf-8', 'replace')):08x}"
"""Stands for this machine in the names of half-written files: elsewhere its process numbers mean nothing."""


@contextmanager
def output_file(path: str | Path, *, force: bool = True) -> Iterator[Path]:
    """Yields a path beside `path` (same ending) to write to; it takes the target's name when the block succeeds."""
    path = Path(path)
    if path.is_dir():
        raise UserError("is a folder, not a file", file=path, remedy="choose another name")
    if path.exists() and not force:
        raise UserError("exists already", file=path, remedy="choose another name or add --force")
    with _clear_write_errors(path):
        _refuse_file(path.parent)
        folder = _beside(path, f"{_partial(os.getpid())}{_HOST}-")
        _remove_dead(path.parent)
        try:
            yield folder / path.name
            if not force and path.exists():
                raise UserError("was written by another run meanwhile", file=path, remedy="choose another name")
            with undisturbed():
                for companion in sorted(folder.iterdir(), key=lambda file: file.name == path.name):
                    os.replace(companion, path.parent / companion.name)  # .mhd has a .raw; the named file comes last
        finally:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def output_folder(path: str | Path, *, force: bool = False, key: str = "") -> Iterator[Path]:
    """Yields a new folder beside `path`; when the block succeeds it becomes `path`, when it fails nothing is left.

    A folder that already holds something is refused, or with `force` the new files replace those of the same name in
    it and everything else in it stays. A process that is killed while it moves them leaves the rest in a folder that is
    known to be complete; remove_partials() or the next one that writes to `path` moves it. While another process
    writes to `path`, it is refused.

    `key`, if given, stands for the work: what a run with the same key left half-written, when it was killed or
    interrupted, is gone on with. Its folder FINISHED is for notes about what is finished; it does not become a result.
    """
    path = Path(path)
    path = path.resolve() if path.is_symlink() else path  # the new folder takes the place of the one it leads to
    with _clear_write_errors(path), only_writer(path):
        _refuse_file(path)
        _finish_moves(path)
        unfinished = _unfinished(path, key)
        if path.exists() and any(path.iterdir()) and not force:
            raise UserError("exists already and is not empty", file=path, remedy="choose another folder or add --force")
        folder = _beside(path, f".{path.name}{_partial(os.getpid())}")
        complete = folder.with_name(_COMPLETE.join(folder.name.rsplit(_PARTIAL, 1)))
        kept = None
        try:
            if unfinished is not None:
                folder.rmdir()
                os.replace(unfinished, folder)
            folder.chmod(0o777 & ~_umask())
            if key:
                (folder / FINISHED).mkdir(exist_ok=True)
                (folder / FINISHED / _KEY).write_text(key, encoding="utf-8")
            yield folder
            _refuse_links(folder, path)
            with undisturbed():
                shutil.rmtree(folder / FINISHED, ignore_errors=True)
                if path.exists() and any(path.iterdir()):
                    os.replace(folder, complete)
                    _move_files(complete, path)
                else:
                    _move_whole(folder, path)
        except KeyboardInterrupt:
            kept = folder if key and any(entry.is_dir() for entry in (folder / FINISHED).iterdir()) else None
            raise
        except UserError as error:
            if error.file is None or folder not in error.file.parents:
                raise
            file = path / error.file.relative_to(folder)  # where people would have found it
            raise UserError(error.problem, file=file, remedy=error.remedy, detail=error.detail) from error
        finally:
            for rest in {folder, complete} - {kept}:
                shutil.rmtree(rest, ignore_errors=True)


@contextmanager
def only_writer(path: Path) -> Iterator[None]:
    """Holds the lock of `path`; the folders above it are made where they are missing."""
    _refuse_file(path.parent)
    with _clear_write_errors(path, errno.ENOENT):
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = contextlib.ExitStack()
        lock.enter_context(claimed(path))
    with lock:
        yield


def write_text(path: str | Path, text: str, *, force: bool = True) -> None:
    """Writes a UTF-8 text file with Unix line ends, whole or not at all."""
    with output_file(path, force=force) as partial:
        partial.write_text(text, encoding="utf-8", newline="\n")


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> str:
    """Rows as CSV; floats with six significant digits, an empty cell for None, no text that is a formula.

    The header has the columns of the first row, or where there is no row the given ones.
    """
    columns = list(rows[0]) if rows else columns
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _csv_cell(value) for name, value in row.items()})
    return text.getvalue()


def remove_partials(path: str | Path, process: int) -> None:
    """Clears up what a process that was killed left at `path`, beside it and anywhere below it.

    What was half-written is removed; results that were complete and being moved into place are moved to the end.
    """
    path, pattern = Path(path), f"*{_partial(process)}*"
    with contextlib.suppress(OSError):
        _finish_moves(path, process)
        remove_stale_lock(path)
    for folder in [*path.parent.glob(pattern), *path.rglob(pattern)]:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Makes Ctrl-C and SIGTERM wait for the end of the block, so that several files are moved all or none."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread is ever interrupted
        yield
        return
    arrived: list[int] = []
    interrupts = (signal.SIGINT, signal.SIGTERM)
    previous = {kind: signal.signal(kind, lambda number, _frame: arrived.append(number)) for kind in interrupts}
    try:
        yield
    finally:
        for kind, handler in previous.items():
            signal.signal(kind, signal.SIG_DFL if handler is None else handler)
        for number in arrived[:1]:
            signal.raise_signal(number)


def _csv_cell(value: Any) -> str:
    if value is None:
        return ""
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    # A spreadsheet would run a cell such as =1+1 as a formula; names come from files of unknown origin.
    return f"'{text}" if isinstance(value, str) and text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _partial(process: int) -> str:
    """How the names of half-written folders begin (after the target's name); they say whose they are."""
    return f"{_PARTIAL}{process}-"


def _beside(path: Path, prefix: str) -> Path:
    """A new folder beside `path`; the folders above it are made where they are missing."""
    with _clear_write_errors(path, errno.ENOENT):  # from places such as /proc
        path.parent.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=prefix, dir=path.parent))


def _refuse_file(folder: Path) -> None:
    """Refuses a folder that is, or lies below, a file."""
    for place in (folder, *folder.parents):
        if place.exists() and not place.is_dir():
            raise UserError("is a file, not a folder", file=place, remedy="choose another output folder")


def _refuse_links(folder: Path, path: Path) -> None:
    """Refuses to write into folders that are links, which would put files outside of `path`."""
    for inner in folder.rglob("*") if path.exists() else ():
        target = path / inner.relative_to(folder)
        if target.is_symlink() and inner.is_dir():
            raise UserError("is a link to another folder", file=target, remedy="remove it or choose another folder")


def _unfinished(path: Path, key: str) -> Path | None:
    """What a killed process left of the work of this key at `path`, if anything; what others left is removed.

    For those who hold the lock of `path`, so that none of these processes is alive.
    """
    found = None
    for folder in path.parent.glob(f".*{_PARTIAL}*"):
        if not folder.name.startswith(f".{path.name}{_PARTIAL}"):
            continue
        if key and found is None and _key_of(folder) == key:
            found = folder
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return found


def _key_of(folder: Path) -> str:
    try:
        return (folder / FINISHED / _KEY).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def _remove_dead(folder: Path) -> None:
    """Removes what processes of this machine that have died left half-written in a folder."""
    for rest in folder.glob(f"{_PARTIAL}*-{_HOST}-*"):
        process = rest.name.removeprefix(_PARTIAL).partition("-")[0]
        if process.isdecimal() and not _is_alive(int(process)):
            shutil.rmtree(rest, ignore_errors=True)


def _is_alive(process: int) -> bool:
    if os.name == "nt":  # where asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _finish_moves(path: Path, process: int | str = "") -> None:
    """Moves the rest of what a killed process (any, if none is named) had begun to move to `path`, if that exists."""
    start = f".{path.name}{_COMPLETE}{process}{'-' if process else ''}"
    for folder in sorted(path.parent.glob(f".*{_COMPLETE}*")):
        if folder.name.startswith(start):
            if path.is_dir():
                _move_files(folder, path)
            shutil.rmtree(folder, ignore_errors=True)


def _move_whole(folder: Path, path: Path) -> None:
    if path.exists():
        path.rmdir()  # Windows cannot rename over an empty folder
    os.replace(folder, path)


def _move_files(folder: Path, path: Path) -> None:
    for source in sorted(folder.rglob("*")):
        target = path / source.relative_to(folder)
        if source.is_dir():
            target.mkdir(exist_ok=True)
        else:
            os.replace(source, target)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _clear_write_errors(path: Path, *more: int) -> Iterator[None]:
    """Turns errors of a full or read-only disk, and `more`, into a sentence; other errors pass unchanged."""
    try:
        yield
    except OSError as error:
        if error.errno not in {*_DISK_ERRORS, *more}:
            raise
        raise UserError(
            f"cannot be written ({error.strerror or error})",
            file=path,
            remedy="check the folder's permissions and the free space on the disk",
        ) from error
