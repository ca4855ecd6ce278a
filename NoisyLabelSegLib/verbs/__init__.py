"""The verbs that the command line and the worker process carry out alike: one file and one settings dataclass each.

Importing this package loads no other package of the library; a verb imports what it needs when it runs.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.json_checks import parse_object, read_text, to_dataclass
from NoisyLabelSegLib.lazy import attach
from NoisyLabelSegLib.progress import Report, Say
from NoisyLabelSegLib.verbs.settings import FORMAT, VerbSettings

if TYPE_CHECKING:
    from NoisyLabelSegLib.verbs.adjudicate import AdjudicateSettings
    from NoisyLabelSegLib.verbs.compare import CompareSettings
    from NoisyLabelSegLib.verbs.disagreements import DisagreementsSettings
    from NoisyLabelSegLib.verbs.export import ExportSettings
    from NoisyLabelSegLib.verbs.fuse import FuseSettings
    from NoisyLabelSegLib.verbs.predict import PredictSettings
    from NoisyLabelSegLib.verbs.review import ReviewSettings
    from NoisyLabelSegLib.verbs.scans import ScansSettings
    from NoisyLabelSegLib.verbs.train import TrainSettings

__getattr__, __all__ = attach(__name__, __file__)
VERBS = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "settings"))
"""Every verb that a worker can carry out: each has a module of its name in this package."""


def perform(settings: VerbSettings, report: Report, say: Say) -> dict[str, Any]:
    """Checks the settings, carries the verb out and returns its result."""
    problems = settings.problems()
    if problems:
        raise UserError(problems[0])
    return carry_out(settings, report, say)


def carry_out(settings: VerbSettings, report: Report, say: Say) -> dict[str, Any]:
    """As perform(), but the library itself says what is wrong with the settings, in the words of the command line."""
    try:
        return settings.run(report, say)
    except ModuleNotFoundError as error:
        raise UserError(
            f"The job {settings.verb} needs the Python package {error.name}, which is not installed",
            remedy="install it; in Slicer, PyTorch comes with the PyTorch extension",
        ) from error


def settings_from_json(text: str) -> VerbSettings:
    """The settings of the verb that the text names; a key or a value that is no setting raises UserError."""
    content = parse_object(text, what="The job's settings are", remedy="see docs/jobs.md for an example")
    if content.pop("format", None) != FORMAT:
        raise UserError(f"The job's settings are not of the format {FORMAT}")
    verb = content.pop("verb", None)
    if not isinstance(verb, str) or verb not in VERBS:
        raise UserError(f"There is no job {verb!r}", remedy=f"choose one of {', '.join(VERBS)}")
    importlib.import_module(f"{__name__}.{verb}")  # registers its settings
    return to_dataclass(VerbSettings.kinds[verb], content, what="job")


def read_settings(path: str | Path) -> VerbSettings:
    """The settings in a file, which an error names."""
    try:
        return settings_from_json(read_text(path))
    except UserError as error:
        if error.file is not None:
            raise
        raise UserError(error.problem, file=path, remedy=error.remedy, detail=error.detail) from error
