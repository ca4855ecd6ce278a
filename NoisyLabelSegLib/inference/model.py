"""A trained model: predicts arrays and cases through one code path, in bounded memory where files are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from NoisyLabelSegLib.cases import Case, Geometry, Image
from NoisyLabelSegLib.cases.estimates import Estimate, Field, Labels
from NoisyLabelSegLib.cases.model_card import ModelCard
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion.combination import LabeledPrediction
from NoisyLabelSegLib.fusion.label_agreement import LabelAgreement
from NoisyLabelSegLib.inference.case_prediction import CasePrediction
from NoisyLabelSegLib.inference.field_store import field_store
from NoisyLabelSegLib.inference.given_labels import given_labels
from NoisyLabelSegLib.inference.predictor import Predictor
from NoisyLabelSegLib.inference.sampled import OneSample
from NoisyLabelSegLib.networks import SegmentationNetwork
from NoisyLabelSegLib.networks.package import load_package
from NoisyLabelSegLib.training.preprocessing import Preprocessing
from NoisyLabelSegLib.words import counted


@dataclass(frozen=True)
class PredictionOutputs:
    """What is predicted besides the truth and its probabilities.

    annotators: the labels that each annotator is expected to draw.
    confusion: each annotator's field of confusion matrices.
    expected: each annotator's expected errors, as files only.
    labels: whether the truth is estimated from the image and the labels of the case together.
    samples: how many labelings are drawn with the random seed `seed`, from the annotator models or from the network
    itself if it draws samples; as files only, or by `Model.samples`.
    compressed: whether files are compressed; without, large ones are written many times faster.
    """

    annotators: bool = False
    confusion: bool = False
    expected: bool = False
    labels: bool = False
    samples: int = 0
    seed: int = 0
    compressed: bool = True

    @property
    def fields(self) -> bool:
        """Whether the confusion fields are computed."""
        return self.confusion or self.expected or self.labels or self.samples > 0

    @property
    def about_annotators(self) -> bool:
        return self.annotators or self.fields


def load_model(path: str | Path, device: str = "auto", *, flips: bool = False) -> Model:
    """Loads a model package (`*.nlseg`), ready to predict.

    Parameters
    ----------
    path
        The package that `train` wrote.
    device
        "auto" (the fastest device there is), "cpu", "cuda" or "mps".
    flips
        Test-time augmentation: average the predictions of the image and its mirror images, if the model was trained on
        mirror images, and of overlapping tiles of slices, if it was trained on crops. A little more accurate and many
        times as slow (docs/method.md).

    Returns
    -------
    Model
        Its `predict` takes arrays and cases.

    Raises
    ------
    UserError
        If the file is not a model package that can be used, or there is no such device.

    Examples
    --------
    >>> from NoisyLabelSegLib.resources import resource_path
    >>> model = load_model(resource_path("models") / "demo-nodules.nlseg", device="cpu")
    >>> model.classes
    ('background', 'nodule')
    >>> model.predict(np.zeros((32, 32))).truth.shape
    (32, 32)
    """
    network, card = load_package(path)
    return Model(network, card, device=device, flips=flips, path=path)


class Model:
    """A network with its card; `classes` and `annotators` are the names it was trained on."""

    def __init__(
        self,
        network: SegmentationNetwork,
        card: ModelCard,
        *,
        device: str = "auto",
        flips: bool = False,
        path: str | Path | None = None,
    ) -> None:
        self.card, self.classes, self.annotators = card, card.classes, card.annotators
        self._path, self._architecture = path, network.architecture
        self.has_annotators, self.draws_samples = network.predicts_annotators, network.draws_samples
        try:
            self._preprocessing = Preprocessing.from_json(card.preprocessing)
        except ValueError as error:
            raise UserError(f"has preprocessing that makes no sense: {error}", file=path) from error
        whole = not flips and sees_whole_slices(network)
        self._network, self._patch = network, 0 if whole else self._preprocessing.patch
        self._device = chosen_device(device)
        self._predictor = Predictor(
            network, patch=self._patch, flips=flips and trained_on_flips(card), device=self._device
        )

    def predict(
        self,
        image: NDArray[Any] | Image | Case,
        labels: bool | Mapping[str, NDArray[Any]] | None = None,
        *,
        spacing: Sequence[float] | None = None,
        outputs: PredictionOutputs | None = None,
    ) -> Estimate:
        """Predicts one image or case; equal, voxel by voxel, to what `predict_cases` writes.

        Parameters
        ----------
        image
            A case, or an array (H, W), (D, H, W) or, of a model of several channels, (C, H, W); with four axes always
            (C, D, H, W). Axes in the order z, y, x.
        labels
            Labels to use together with the image: True for those of the case, or annotator to labels of its shape.
            Annotators whom the model was not trained on are treated as the average of those it knows.
        spacing
            The voxel size in mm along the axes of the array, z, y, x; 1 mm if None. Only models that resample use it.
            A case has its own.
        outputs
            What to predict besides the truth; None: everything the model can. The confusion fields take 4 R L² bytes a
            voxel, for R annotators and L classes.

        Returns
        -------
        Estimate
            `annotators` and `confusion` are empty for a model that was trained without an annotators' part. With
            labels, `remarks` says how they were used.

        Raises
        ------
        UserError
            If the image does not suit the model: channels, dimensions, values that are not numbers; if the labels do
            not suit the image, or the model was trained without an annotators' part.

        Examples
        --------
        >>> from NoisyLabelSegLib.resources import resource_path
        >>> model = load_model(resource_path("models") / "demo-nodules.nlseg", device="cpu")
        >>> drawn = np.zeros((32, 32), dtype=np.uint8)
        >>> drawn[12:20, 12:20] = 1
        >>> estimate = model.predict(np.zeros((32, 32)), labels={"reader1": drawn, "reader2": drawn, "new": drawn})
        >>> len(estimate.remarks) > 0
        True
        """
        case = image if isinstance(image, Case) else Case("image", (self._image(image, spacing),))
        everything = PredictionOutputs(annotators=self.has_annotators, confusion=self.has_annotators)
        outputs = outputs or everything
        given = given_labels(case, labels)
        with self.run(case, replace(outputs, labels=given is not None)) as found:
            drawn, confusion = dict[str, Labels](), dict[str, Field]()
            for each in found.annotators():
                if outputs.annotators:
                    drawn[each.name] = each.labels()
                if outputs.confusion and each.confusion is not None:
                    confusion[each.name] = each.confusion
            if given is None:
                return Estimate(found.truth, found.probabilities, drawn, confusion)
            both = self.with_labels(found, given).combine()
            return Estimate(both.labels, both.probabilities, drawn, confusion, tuple(both.remarks))

    def samples(self, case: Case, count: int, seed: int = 0) -> Labels:
        """Labelings (N, *shape) that a network with `draws_samples` draws of a case, the same for the same seed."""
        prepared = self._preprocessing.image(case)
        found = np.empty((count, *case.geometry.shape), dtype=np.uint8)
        for number in range(count):
            predictor = Predictor(
                OneSample(self._network, seed * count + number), patch=self._patch, device=self._device
            )
            whole = np.concatenate([piece.truth for piece in predictor.pieces(prepared)], axis=1)
            found[number] = self._preprocessing.restored(whole, case.geometry).argmax(axis=0)
        return found

    def with_labels(self, found: CasePrediction, labels: Mapping[str, NDArray[Any]]) -> LabeledPrediction:
        """The prediction of a case, with its confusion fields, and labels (*shape) by annotator, to be combined."""
        fields = ((each.name, each.confusion) for each in found.annotators() if each.confusion is not None)
        agreement = LabelAgreement.from_json(self.card.metrics.get("labelAgreement"))
        return LabeledPrediction(found.probabilities, fields, labels, agreement=agreement)

    @contextmanager
    def run(
        self,
        case: Case,
        outputs: PredictionOutputs,
        *,
        scratch: Path | None = None,
        on_part: Callable[[float], None] = lambda _share: None,
    ) -> Iterator[CasePrediction]:
        """Runs the network over a case; the prediction is valid inside the `with` block.

        scratch: a folder for a temporary file of the confusion fields, which are many times larger than the case; None
        keeps them in memory. `on_part` is told which share of the case the network has processed.
        """
        self.require(outputs)
        prepared = self._preprocessing.image(case)
        if len(prepared) != self._architecture.channels:
            raise UserError(
                f"Case {case.id} has {counted(len(prepared), 'channel')}, "
                f"but the model was trained on {self._architecture.channels}",
                remedy="give the same images in the same order (for loose files, joined by commas)",
            )
        # On another grid than the case's, outlines would come back with steps: there labels follow from the fields.
        resampled = self._preprocessing.grid(case.geometry) is not case.geometry
        from_fields = outputs.fields or (outputs.annotators and resampled)
        annotators, classes, shape = len(self.annotators), len(self.classes), prepared.shape[1:]
        truth = np.empty((classes, *shape), dtype=np.float32)
        drawn = np.empty((annotators, *shape), dtype=np.uint8) if outputs.annotators and not resampled else None
        with field_store(scratch, (annotators, classes, classes, *shape) if from_fields else None) as fields:
            for piece in self._predictor.pieces(prepared, labels=drawn is not None, confusion=from_fields):
                truth[:, piece.where] = piece.truth
                if drawn is not None and piece.labels is not None:
                    drawn[:, piece.where] = piece.labels
                if fields is not None and piece.confusion is not None:
                    fields[:, :, :, piece.where] = piece.confusion
                on_part(piece.where.stop / shape[0])
            yield CasePrediction(case.geometry, self._preprocessing, self.annotators, truth, drawn, fields)

    def require(self, outputs: PredictionOutputs) -> None:
        """Refuses outputs that this model does not have."""
        samples_only = self.draws_samples and not replace(outputs, samples=0).about_annotators
        if outputs.about_annotators and not (self.has_annotators or samples_only):
            raise UserError(
                "knows the truth only: it was trained without an annotators' part",
                file=self._path,
                remedy="leave out --annotators, --confusion and --labels",
            )

    def _image(self, image: NDArray[Any] | Image, spacing: Sequence[float] | None) -> Image:
        if isinstance(image, Image):
            return image
        array = np.asarray(image)
        channels_first = array.ndim == 4 or (array.ndim == 3 and self._architecture.channels > 1)
        if not 2 <= array.ndim <= 4 or array.dtype.kind not in "buif":
            raise UserError(
                f"An array of shape {array.shape} and type {array.dtype} is not an image",
                remedy="give numbers with the axes (H, W), (D, H, W) or (C, D, H, W)",
            )
        shape = array.shape[1:] if channels_first else array.shape
        if spacing is not None and (len(spacing) != len(shape) or not all(edge > 0 for edge in spacing)):
            raise UserError(f"spacing must be {len(shape)} numbers above 0, one per axis, not {list(spacing)}")
        edges = None if spacing is None else tuple(float(edge) for edge in reversed(spacing))
        return Image(array, Geometry.plain(shape, edges))


def trained_on_flips(card: ModelCard) -> bool:
    """Whether the model was trained on mirror images, so that test-time augmentation by flips applies."""
    return card.settings.get("flips") is True


def sees_whole_slices(network: SegmentationNetwork) -> bool:
    """Whether slices need not be cut into tiles of the size that the network was trained on.

    The U-Net is convolutions throughout. Networks of MONAI may not be, and volumes take too much memory.
    """
    return network.architecture.dimensions == 2 and network.architecture.trunk == "unet"


def chosen_device(name: str) -> torch.device:
    """The device of that name; `auto` takes the fastest there is."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        torch.empty(1, device=name)
    except (RuntimeError, AssertionError) as error:
        raise UserError(f"This machine has no device {name!r}", remedy="choose auto or cpu") from error
    return torch.device(name)
