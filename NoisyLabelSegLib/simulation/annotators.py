"""Simulated annotators, and panels of them read from JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import ndimage

from NoisyLabelSegLib.cases.study_rules import name_problem
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import read_json
from NoisyLabelSegLib.resources import resource_path
from NoisyLabelSegLib.simulation.errors import KINDS, SIDES, Hand
from NoisyLabelSegLib.simulation.scan import Labels, Mask, Scan, smooth_noise

CONFUSES = "confuses"


@dataclass(frozen=True)
class SimulatedAnnotator:
    """`target` is the class that is drawn wrongly, None for all foreground together.

    `strength` counts the kind's unit (see KINDS; a share of 0 to 1 for `confuses`); None stands for its typical value.
    `dice` is the mean Dice to the truth that the strength is to be solved for.
    """

    name: str
    kind: str
    strength: float | None = None
    dice: float | None = None
    target: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_strength(self) -> bool:
        return self.kind == CONFUSES or KINDS[self.kind].has_strength

    @property
    def start_strength(self) -> float:
        """The strength that is scaled when a Dice is solved for."""
        typical = 0.3 if self.kind == CONFUSES else KINDS[self.kind].typical
        return typical if self.strength is None else self.strength

    def draw(self, scan: Scan, seed: int, *, scale: float = 1.0) -> Labels:
        """This annotator's labels, (*shape) uint8: the same for the same seed, name and case, at any time."""
        strength, hand = self.start_strength * scale, Hand(seed, self.name, self.options)
        if self.kind == CONFUSES:
            return _confused(scan, strength, hand)
        if self.has_strength and strength <= 0:
            return scan.truth.copy()
        shape = scan.shape_of(self.target)
        drawn = KINDS[self.kind].draw(scan, shape, strength, hand)
        return _with_outline(scan.truth, shape.mask, drawn, self.target)


def _with_outline(truth: Labels, mask: Mask, drawn: Mask, target: int | None) -> Labels:
    """The truth with one outline replaced: what is left bare takes the label nearest to it, what is added the target's.

    Without a target, all foreground is one outline, and what is added takes the nearest foreground label.
    """
    labels = truth.copy()
    lost, added = mask & ~drawn, drawn & ~mask
    if lost.any():
        labels[lost] = 0 if target is None else _nearest(truth, ~mask)[lost]
    if added.any():
        foreground = int(truth.max()) > 1 and target is None
        labels[added] = _nearest(truth, mask)[added] if foreground else (1 if target is None else target)
    return labels


def _nearest(labels: Labels, known: Mask) -> Labels:
    """Every voxel's nearest label among the known voxels, 0 where nothing is known."""
    if not known.any():
        return np.zeros_like(labels)
    indices = ndimage.distance_transform_edt(~known, return_distances=False, return_indices=True)
    return np.asarray(labels[tuple(indices)])


def _confused(scan: Scan, share: float, hand: Hand) -> Labels:
    """Takes each of two classes for the other in patches that make up this share of them."""
    first, second = hand.options["classes"]
    labels = scan.truth.copy()
    patches = smooth_noise(hand.chance(scan), labels.shape, scan.spacing, 10.0)
    for true, said in ((first, second), (second, first)):
        places = scan.truth == true
        if share > 0 and places.any():
            labels[places & (patches <= np.quantile(patches[places], min(share, 1.0)))] = said
    return labels


FORMAT = "noisylabelseg-panel/1"
_OPTIONS = ("classes", "device", "direction", "error", "gaps", "side")


@dataclass(frozen=True)
class AnnotatorPanel:
    """The annotators of a study, in order."""

    name: str
    annotators: tuple[SimulatedAnnotator, ...]


def read_panel(name: str | Path, classes: Sequence[str]) -> AnnotatorPanel:
    """A shipped panel by its name, or a JSON file; `classes` are the study's, background first."""
    path = Path(name)
    if path.suffix.lower() != ".json":
        path = _shipped(str(name))
    content = read_json(path, missing=_choose())
    try:
        return _panel(content, classes)
    except UserError as error:
        raise UserError(error.problem, file=path, remedy=error.remedy or "see docs/simulation.md") from error


def shipped_panels() -> list[str]:
    """The names of the panels that come with the library."""
    return sorted(path.stem for path in resource_path("panels").glob("*.json"))


def panel_to_json(panel: AnnotatorPanel) -> dict[str, Any]:
    """The content of a panel file that draws exactly what this panel drew."""
    entries = []
    for annotator in panel.annotators:
        entry: dict[str, Any] = {"name": annotator.name, "kind": annotator.kind}
        if annotator.has_strength:
            entry["strength"] = annotator.start_strength
        if annotator.target is not None:
            entry["class"] = annotator.target
        entries.append({**entry, **annotator.options})
    return {"format": FORMAT, "name": panel.name, "annotators": entries}


def _shipped(name: str) -> Path:
    if name not in shipped_panels():
        raise UserError(f"There is no panel {name!r}", remedy=_choose())
    return resource_path(f"panels/{name}.json")


def _choose() -> str:
    return f"choose one of {', '.join(shipped_panels())}, or give a JSON file"


def _panel(content: Any, classes: Sequence[str]) -> AnnotatorPanel:
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise UserError(f"is not a panel of format {FORMAT}")
    entries = content.get("annotators")
    if not isinstance(entries, list) or not entries:
        raise UserError("lists no annotators")
    annotators = tuple(_annotator(entry, classes) for entry in entries)
    names = [annotator.name.lower() for annotator in annotators]
    if len(set(names)) < len(names):
        raise UserError("uses a name twice")
    return AnnotatorPanel(str(content.get("name", "panel")), annotators)


def _annotator(entry: Any, classes: Sequence[str]) -> SimulatedAnnotator:
    if not isinstance(entry, dict):
        raise UserError("has an annotator that is not a JSON object")
    name, kind = entry.get("name"), entry.get("kind")
    if problem := name_problem(name):
        raise UserError(f"has an annotator whose name {problem}")
    if kind != CONFUSES and kind not in KINDS:
        raise UserError(f"gives {name} the kind {kind!r}", remedy=f"choose one of {', '.join([*KINDS, CONFUSES])}")
    unknown = set(entry) - {"name", "kind", "strength", "dice", "class", *_OPTIONS}
    if unknown:
        raise UserError(f"gives {name} the unknown setting {sorted(unknown)[0]!r}")
    target = None if entry.get("class") is None else _class_index(entry["class"], classes, str(name))
    return SimulatedAnnotator(
        name=str(name),
        kind=str(kind),
        strength=_number(entry, "strength", 0, 1000),
        dice=_number(entry, "dice", 0, 1),
        target=target,
        options=_options(entry, classes),
    )


def _options(entry: dict[str, Any], classes: Sequence[str]) -> dict[str, Any]:
    options = {key: entry[key] for key in _OPTIONS if key in entry}
    name = str(entry["name"])
    if entry["kind"] == CONFUSES:
        pair = options.get("classes")
        if not isinstance(pair, list) or len(pair) != 2:
            raise UserError(f"does not say which two classes {name} confuses", remedy='add "classes": [1, 2]')
        options["classes"] = [_class_index(value, classes, name) for value in pair]
    if options.get("side", "left") not in SIDES:
        raise UserError(f"gives {name} the side {options['side']!r}", remedy=f"choose one of {', '.join(SIDES)}")
    if options.get("error", "over") not in ("over", "under", "wrong", "shifted", "smoothing", "shaky"):
        raise UserError(
            f"gives {name} the error {options['error']!r}", remedy="name an error that has a strength in mm"
        )
    _number(entry, "gaps", 0, 100)
    _direction(options.get("direction"), name)
    return options


def _class_index(value: Any, classes: Sequence[str], name: str) -> int:
    index = list(classes).index(value) if value in classes else value
    if isinstance(index, bool) or not isinstance(index, int) or not 0 < index < len(classes):
        raise UserError(f"sets {name} on the class {value!r}", remedy=f"foreground is {', '.join(classes[1:])}")
    return index


def _number(entry: dict[str, Any], key: str, low: float, high: float) -> float | None:
    value = entry.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise UserError(f"gives {entry['name']} the {key} {value!r}, which is not a number from {low} to {high}")
    return float(value)


def _direction(value: Any, name: str) -> None:
    if value is None:
        return
    numbers = isinstance(value, list) and all(isinstance(item, (int, float)) for item in value)
    if not numbers or len(value) not in (2, 3) or not any(value):
        raise UserError(f"gives {name} a direction that is not a list of numbers in z, y, x order")
