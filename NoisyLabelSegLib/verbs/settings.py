"""What all verbs' settings share: the output folder, the check before the start, and their JSON."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from NoisyLabelSegLib.progress import Report, Say

FORMAT = "noisylabelseg-job/1"


@dataclass(frozen=True, kw_only=True)
class VerbSettings:
    """The settings of one run of a verb; paths are absolute or relative to the folder the worker is started in.

    The panel and the command line fill a subclass, the worker receives the same record as JSON.
    """

    verb: ClassVar[str] = ""
    out: str
    """The folder the results go to."""
    force: bool = False
    """Whether files of the same name in that folder may be replaced."""

    kinds: ClassVar[dict[str, type[VerbSettings]]] = {}
    """Every subclass by its verb."""

    def __init_subclass__(cls) -> None:
        VerbSettings.kinds[cls.verb] = cls

    def problems(self) -> list[str]:
        """What keeps the verb from starting, one sentence each, as far as it can be seen without reading files."""
        out = Path(self.out)
        if not self.out:
            return ["Choose a folder for the results."]
        if out.exists() and not out.is_dir():
            return [f"{out} is a file, not a folder; choose another folder for the results."]
        return []

    def run(self, report: Report, say: Say) -> dict[str, Any]:
        """Carries the verb out and returns its result; by then everything worth keeping is in the output folder."""
        raise NotImplementedError

    def to_json(self) -> str:
        """The settings as indented JSON: `{"format": "noisylabelseg-job/1", "verb": "fuse", "study": ..., ...}`."""
        content = {"format": FORMAT, "verb": self.verb, **dataclasses.asdict(self)}
        return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def exactly_one(first: str, a: object, second: str, b: object) -> list[str]:
    """The problem of giving neither or both of two inputs, if there is one."""
    return [] if bool(a) != bool(b) else [f"Choose a {first} or {second}{', not both' if a else ''}."]


def missing(what: str, *paths: str) -> list[str]:
    """A problem for each of the paths that does not exist; empty paths were not given."""
    return [f"{path} does not exist; choose another {what}." for path in paths if path and not Path(path).exists()]


def used(settings: VerbSettings) -> list[str]:
    """The problem of an output folder that holds something that may not be replaced."""
    out = Path(settings.out)
    if settings.force or not settings.out or not out.is_dir() or not any(out.iterdir()):
        return []
    return [f"{out} is not empty; choose another folder for the results or allow replacing."]
