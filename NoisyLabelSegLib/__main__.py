"""Lets `python -m NoisyLabelSegLib` do what the `noisylabelseg` command does."""

import sys

from NoisyLabelSegLib.cli import main

if __name__ == "__main__":
    sys.exit(main())
