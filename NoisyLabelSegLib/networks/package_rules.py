"""What `model.json` must satisfy, said in words."""

from __future__ import annotations

from typing import Any

from NoisyLabelSegLib.cases.study_rules import name_problem

_TYPES: dict[str, type] = {
    "architecture": dict,
    "classes": list,
    "annotators": list,
    "preprocessing": dict,
    "settings": dict,
    "metrics": dict,
    "provenance": dict,
    "intended_use": str,
    "license": str,
}
_REQUIRED = ("architecture", "classes", "annotators", "preprocessing")


def card_problem(content: Any, version: str) -> str | None:
    """The first thing that is wrong, or None. Keys this version does not know are left alone."""
    if not isinstance(content, dict):
        return "model.json is not a JSON object"
    if content.get("format") != version:
        return f"its format is {str(content.get('format'))[:60]!r}, but this version reads {version}"
    for name in _REQUIRED:
        if name not in content:
            return f"model.json has no {name!r}"
    for name, kind in _TYPES.items():
        if name in content and not isinstance(content[name], kind):
            return f"model.json's {name!r} is of the wrong type"
    for name in ("classes", "annotators"):
        if not all(isinstance(item, str) and item.strip() for item in content[name]):
            return f"model.json's {name!r} are not names"
        if len(set(content[name])) < len(content[name]):
            return f"model.json's {name!r} repeat a name"
    for name in content["annotators"]:
        if problem := name_problem(name):  # it becomes part of a file name
            return f"the annotator {name[:60]!r} {problem}"
    return None
