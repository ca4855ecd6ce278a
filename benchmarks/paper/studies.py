"""The four data sets of the paper, or what stands in for them: made from a seed, or from a folder of real data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.accuracy_studies import make_study
from benchmarks.lidc_nodules import ARRAYS, NoduleSlices, read_slices, study_of
from NoisyLabelSegLib.cases import Case, Geometry, Image, Study
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.simulation import SimulationSettings, digits_recipe, phantom_recipe, simulate_study

DATA_SETS = ("mnist", "ms", "brats", "lidc")
TITLES = {"mnist": "MNIST", "ms": "MS lesions", "brats": "BraTS", "lidc": "LIDC-IDRI"}
LIDC = "lidc-nodules-2d-large"
SHARES = (0.56, 0.14, 0.3)
"""Train, validate and test: a fifth of what is not tested on is for validation, as in the paper."""


@dataclass(frozen=True)
class Size:
    """How many cases a study has, and of which size in x, y, z; LIDC: slices of the parts and the edge of a crop."""

    cases: int
    shape: tuple[int, ...] | None = None
    edge: int = 0


FULL = {
    "mnist": Size(360),
    "ms": Size(24, (80, 80, 16)),
    "brats": Size(24, (80, 80, 16)),
    "lidc": Size(600, (64, 64, 20), edge=128),
}
QUICK = {
    "mnist": Size(60),
    "ms": Size(10, (64, 64, 5)),
    "brats": Size(10, (64, 64, 5)),
    "lidc": Size(60, (32, 32, 6), edge=48),
}
PHANTOMS = {"ms": "lesions", "brats": "tumour", "lidc": "nodules"}


@dataclass(frozen=True)
class Wanted:
    """A study by its properties; labels: dense, or one label for each training case."""

    data_set: str
    labels: str
    seed: int
    quick: bool
    mean_dice: float | None = None

    @property
    def name(self) -> str:
        noise = "" if self.mean_dice is None else f"-mean{self.mean_dice:g}"
        return f"{self.data_set}-{self.labels}{noise}-seed{self.seed}"


def uses_data(wanted: Wanted, data: Path | None) -> bool:
    """Whether the study is read from the folder of real data."""
    if data is None or wanted.mean_dice is not None:
        return False
    return wanted.data_set == "lidc" or (wanted.data_set == "ms" and not wanted.quick)


def study(wanted: Wanted, folder: Path, data: Path | None) -> Study:
    """The study; what is made from a seed is written to the folder, unless it is there already."""
    if data is not None and uses_data(wanted, data):
        if wanted.data_set == "lidc":
            return _lidc(wanted, data)
        return make_study("ms", wanted.labels, wanted.seed, folder, data)
    if not (folder / "study.json").exists():
        size = (QUICK if wanted.quick else FULL)[wanted.data_set]
        settings = SimulationSettings(
            cases=size.cases,
            size=size.shape,
            seed=wanted.seed,
            missing=0.0 if wanted.labels == "dense" else None,
            mean_dice=wanted.mean_dice,
            shares=SHARES,
            dense_splits=("validate", "test"),
        )
        digits = wanted.data_set == "mnist"
        recipe = digits_recipe(settings) if digits else phantom_recipe(PHANTOMS[wanted.data_set], settings)
        simulate_study(recipe, folder, settings, force=True)
    return Study.read(folder)


def differences(data_set: str, *, quick: bool, data: Path | None) -> str:
    """In what the data differ from the paper's, in a sentence."""
    size = (QUICK if quick else FULL)[data_set]
    shape = " x ".join(str(length) for length in size.shape or (28, 28))
    if data_set == "mnist":
        return f"MNIST: {size.cases} digits with noise instead of 70,000; annotators drawn as the paper describes."
    if data_set == "lidc" and data is not None:
        return (
            f"LIDC-IDRI: {size.cases} slices of nodules that all four readers outlined, {size.edge} x {size.edge} "
            "pixels, instead of 7,000 of 180 x 180; the reference is our own Spatial STAPLE of the four."
        )
    if data_set == "ms" and data is not None and not quick:
        return "MS lesions: one patient's MR in blocks of slices instead of 21 scans of 5 patients."
    phantom = {"ms": "MR with lesions", "brats": "MR with tumors", "lidc": "CT with nodules and simulated radiologists"}
    return f"{TITLES[data_set]}: {size.cases} simulated scans of {shape} voxels ({phantom[data_set]})."


def _lidc(wanted: Wanted, data: Path) -> Study:
    """Slices of nodules that all four readers outlined, chosen evenly from each part; the truth is Spatial STAPLE."""
    folder, size = data / LIDC, (QUICK if wanted.quick else FULL)["lidc"]
    if not (folder / ARRAYS).exists() and (data / ARRAYS).exists():
        folder = data
    parts = {
        part: _some(read_slices(folder, part), round(share * size.cases), wanted.seed).centered(size.edge)
        for part, share in zip(("train", "validate", "test"), SHARES, strict=True)
    }
    whole = study_of(parts)
    rng = np.random.default_rng(wanted.seed)
    return replace(whole, cases=tuple(_with_reference(case, wanted.labels, rng) for case in whole.cases))


def _some(slices: NoduleSlices, count: int, seed: int) -> NoduleSlices:
    everybody = np.flatnonzero(np.all(np.any(slices.masks, axis=(2, 3)), axis=1))
    chosen = np.sort(np.random.default_rng(seed).permutation(everybody)[:count])
    ids = tuple(slices.ids[number] for number in chosen.tolist())
    return NoduleSlices(slices.image[chosen], slices.masks[chosen], slices.patient[chosen], ids)


def _with_reference(case: Case, labels: str, rng: np.random.Generator) -> Case:
    everybody = [drawn for name in case.annotations if (drawn := case.labels(name)) is not None]
    truth = fuse(everybody, method="spatial-staple", classes=2).labels
    reference = Image(truth, Geometry.plain(truth.shape))
    if labels == "one" and case.split == "train":
        kept = str(rng.choice(case.annotators))
        case = replace(case, annotations={kept: case.annotations[kept]})
    return replace(case, truth_source=reference)
