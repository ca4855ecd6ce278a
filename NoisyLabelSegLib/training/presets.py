"""Named settings: Resources/presets/*.json, each an object of settings that differ from the defaults."""

from __future__ import annotations

import json
from pathlib import Path

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.resources import preset_names, resource_path
from NoisyLabelSegLib.training.settings import Settings


def preset(name: str) -> Settings:
    """The settings of a preset by name, or of a JSON file of one's own by path."""
    if name.endswith(".json"):
        return _read(Path(name))
    if name not in preset_names():
        raise UserError(f"There is no preset {name!r}", remedy=f"choose one of {', '.join(preset_names())}")
    return _read(resource_path("presets") / f"{name}.json")


def checked(settings: Settings) -> Settings:
    """The settings, or a sentence about the first thing that is wrong with them."""
    if problems := settings.problems():
        raise UserError(f"The settings do not make sense: {problems[0]}", remedy="change it with --set key=value")
    return settings


def stored_settings(run: Path) -> Settings:
    """The settings a run was started with."""
    path = run / "settings.json"
    if not path.exists():
        raise UserError("holds no run to resume", file=run, remedy="check the folder, or start it without --resume")
    return _read(path, coarsen=False)  # as runs did before it was a setting


def _read(path: Path, **unsaid: object) -> Settings:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict):
            raise ValueError("it is not a JSON object")
        content.pop("about", None)
        return checked(Settings.from_json({**unsaid, **content}))
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", file=path) from error
    except ValueError as error:
        raise UserError(f"is not a preset: {error}", file=path, remedy="see docs/method.md for the settings") from error
