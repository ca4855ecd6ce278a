"""Predicting the cases of a study, or loose images, into a folder."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, write_components, write_labels
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.inference.predictor import Predictor, likeliest_labels
from NoisyLabelSegLib.networks import CoupledNetwork
from NoisyLabelSegLib.networks.package import ModelCard, load_package
from NoisyLabelSegLib.output import output_folder
from NoisyLabelSegLib.progress import Progress, Report, paced, silent, steps
from NoisyLabelSegLib.training.preprocessing import Preprocessing

Field: TypeAlias = NDArray[np.float32]

SHARE_BEFORE_WRITING = 0.9
"""How far the bar of a case goes before its files are written."""


@dataclass(frozen=True)
class Wanted:
    """What is written besides the truth, and how.

    `derived` names fields that are made of every annotator's confusion (L, L, *shape) and the truth's probabilities
    (L, *shape), such as expected errors; they are written as `<name>_<annotator>.nrrd`.
    """

    annotators: bool = False
    confusion: bool = False
    derived: Mapping[str, Callable[[Field, Field], Field]] = field(default_factory=dict)
    compressed: bool = True

    @property
    def fields(self) -> bool:
        """Whether the confusion fields are needed."""
        return self.confusion or bool(self.derived)


def predict_cases(
    model: str | Path,
    cases: Sequence[Case],
    folder: str | Path,
    *,
    wanted: Wanted | None = None,
    flips: bool = True,
    device: str = "auto",
    force: bool = False,
    report: Report = silent,
) -> None:
    """Writes `<case id>/truth.nrrd` and so on for every case, on its own grid; all of them or none.

    flips: ask about mirrored images too and take the mean, if the model was trained on mirrored ones.
    """
    wanted = wanted or Wanted()
    network, card = load_package(model)
    preprocessing = _preprocessing(card, Path(model))
    if (wanted.annotators or wanted.fields) and network.annotator_head is None:
        raise UserError(
            "knows the truth only: it was trained without an annotators' part",
            file=model,
            remedy="leave out --annotators and --confusion",
        )
    mirrored = flips and knows_mirrored(card)
    predictor = Predictor(network, patch=preprocessing.patch, flips=mirrored, device=chosen_device(device))
    with output_folder(folder, force=force) as partial:
        hear = paced(report)
        for done, case in enumerate(steps(cases, "predict", report)):

            def moved(part: float, done: int = done) -> None:
                hear(Progress("predict", done, len(cases), part=part * SHARE_BEFORE_WRITING))

            _predict(case, partial / case.id, predictor, network, card, preprocessing, wanted, moved)


def knows_mirrored(card: ModelCard) -> bool:
    """Whether the model was trained on mirrored images, so that it can be asked about them."""
    return card.settings.get("flips") is True


def chosen_device(name: str) -> torch.device:
    """The device of that name; `auto` takes the fastest there is."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(1, device=name)
    except (RuntimeError, AssertionError) as error:
        raise UserError(f"This machine has no device {name!r}", remedy="choose auto or cpu") from error
    return torch.device(name)


def _predict(
    case: Case,
    folder: Path,
    predictor: Predictor,
    network: CoupledNetwork,
    card: ModelCard,
    preprocessing: Preprocessing,
    wanted: Wanted,
    moved: Callable[[float], None],
) -> None:
    """`moved` hears which share of the case the network has seen."""
    image = preprocessing.image(case)
    if len(image) != network.architecture.channels:
        raise UserError(
            f"Case {case.id} has {len(image)} channels, but the model was trained on {network.architecture.channels}",
            remedy="give the same images in the same order (for loose files, joined by commas)",
        )
    classes, annotators, shape = len(card.classes), len(card.annotators), image.shape[1:]
    truth = np.empty((classes, *shape), dtype=np.float32)
    # On another grid than the case's, outlines would come back with steps: there labels are told from the fields.
    off_grid = preprocessing.grid(case.geometry) is not case.geometry
    said = np.empty((annotators, *shape), dtype=np.uint8) if wanted.annotators and not off_grid else None
    needs_fields = wanted.fields or (wanted.annotators and off_grid)
    with tempfile.TemporaryFile(dir=folder.parent) as file:
        # Confusion fields are many times larger than the case, so they wait on the disk.
        fields = _waiting(file, (annotators, classes * classes, *shape)) if needs_fields else None
        for piece in predictor.pieces(image, labels=said is not None, confusion=needs_fields):
            truth[:, piece.where] = piece.truth
            if said is not None and piece.labels is not None:
                said[:, piece.where] = piece.labels
            if fields is not None and piece.confusion is not None:
                fields[:, :, piece.where] = piece.confusion.reshape(annotators, classes**2, *piece.truth.shape[1:])
            moved(piece.where.stop / shape[0])
        probabilities = preprocessing.restored(truth, case.geometry)
        how: Any = {"geometry": case.geometry, "compressed": wanted.compressed}
        write_components(folder / "truth_probability.nrrd", probabilities, **how)
        write_labels(folder / "truth.nrrd", probabilities.argmax(axis=0), **how)
        for number, name in enumerate(card.annotators):
            if said is not None:
                labels = preprocessing.unarranged(said[number][None], case.geometry)[0]
                write_labels(folder / f"annotator_{name}.nrrd", labels, **how)
            if fields is not None:
                matrices = preprocessing.restored(fields[number], case.geometry)
                square = matrices.reshape(classes, classes, *matrices.shape[1:])
                if wanted.confusion:
                    write_components(folder / f"confusion_{name}.nrrd", matrices, **how)
                if wanted.annotators and said is None:
                    write_labels(folder / f"annotator_{name}.nrrd", likeliest_labels(square, probabilities), **how)
                for what, derive in wanted.derived.items():
                    write_components(folder / f"{what}_{name}.nrrd", derive(square, probabilities), **how)


def _waiting(file: BinaryIO, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """An array in the file; its room is taken at once, because a disk that fills up later ends the process."""
    size = math.prod(shape) * np.dtype(np.float32).itemsize
    if hasattr(os, "posix_fallocate"):  # not on Windows and macOS
        os.posix_fallocate(file.fileno(), 0, size)
    return np.memmap(file, dtype=np.float32, shape=shape)


def _preprocessing(card: ModelCard, path: Path) -> Preprocessing:
    try:
        return Preprocessing.from_json(card.preprocessing)
    except ValueError as error:
        raise UserError(f"has preprocessing that makes no sense: {error}", file=path) from error
