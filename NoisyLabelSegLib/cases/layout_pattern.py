"""Layouts that the user describes: `labels/{reader}/{case}.nii.gz images/{case}.nii.gz`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from NoisyLabelSegLib.cases.found_cases import Found, FoundCase, folders_below, image_files, natural
from NoisyLabelSegLib.errors import UserError

EXAMPLE = "--layout 'scans/{case}.nii.gz' 'drawn/{case}-by-{reader}.nii.gz'"
_FIELDS = ("case", "reader", "channel")


def find_pattern(source: Path, patterns: Sequence[str]) -> Found:
    """Files that match a pattern with {reader} are labels, those that match one without are images.

    A field stands for any text without a slash; * stands for text that does not matter; {channel} orders the channels.
    """
    expressions = [(pattern, _expression(pattern)) for pattern in patterns]
    files = [file for folder in folders_below(source) for file in image_files(folder)]
    found = Found("given with --layout", "files fit its patterns", "{reader} of the layout")
    cases: dict[str, FoundCase] = {}
    channels: dict[Path, str] = {}
    for file in files:
        name = file.relative_to(source).as_posix()
        for _, expression in expressions:
            if match := expression.fullmatch(name):
                fields = match.groupdict()
                case = cases.setdefault(fields["case"], FoundCase(fields["case"]))
                if "reader" in fields:
                    case.add_labels(fields["reader"], file)
                else:
                    channels[file] = fields.get("channel") or name
                    case.images.append(file)
                break
    for case in cases.values():
        case.images.sort(key=lambda file: natural(channels[file]))
    found.cases = list(cases.values())
    if not found.has_labels:
        first = files[0].relative_to(source).as_posix() if files else "none"
        raise UserError(
            f"holds no file that fits {' or '.join(patterns)} (its first file is {first})",
            file=source,
            remedy=f"write the path below the folder with {{case}} and {{reader}}, such as {EXAMPLE}",
        )
    return found


def _expression(pattern: str) -> re.Pattern[str]:
    parts, seen = [], set()
    for part in re.split(r"(\{[^{}]*\}|\*)", pattern):
        name = part[1:-1]
        if part == "*":
            parts.append("[^/]*")
        elif part.startswith("{"):
            if name not in _FIELDS:
                raise UserError(
                    f"--layout {pattern} has the field {part}", remedy="the fields are {case}, {reader} and {channel}"
                )
            parts.append(f"(?P={name})" if name in seen else f"(?P<{name}>[^/]+?)")
            seen.add(name)
        else:
            parts.append(re.escape(part))
    if "case" not in seen:
        raise UserError(f"--layout {pattern} does not say where the case's name is", remedy="write {case} there")
    return re.compile("".join(parts))
