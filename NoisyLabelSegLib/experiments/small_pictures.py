"""Makes the pictures of docs small: python -m NoisyLabelSegLib.experiments.small_pictures docs/pictures

Every PNG gets a palette of 256 colors, where that saves anything; gray scans and a few marks need no more.
"""

from __future__ import annotations

import argparse
import io
from pathlib import Path

from PIL import Image

from NoisyLabelSegLib.output import output_file

COLORS = 256


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="the folder of the pictures")
    for path in sorted(parser.parse_args().folder.glob("*.png")):
        shrink(path)


def shrink(path: Path) -> None:
    with Image.open(path) as picture:
        if picture.mode == "P":
            return
        small = io.BytesIO()
        picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    if small.tell() < path.stat().st_size:
        with output_file(path) as partial:
            partial.write_bytes(small.getvalue())


if __name__ == "__main__":
    main()
