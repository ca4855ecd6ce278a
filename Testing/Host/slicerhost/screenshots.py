"""Pictures of every section and state of the panel, at 100 % and 150 %, light and dark: one command for all.

    cd Testing/Host && python -m slicerhost.screenshots FOLDER

Each kind is made by slicerhost.pictures and slicerhost.states in processes of their own, because Qt reads the scale
when it starts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

KINDS = {
    "light-100": ("1", ["--train"]),
    "dark-100": ("1", ["--dark"]),
    "light-150": ("1.5", []),
    "dark-150": ("1.5", ["--dark"]),
}
"""The scale and the options of each kind; the slow pictures, of a training, are made once."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="where the folders light-100, dark-100, light-150, dark-150 go")
    parser.add_argument("--data", type=Path, help="a folder with real scans, for pictures of them")
    parser.add_argument("--only", choices=KINDS, help="make one kind only")
    arguments = parser.parse_args()
    for kind in [arguments.only] if arguments.only else KINDS:
        scale, options = KINDS[kind]
        folder, dark = str(arguments.folder.resolve() / kind), [option for option in options if option == "--dark"]
        real = [] if arguments.data is None else ["--data", str(arguments.data.resolve())]
        environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_SCALE_FACTOR": scale}
        for words in (["slicerhost.pictures", folder, *options], ["slicerhost.states", folder, *dark, *real]):
            command = [sys.executable, "-m", *words]
            subprocess.run(command, env=environment, cwd=Path(__file__).resolve().parents[1], check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
