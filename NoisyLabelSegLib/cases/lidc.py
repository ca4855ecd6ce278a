"""LIDC-IDRI annotation files: what each reading session outlined, as masks on the slices of the scan.

An outline runs along the first pixels outside the nodule, so the nodule is what lies inside it, the outline excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.errors import UserError


@dataclass(frozen=True)
class Outline:
    """A closed line on one slice: `points` is (n, 2) int, x then y, in pixels. Not `inclusion`: it cuts a hole."""

    instance_uid: str
    inclusion: bool
    points: NDArray[np.int64]


@dataclass(frozen=True)
class Nodule:
    """One nodule of one session."""

    name: str
    outlines: tuple[Outline, ...]

    @property
    def is_mark(self) -> bool:
        """Nodules under 3 mm are marked by a single point per slice; there is nothing to fill."""
        return all(len(outline.points) == 1 for outline in self.outlines)


@dataclass(frozen=True)
class LidcFile:
    """The sessions of one scan in file order; every session is one reader, even one who outlined nothing."""

    path: Path
    series_uid: str
    sessions: tuple[tuple[Nodule, ...], ...]

    @property
    def instance_uids(self) -> frozenset[str]:
        """The slices that any outline or mark lies on."""
        nodules = (nodule for session in self.sessions for nodule in session)
        return frozenset(outline.instance_uid for nodule in nodules for outline in nodule.outlines)

    def outlined(self, session: int) -> list[Nodule]:
        """The nodules of a session that are outlined rather than marked."""
        return [nodule for nodule in self.sessions[session] if not nodule.is_mark]

    def mask(self, session: int, slices: Mapping[str, int], shape: tuple[int, ...]) -> NDArray[np.uint8]:
        """What a session outlined, (z, y, x) uint8 0/1; `slices` finds the slice of an instance UID.

        Outlines on slices that are not among them are left out (count them with `absent`).
        """
        labels = np.zeros(shape, np.uint8)
        for nodule in self.outlined(session):
            for uid in {outline.instance_uid for outline in nodule.outlines} & slices.keys():
                labels[slices[uid]] |= self._fill_slice(nodule, uid, (shape[1], shape[2]))
        return labels

    def absent(self, session: int, slices: Mapping[str, int]) -> int:
        """How many outlines of a session lie on slices that are not there."""
        nodules = self.outlined(session)
        return sum(outline.instance_uid not in slices for nodule in nodules for outline in nodule.outlines)

    def _fill_slice(self, nodule: Nodule, uid: str, shape: tuple[int, int]) -> NDArray[np.bool_]:
        """Everything included first, then the holes, whatever their order in the file."""
        inside = np.zeros(shape, np.bool_)
        for outline in sorted(nodule.outlines, key=lambda outline: not outline.inclusion):
            if outline.instance_uid != uid:
                continue
            if outline.points.min() < 0 or (outline.points.max(axis=0) >= shape[::-1]).any():
                raise UserError(
                    f"outlines {nodule.name} outside the image of {shape[1]} x {shape[0]} pixels",
                    file=self.path,
                    remedy="check that the annotations belong to these images",
                )
            filled = fill_outline(outline.points, shape)
            inside = inside | filled if outline.inclusion else inside & ~filled
        return inside


def read_lidc(path: str | Path) -> LidcFile:
    """Reads an annotation file; entities and document types, which no LIDC file has, are refused."""
    path = Path(path)
    root = _parse(path)
    sessions = [element for element in root.iter() if _local(element) == "readingSession"]
    if _local(root) != "LidcReadMessage" or not sessions:
        raise UserError(
            "is not an LIDC annotation file (no LidcReadMessage with reading sessions)",
            file=path,
            remedy="give the XML that comes with the CT scan",
        )
    try:
        return LidcFile(path, _text(root, "SeriesInstanceUid"), tuple(_session(element) for element in sessions))
    except ValueError as error:
        raise UserError(
            f"has an outline that cannot be used ({error})", file=path, remedy="download it again"
        ) from error


def fill_outline(points: NDArray[np.int64], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The pixels inside a closed outline, (y, x) bool, the pixels of the outline itself excluded."""
    inside = fill_polygon(points, shape)
    line = _line(points)
    inside[line[:, 1], line[:, 0]] = False
    return inside


def fill_polygon(points: NDArray[Any], shape: tuple[int, int]) -> NDArray[np.bool_]:
    """The pixels (y, x) bool whose centers lie inside a closed polygon of points (n, 2), x then y, in pixels."""
    inside = np.zeros(shape, np.bool_)
    low = np.maximum(np.floor(points.min(axis=0)), 0).astype(np.int64)
    high = np.minimum(np.ceil(points.max(axis=0)) + 1, shape[::-1]).astype(np.int64)
    if (high <= low).any():
        return inside
    x, y = np.meshgrid(np.arange(low[0], high[0]), np.arange(low[1], high[1]))
    odd = np.zeros(x.shape, np.bool_)
    for (x0, y0), (x1, y1) in zip(points, np.roll(points, -1, axis=0), strict=True):
        crosses = (y0 <= y) != (y1 <= y)  # even-odd rule; a horizontal edge crosses nothing
        if y0 != y1:
            odd ^= crosses & (x < x0 + (y - y0) * (x1 - x0) / (y1 - y0))
    inside[low[1] : high[1], low[0] : high[0]] = odd
    return inside


def _line(points: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pixels of the closed outline, those between points that are not neighbors included."""
    parts = []
    for start, end in zip(points, np.roll(points, -1, axis=0), strict=True):
        steps = max(int(np.abs(end - start).max()), 1)
        parts.append(np.rint(start + (end - start) * np.arange(steps)[:, None] / steps).astype(np.int64))
    return np.concatenate(parts)


def _session(element: Element) -> tuple[Nodule, ...]:
    return tuple(_nodule(child) for child in element if _local(child) == "unblindedReadNodule")


def _nodule(element: Element) -> Nodule:
    name = _text(element, "noduleID") or "a nodule"
    return Nodule(name, tuple(_outline(child) for child in element if _local(child) == "roi"))


def _outline(element: Element) -> Outline:
    edges = [child for child in element if _local(child) == "edgeMap"]
    points = [(float(_text(edge, "xCoord")), float(_text(edge, "yCoord"))) for edge in edges]
    if not points:
        raise ValueError("it has no points")
    if not np.isfinite(points).all() or (np.abs(points) > 1e6).any():
        raise ValueError("a coordinate is not a usable number")
    inclusion = _text(element, "inclusion").upper() != "FALSE"
    return Outline(_text(element, "imageSOP_UID"), inclusion, np.rint(points).astype(np.int64))


def _text(element: Element, name: str) -> str:
    """The text of the first element of this name, whatever its namespace; empty if there is none."""
    found: Iterator[str] = ((child.text or "").strip() for child in element.iter() if _local(child) == name)
    return next(found, "")


def _local(element: Element) -> str:
    return element.tag.rsplit("}", 1)[-1]


def _parse(path: Path) -> Element:
    builder = TreeBuilder()
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(path.read_bytes(), True)
        return builder.close()
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", file=path, remedy="check the path") from error
    except (expat.ExpatError, _DoctypeError, LookupError, ValueError) as error:
        raise UserError(
            "is not XML that can be read", file=path, remedy="download it again", detail=str(error)
        ) from error


class _DoctypeError(Exception):
    """A document type could define entities that grow without bound."""


def _refuse_doctype(*_declaration: Any) -> None:
    raise _DoctypeError("document types are not allowed")
