"""What the verbs that go through many cases have in common: several at once, and going on after a bad one."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from NoisyLabelSegLib.commands.parallel import cluster_map, parallel_map
from NoisyLabelSegLib.commands.terminal import Terminal
from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.failures import Failure
from NoisyLabelSegLib.progress import Map


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="cases to work on at once (default %(default)s)"
    )
    parser.add_argument("--dask", metavar="ADDRESS", help="spread the cases over the Dask cluster at this address")
    parser.add_argument(
        "--keep-going",
        action="store_true",
        help="leave out cases with unusable files, finish the others, and end with exit code 2",
    )


@contextmanager
def at_once(arguments: argparse.Namespace) -> Iterator[Map]:
    """A map over cases that works on as many at once as was asked for, on the cluster if one was named."""
    if arguments.jobs == 0:
        raise UserError("--jobs 0 leaves no process to work", remedy="give 1 or more, or -1 for all cores")
    if arguments.dask:
        with cluster_map(arguments.dask) as run:
            yield run
    else:
        yield map if arguments.jobs == 1 else parallel_map(arguments.jobs)


def finished(result: dict[str, Any], failed: Sequence[Failure], terminal: Terminal) -> dict[str, Any]:
    """The result; where cases failed, what is wrong with each is said first and the run ends as bad input."""
    if not failed:
        return result
    for failure in failed:
        terminal.say(f"{failure.case}: {failure.problem}")
    terminal.result(result)
    cases = "One case failed and was" if len(failed) == 1 else f"{len(failed)} cases failed and were"
    raise UserError(f"{cases} left out; everything else is finished", remedy="correct the files named above")
