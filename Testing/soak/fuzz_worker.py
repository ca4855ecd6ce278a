"""Carries out commands on damaged files one after the other, in a process that may die of them."""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import traceback

from NoisyLabelSegLib.cli import main

MOST_MEMORY = 8 << 30


def work(lines: object, out: object) -> None:
    """Reads a command, a JSON list, per line; answers each with its exit code and what it said on standard error."""
    for line in lines:  # type: ignore[attr-defined]
        errors = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
            try:
                code: int | str = main(json.loads(line))
            except BaseException:  # noqa: BLE001 - it is what the test looks for
                code = traceback.format_exc()
        print(json.dumps([code, errors.getvalue()]), file=out, flush=True)  # type: ignore[call-overload]


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    work(sys.stdin, sys.stdout)
