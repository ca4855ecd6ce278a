"""A study as a raw data set of nnU-Net: imagesTr, labelsTr and dataset.json."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from NoisyLabelSegLib.cases.case import Case
from NoisyLabelSegLib.cases.export_plan import TEST_SPLITS, ExportedCase, exported_name
from NoisyLabelSegLib.cases.files import write_image, write_labels
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.layout_nnunet import OWN_KEY
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.cases.study_rules import DistinctNames
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import write_text

ENDING = ".nii.gz"


class NnunetExport:
    """Writes case by case into a folder such as `nnUNet_raw/Dataset501_Nodules`.

    targets: "truth" (one label per case), "readers" (each reader's label as a case of its own, `<case>_<reader>`, with
    the image repeated) or "soft" (the truth, and class probabilities in `softTr/<case>_<class>.nii.gz`).
    """

    def __init__(self, study: Study, folder: Path, *, targets: str = "truth") -> None:
        self._study, self._folder, self._targets = study, folder, targets
        self._channels, self._training = 0, 0
        self._origins: dict[str, dict[str, str]] = {}
        self._names, self._soft_names = DistinctNames(), DistinctNames()

    def add(self, exported: ExportedCase) -> None:
        """Writes the images and labels of one case; its split `test` goes into imagesTs and labelsTs."""
        case = exported.case
        if not case.images:
            raise UserError(f"Case {case.id} has no image", remedy="nnU-Net trains on images; add them to the study")
        part = "Ts" if case.split in TEST_SPLITS else "Tr"
        channels = case.image()
        self._channels = max(self._channels, len(channels))
        for reader, labels in self._labels(exported):
            name = self._names.add(exported_name(f"{case.id}_{reader}" if reader else case.id))
            self._origins[name] = {"case": case.id}
            self._origins[name] |= {"reader": reader} if reader else {}
            self._origins[name] |= {"split": case.split} if case.split else {}
            for number, channel in enumerate(channels):
                path = self._folder / f"images{part}" / f"{name}_{number:04d}{ENDING}"
                write_image(path, Image(channel, case.geometry))
            if labels is not None:
                write_labels(self._folder / f"labels{part}" / f"{name}{ENDING}", labels, case.geometry)
            self._training += part == "Tr"
        if self._targets == "soft":
            self._write_soft(exported, part)

    def finish(self) -> None:
        """Writes dataset.json."""
        content = {
            "channel_names": {str(number): f"channel {number}" for number in range(self._channels)},
            "labels": {name: number for number, name in enumerate(self._study.classes)},
            "numTraining": self._training,
            "file_ending": ENDING,
            "name": self._study.name,
            OWN_KEY: self._origins,
        }
        write_text(self._folder / "dataset.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")

    def _labels(self, exported: ExportedCase) -> Iterator[tuple[str, NDArray[np.uint8] | None]]:
        case = exported.case
        if self._targets != "readers":
            yield "", exported.truth
            return
        for reader in case.annotators:
            yield reader, case.labels(reader)

    def _write_soft(self, exported: ExportedCase, part: str) -> None:
        probabilities = exported.probabilities
        if probabilities is None:
            probabilities = vote_shares(exported.case, len(self._study.classes))
        for title, share in zip(self._study.classes[1:], probabilities[1:], strict=True):
            name = self._soft_names.add(f"{exported_name(exported.case.id)}_{exported_name(title)}")
            image = Image(np.ascontiguousarray(share, dtype=np.float32), exported.case.geometry)
            write_image(self._folder / f"soft{part}" / f"{name}{ENDING}", image)


def vote_shares(case: Case, classes: int) -> NDArray[Any]:
    """The share of the annotators who chose each class, (L, *shape) float32."""
    labels = [labels for name in case.annotators if (labels := case.labels(name)) is not None]
    if not labels:
        raise UserError(f"Case {case.id} has no labels")
    return np.stack([np.mean([array == number for array in labels], axis=0) for number in range(classes)]).astype("f4")
