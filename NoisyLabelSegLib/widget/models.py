"""The trained models that people can choose: those that come with the extension and those they trained or opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from slicer.i18n import tr as _

from NoisyLabelSegLib.cases.model_card import ModelCard, read_card, shipped_models
from NoisyLabelSegLib.errors import UserError

MOST_REMEMBERED = 20


@dataclass(frozen=True)
class Model:
    """What the panel says about a package; the worker checks its weights before they are used."""

    path: str
    title: str
    about: str
    classes: tuple[str, ...]
    cases: int = 0
    """How many cases it was trained on; 0 where the card does not say."""
    card: str = ""
    """What the card says to people: intended use, data, figures, limitations."""
    object: str = ""
    """What the model outlines one at a time, around a point or in a box; empty for a model of whole images."""
    hasScope: bool = False
    """Whether the card says which scans the model is for."""


class ModelShelf:
    """`load` and `save` keep the paths that people used, newest first, as JSON text between sessions."""

    def __init__(self, load: Callable[[], str], save: Callable[[str], None]) -> None:
        self._load, self._save = load, save

    def models(self) -> list[Model]:
        """Everything that can be chosen now: the extension's own models, then the newest of people's."""
        paths = dict.fromkeys([*_shipped(), *self._remembered()])
        found = [model for path in paths if (model := describe(path)) is not None]
        titles = [model.title for model in found]
        return [_withFile(model) if titles.count(model.title) > 1 else model for model in found]

    def remember(self, path: str) -> None:
        """Offers a model from now on."""
        if path not in _shipped():
            kept = [path, *(other for other in self._remembered() if other != path)]
            self._save(json.dumps(kept[:MOST_REMEMBERED]))

    def find(self, path: str) -> Model | None:
        """The model of this path; a scene from another computer means the extension's own model of the same name."""
        known = {model.path: model for model in self.models()}
        own = {Path(other).name: other for other in _shipped()}
        return known.get(path) or known.get(own.get(Path(path).name, "")) if path else None

    def _remembered(self) -> list[str]:
        try:
            paths = json.loads(self._load())
        except ValueError:
            return []
        return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []


def describe(path: str) -> Model | None:
    """What a package's card says; None for a file that is none. Reads no weights and needs no PyTorch."""
    try:
        card = read_card(path)
    except UserError:
        return None
    study, cases, classes = card.study or Path(path).stem, card.cases, ", ".join(card.classes[1:])
    title: str = _("{study}: {classes}, 1 case") if cases == "1" else _("{study}: {classes}, {cases} cases")
    count = int(cases) if cases.isdigit() else 0
    return Model(
        path,
        title.format(study=study, classes=classes, cases=cases),
        card.intended_use,
        card.classes,
        count,
        _cardText(card),
        str(card.scope.get("object", "")),
        bool(card.scope),
    )


def _cardText(card: ModelCard) -> str:
    parts = {_("Intended use"): card.intended_use, **card.details, _("License"): card.license}
    return "\n\n".join(f"{title[:1].upper()}{title[1:]}: {text}" for title, text in parts.items() if text)


def _shipped() -> list[str]:
    return [str(path) for path in shipped_models()]


def _withFile(model: Model) -> Model:
    path = Path(model.path)
    return replace(model, title=f"{model.title} ({path.parent.name}/{path.name})")
