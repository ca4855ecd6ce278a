"""A study as BIDS derivatives: one discrete segmentation per reader, told apart by the `desc` entity."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from NoisyLabelSegLib import __version__
from NoisyLabelSegLib.cases.export_plan import ExportedCase
from NoisyLabelSegLib.cases.files import write_image, write_labels
from NoisyLabelSegLib.cases.geometry import Image
from NoisyLabelSegLib.cases.study import Study
from NoisyLabelSegLib.cases.study_rules import DistinctNames
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.output import write_text


class BidsExport:
    """Writes `sub-<case>/anat/sub-<case>_desc-<reader>_dseg.nii.gz` with a JSON sidecar, and the image beside it.

    BIDS labels have letters and digits only, so `case 01_a` becomes `case01a`; sidecars and `dseg.tsv` keep the names.
    suffix: what the file names of images end in, such as T1w, FLAIR or ct.
    """

    def __init__(self, study: Study, folder: Path, *, suffix: str = "image") -> None:
        self._study, self._folder, self._suffix = study, folder, suffix
        self._subjects: dict[str, str] = {}

    def add(self, exported: ExportedCase) -> None:
        case = exported.case
        subject = label(case.id)
        if self._subjects.setdefault(subject, case.id) != case.id:
            raise UserError(
                f"The cases {self._subjects[subject]} and {case.id} would both be sub-{subject}",
                remedy="rename one of them in the study",
            )
        folder, start = self._folder / f"sub-{subject}" / "anat", f"sub-{subject}"
        channels = case.image() if case.images else ()
        for number, channel in enumerate(channels):
            entity = f"_desc-channel{number}" if len(channels) > 1 else ""
            write_image(folder / f"{start}{entity}_{self._suffix}.nii.gz", Image(channel, case.geometry))
        names = DistinctNames(joint="")
        names.add("truth")
        for reader, annotation in case.annotations.items():
            sidecar = {"Reader": reader, "Manual": True, **({"Date": annotation.date} if annotation.date else {})}
            self._write(folder, f"{start}_desc-{names.add(label(reader))}_dseg", case.labels(reader), exported, sidecar)
        if exported.truth is not None:
            sidecar = {"Manual": False, "Description": "Estimated truth", **exported.provenance}
            self._write(folder, f"{start}_desc-truth_dseg", exported.truth, exported, sidecar)

    def finish(self) -> None:
        """Writes dataset_description.json and the table of the classes."""
        content = {
            "Name": self._study.name,
            "BIDSVersion": "1.10.0",
            "DatasetType": "derivative",
            "GeneratedBy": [{"Name": "NoisyLabelSeg", "Version": __version__}],
        }
        write_text(self._folder / "dataset_description.json", _json(content))
        rows = "".join(f"{number}\t{name}\n" for number, name in enumerate(self._study.classes))
        write_text(self._folder / "dseg.tsv", "index\tname\n" + rows)

    def _write(self, folder: Path, name: str, labels: Any, exported: ExportedCase, sidecar: dict[str, Any]) -> None:
        write_labels(folder / f"{name}.nii.gz", labels, exported.case.geometry)
        write_text(folder / f"{name}.json", _json({"Case": exported.case.id, **sidecar}))


def label(name: str) -> str:
    """A name as a BIDS label: letters and digits only."""
    return re.sub(r"[^A-Za-z0-9]", "", name) or "x"


def _json(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
