"""`noisylabelseg import`: files as hospitals and researchers have them become a study."""

from __future__ import annotations

import argparse
from typing import Any

from NoisyLabelSegLib.commands.terminal import Terminal

SUMMARY = "Make a study from a folder, LIDC-IDRI or DICOM SEG."
EXAMPLE = "  noisylabelseg import folder my-data --out my-study"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source")


def run(arguments: argparse.Namespace, terminal: Terminal) -> dict[str, Any]:
    raise NotImplementedError
