"""The studies of `bench accuracy`: simulated annotators on phantoms and on real MR, and real annotators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Image, Study, read_image, resample, write_image
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.fusion import fuse
from NoisyLabelSegLib.simulation import (
    Recipe,
    SimulationSettings,
    digits_recipe,
    phantom_recipe,
    real_scan_recipe,
    simulate_study,
)

SIMULATED = ("mnist", "lesions", "tumour", "ms")
REAL = ("lidc", "bubil-smc", "bubil-fib")
MS_BLOCK, MS_CASE, MS_EVERY = 8, 4, 5
"""Slices of one patient in blocks of eight (8 mm), two cases each; every fifth block is held out."""
LIDC_EDGE = 64
CELL_PIXELS = 96
"""Cells are brought to about this edge: the outlines' differences, a few percent of it, stay visible."""
EXPERTS = tuple(f"expert{number}_amira" for number in range(1, 6))


def make_study(name: str, labels: str, seed: int, folder: Path, data: Path, mean_dice: float | None = None) -> Study:
    """The study by name; `labels` is dense or one (a random annotator per training case). Files go below `folder`."""
    if name in REAL:
        study = _lidc(data, seed) if name == "lidc" else _cells(data, name.removeprefix("bubil-"), seed)
        return _thinned(study, labels, seed)
    everyone = labels == "dense" or name == "ms"  # whose splits are named after the labels are drawn
    settings = SimulationSettings(
        seed=seed, missing=0.0 if everyone else None, dense_splits=("test",), mean_dice=mean_dice
    )
    if not (folder / "study.json").exists():
        study = simulate_study(_recipe(name, settings, folder, data), folder, settings, force=True).study
        if name == "ms":
            _with_blocks_held_out(study).write(force=True)
    return _thinned(Study.read(folder), labels, seed) if name == "ms" else Study.read(folder)


def _recipe(name: str, settings: SimulationSettings, folder: Path, data: Path) -> Recipe:
    if name == "mnist":
        return digits_recipe(settings)
    if name == "ms":
        return _blocks_recipe(folder / "blocks", _below(data, "ms-lesion-mr") / "patient19")
    return phantom_recipe(name, settings)


def _blocks_recipe(folder: Path, patient: Path) -> Recipe:
    """Cases of a few slices, in blocks with lesion in every slice, of one patient's four contrasts."""
    names = ("flair", "t1", "t1ce", "t2", "lesion_consensus")
    volumes = {name: read_image(patient / f"{name}.nii.gz") for name in names}
    truth = volumes["lesion_consensus"].array
    images, truths = [], []
    folder.mkdir(parents=True, exist_ok=True)
    blocks = [slice(start, start + MS_BLOCK) for start in range(0, len(truth) - MS_BLOCK + 1, MS_BLOCK)]
    kept = [block for block in blocks if truth[block].sum() >= 50 and all(layer.any() for layer in truth[block])]
    for start in (start for block in kept for start in range(block.start, block.stop, MS_CASE)):
        part = slice(start, start + MS_CASE)
        files = {name: folder / f"slice{start:03d}_{name}.nrrd" for name in names}
        for name, file in files.items():
            array = np.ascontiguousarray(volumes[name].array[part])
            write_image(file, Image(array, Geometry.plain(array.shape)))
        images.append([files[name] for name in names[:4]])
        truths.append(files["lesion_consensus"])
    return real_scan_recipe(images, truths, ("background", "lesion"))


def _with_blocks_held_out(study: Study) -> Study:
    """Whole blocks, evenly over the head, instead of a random choice: neighboring slices look alike."""
    blocks = [place * MS_CASE // MS_BLOCK for place in range(len(study.cases))]
    names = ["test" if block % MS_EVERY == MS_EVERY // 2 else "train" for block in blocks]
    return replace(study, cases=tuple(replace(case, split=name) for case, name in zip(study.cases, names, strict=True)))


def _lidc(data: Path, seed: int) -> Study:
    """Slices of nodules that all four readers outlined; the truth is their Spatial STAPLE, as in the paper."""
    with np.load(_below(data, "lidc-nodules-2d") / "lidc_nodules_2d.npz") as content:
        chosen = content["reader_present"].all(axis=1) & content["masks"].any(axis=(2, 3)).any(axis=1)
        low = (content["image"].shape[-1] - LIDC_EDGE) // 2
        box = (slice(low, low + LIDC_EDGE),) * 2
        images = content["image"][chosen][(slice(None), *box)]
        masks = content["masks"][chosen][(slice(None), slice(None), *box)]
        patients = content["patient"][chosen]
    everyone = np.random.default_rng(seed).permutation(np.unique(patients))
    held_out = set(everyone[: len(everyone) // 5].tolist())
    readers = tuple(f"reader{number}" for number in range(1, masks.shape[1] + 1))
    cases = []
    for number, (image, drawn, patient) in enumerate(zip(images, masks, patients.tolist(), strict=True)):
        truth = fuse(list(drawn), method="spatial-staple", classes=2).labels
        split = "test" if patient in held_out else "train"
        cases.append(_case(f"slice{number:04d}", image, dict(zip(readers, drawn, strict=True)), truth, split))
    return Study("lidc", ("background", "nodule"), readers, tuple(cases))


def _cells(data: Path, kind: str, seed: int) -> Study:
    """Five experts. A third is held out, another with each of three seeds: frames of the time-lapse (fib) that follow
    each other, of smc every third cell. There is no truth; the majority stands for it."""
    folder = _below(data, "bubil-cells")
    files = sorted((folder / "images").glob(f"{kind}_*.png"))
    cases = []
    for place, file in enumerate(files):
        image = read_image(file).array.astype(np.float32)
        drawn = {name: read_image(folder / "masks" / name / file.name).array > 0 for name in EXPERTS}
        step = max(image.shape) / CELL_PIXELS
        small = {name: _shrunk(mask.astype(np.float32), step) > 0.5 for name, mask in drawn.items()}
        third = place * 3 // len(files) if kind == "fib" else place % 3
        split = "test" if third == 2 - seed % 3 else "train"
        truth = fuse([mask.astype(np.uint8) for mask in small.values()], method="majority", classes=2).labels
        cases.append(_case(file.stem, _shrunk(image, step), small, truth, split))
    return Study(f"bubil-{kind}", ("background", "cell"), EXPERTS, tuple(cases))


def _shrunk(image: NDArray[np.float32], step: float) -> NDArray[np.float32]:
    grid = Geometry.plain(image.shape)
    image = ndimage.uniform_filter(image, max(1, round(step)))
    shape = tuple(max(8, round(length / step)) for length in image.shape)
    coarse = replace(grid, shape=shape, spacing=tuple(step for _ in shape), origin=tuple((step - 1) / 2 for _ in shape))
    return np.asarray(resample(Image(image, grid), coarse, labels=False).array, dtype=np.float32)


def _case(
    id: str, image: NDArray[Any], drawn: Mapping[str, NDArray[Any]], truth: NDArray[np.uint8], split: str
) -> Case:
    grid = Geometry.plain(image.shape)
    given = {name: Annotation(Image(mask.astype(np.uint8), grid)) for name, mask in drawn.items()}
    return Case(id, (Image(image, grid),), given, Image(truth, grid), split=split, classes=2)


def _thinned(study: Study, labels: str, seed: int) -> Study:
    if labels == "dense":
        return study
    rng = np.random.default_rng(seed)

    def cases() -> Iterator[Case]:
        for case in study.cases:
            kept = str(rng.choice(case.annotators))
            one = case.split != "test"
            yield replace(case, annotations={kept: case.annotations[kept]}) if one else case

    return replace(study, cases=tuple(cases()))


def _below(data: Path, name: str) -> Path:
    if not (data / name).is_dir():
        raise UserError("is not there", file=data / name, remedy="give the folder that holds it with --data")
    return data / name
