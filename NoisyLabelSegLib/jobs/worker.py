"""The worker: does one job and says how it goes, one JSON event per line on stdout.

    python -m NoisyLabelSegLib.jobs.worker settings.json
    python path/to/NoisyLabelSegLib/jobs/worker.py settings.json

A line `cancel` on stdin, the end of stdin, the death of its parent, SIGTERM and Ctrl-C stop it cleanly. Exit codes are
those of the `noisylabelseg` command.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(prog="worker", description="Does one job, reporting one JSON event per line.")
    parser.add_argument("settings", metavar="SETTINGS.json", help="what to do")
    parser.add_argument("--scratch", metavar="DIR", help="a folder for temporary files, removed at the end")
    arguments = parser.parse_args()
    _find_the_package()
    from NoisyLabelSegLib.jobs.session import work

    return work(arguments.settings, scratch=arguments.scratch)


def _find_the_package() -> None:
    """Run by its path, Python looks for modules in this file's folder; they are in the folder of the package."""
    folder = Path(__file__).resolve().parent
    sys.path[:] = [entry for entry in sys.path if not entry or Path(entry).resolve() != folder]
    if str(folder.parents[1]) not in sys.path:
        sys.path.insert(0, str(folder.parents[1]))


if __name__ == "__main__":
    sys.exit(main())
