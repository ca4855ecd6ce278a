"""Several cases at once: in processes of this machine, or on a Dask cluster."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from NoisyLabelSegLib.errors import UserError
from NoisyLabelSegLib.progress import Map

_MOST_DEATHS = 3
_WORKERS_COME, _WORK_ENDS = 60, 60
"""Seconds to wait for a worker where there is none, and for the cases that are worked on when a run is cancelled."""


def parallel_map(jobs: int) -> Map:
    """A map that works on several items at once, on whatever joblib is configured to use; results come in order.

    The work of a process that is killed is done again.
    """
    import joblib
    from joblib.externals.loky import BrokenProcessPool

    # A worker whose memory has grown is replaced between two items, which nobody needs to hear of.
    warnings.filterwarnings("ignore", message="A worker stopped", category=UserWarning)

    def run_all(function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        items = list(items)
        done, deaths = 0, 0
        while done < len(items):
            work = joblib.Parallel(n_jobs=jobs, return_as="generator")
            try:
                for result in work(joblib.delayed(_Work(function))(item) for item in items[done:]):
                    yield result
                    done, deaths = done + 1, 0
            except BrokenProcessPool as error:  # a worker was killed; what it did is done again by another
                deaths += 1
                if deaths > _MOST_DEATHS:
                    raise _too_many_deaths(deaths, "use fewer --jobs") from error

    return run_all


class _Work:
    """A function that can be hashed, as joblib's Dask backend asks of it, whatever it is made of."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self._function = function

    def __call__(self, item: Any) -> Any:
        return self._function(item)


@contextmanager
def cluster_map(address: str) -> Iterator[Map]:
    """A map that works on the Dask cluster at this address; results come in order.

    The work of a process that is killed is done again by another. joblib's own Dask backend is not used, because it
    waits for ever where a case fails outside of its function, as when its worker is killed again and again.
    """
    from distributed import Client

    for part in ("client", "core", "comm"):
        logging.getLogger(f"distributed.{part}").setLevel(logging.CRITICAL)  # what goes wrong is said in one sentence
    try:
        client = Client(address)
    except (OSError, ValueError) as error:
        raise UserError(f"No Dask scheduler answers at {address}", remedy="check the address") from error
    with client:
        yield lambda function, items: _on_cluster(client, function, items)


def _on_cluster(client: Any, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    from concurrent.futures import CancelledError

    from distributed import KilledWorker, wait
    from distributed.comm import CommClosedError

    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(client.submit(function, item, pure=False))
            if len(waiting) > sum(client.ncores().values()):  # few at a time, so that results do not pile up
                yield _result(client, waiting.popleft())
        while waiting:
            yield _result(client, waiting.popleft())
    except KilledWorker as error:
        raise _too_many_deaths(_MOST_DEATHS + 1, "give the workers more memory") from error
    except (CommClosedError, CancelledError) as error:
        raise UserError("The Dask scheduler ended before the work did", remedy="start it and run this again") from error
    finally:
        with suppress(CommClosedError, CancelledError, asyncio.TimeoutError):
            if waiting and client.ncores():  # who still writes would leave files behind
                wait(list(waiting), timeout=_WORK_ENDS)


def _result(client: Any, future: Any) -> Any:
    """What a case gave; refused where there has been nobody to work on it for a while."""
    from distributed import wait

    alone = 0
    while alone < _WORKERS_COME:
        try:
            wait([future], timeout=1)
        except asyncio.TimeoutError:  # which is TimeoutError from Python 3.11 on
            alone = 0 if client.ncores() else alone + 1
        else:
            return future.result()
    raise UserError("The Dask cluster has no workers", remedy="start some and run this again")


def _too_many_deaths(deaths: int, remedy: str) -> UserError:
    return UserError(
        f"A worker process died {deaths} times at the same case", remedy=f"there may be too little memory; {remedy}"
    )
