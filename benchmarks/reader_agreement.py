"""The studies of docs/agreement.md from public data: LIDC nodules, KiTS tumors and BU-BIL cells, and their agreement.

python -m benchmarks.reader_agreement DATA OUT; DATA holds the folders lidc_readers, kits-tumours and bubil-cells.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from NoisyLabelSegLib.cases import Annotation, Case, Geometry, Study, read_labels, write_labels
from NoisyLabelSegLib.cli import main as noisylabelseg

EXPERTS = tuple(f"expert{number}" for number in range(1, 6))
TOLERANCES = {"lidc": "1", "kits": "2", "bubil-smc": "2", "bubil-fib": "2"}


def lidc(data: Path, folder: Path) -> Study:
    """60 nodules of 29 patients with four readers each."""
    masks = np.load(data / "lidc_readers" / "readers.npz")
    names = tuple(f"reader{number}" for number in range(1, 5))
    cases = []
    for nodule in json.loads((data / "lidc_readers" / "nodules.json").read_text(encoding="utf-8")):
        id, bits = nodule["nodule_id"], masks[nodule["nodule_id"]]
        grid = Geometry.plain(bits.shape, tuple(reversed(nodule["spacing_zyx"])))
        annotations = {}
        for place, name in enumerate(names):
            write_labels(folder / id / f"{name}.nrrd", (bits >> place) & 1, grid)
            annotations[name] = Annotation(folder / id / f"{name}.nrrd")
        cases.append(Case(id, (), annotations, patient=nodule["patient_id"]))
    return Study("lidc", ("background", "nodule"), names, tuple(cases))


def kits(data: Path, folder: Path) -> Study:
    """80 tumors of 80 patients with three readings each, as released."""
    names = ("reader1", "reader2", "reader3")
    cases = []
    for source in sorted((data / "kits-tumours").glob("case_*")):
        annotations = {name: _copied(source / f"{name}.nrrd", folder / source.name) for name in names}
        cases.append(Case(source.name, (), annotations))
    return Study("kits", ("background", "tumor"), names, tuple(cases))


def cells(data: Path, folder: Path, kind: str) -> Study:
    """Cells with five experts; the first reading is with Amira, the repeat with ImageJ."""
    masks = data / "bubil-cells" / "masks"
    cases = []
    for image in sorted((data / "bubil-cells" / "images").glob(f"{kind}_*.png")):
        by_tool = {
            tool: {name: _copied(masks / f"{name}_{tool}" / image.name, folder / image.stem / tool) for name in EXPERTS}
            for tool in ("amira", "imagej")
        }
        repeats = {name: (annotation,) for name, annotation in by_tool["imagej"].items()}
        cases.append(Case(image.stem, (), by_tool["amira"], repeats=repeats))
    return Study(f"bubil-{kind}", ("background", "cell"), EXPERTS, tuple(cases))


def _copied(source: Path, folder: Path) -> Annotation:
    """The labels as 0 and 1 in a file below the study."""
    labels, name = read_labels(source), source.parent.name.partition("_")[0]
    target = folder / f"{name if source.suffix == '.png' else source.stem}.nrrd"
    write_labels(target, labels.array > 0, labels.geometry)
    return Annotation(target)


def studies(data: Path, out: Path) -> Iterator[tuple[str, Study]]:
    yield "lidc", lidc(data, out / "lidc")
    yield "kits", kits(data, out / "kits")
    for kind in ("smc", "fib"):
        yield f"bubil-{kind}", cells(data, out / f"bubil-{kind}", kind)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    for name, study in studies(arguments.data, arguments.out):
        study.write(arguments.out / name)
        where = str(arguments.out / f"agreement-{name}")
        words = ["agree", str(arguments.out / name), "--tolerance", TOLERANCES[name], "--png", "--out", where]
        if code := noisylabelseg(words):
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
