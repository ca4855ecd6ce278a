"""Why a worker died, in words."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from NoisyLabelSegLib.jobs import State
from NoisyLabelSegLib.jobs.job import death_in_words, memory_kills


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (-9, "killed (SIGKILL) by the system or by another program"),
        (137, "killed (SIGKILL) by the system or by another program"),
        (-11, "crashed (SIGSEGV)"),
        (134, "crashed (SIGABRT)"),
        (-15, "told to stop from outside (SIGTERM)"),
        (-1073741819, "crashed (access violation)"),
        (0xC0000017, "ran out of memory"),
        (1, "ended with exit code 1"),
        (0, "ended without a result"),
    ],
)
def test_an_exit_code_becomes_a_sentence(code: int, words: str) -> None:
    sentence = death_in_words(code)
    assert words in sentence
    assert sentence.startswith("The worker ")
    assert sentence.endswith(".")


def test_only_a_kill_is_blamed_on_memory() -> None:
    assert "because the machine ran out of memory" in death_in_words(-9, out_of_memory=True)
    assert "memory" not in death_in_words(-11, out_of_memory=True)


def test_the_count_of_memory_kills_can_be_asked_anywhere() -> None:
    assert memory_kills() >= 0


@pytest.fixture
def tight_memory(eventually: Any) -> Iterator[Path]:
    """A group of processes that may use 64 MB together; its processes are written to the yielded file."""
    for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
        group = Path(root) / f"noisylabelseg-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            (group / limit).write_text(str(64 << 20))
            yield group / "cgroup.procs"
            return
        except OSError:
            continue
        finally:
            eventually(partial(_is_removed, group))
    pytest.skip("may not limit memory here")


def _is_removed(group: Path) -> bool:
    """Removes a group of processes, unless one of them is still on its way out."""
    try:
        group.rmdir()
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        return False
    return True


def test_a_worker_that_the_system_ended_for_want_of_memory_says_so(run: Any, script: Any, tight_memory: Path) -> None:
    code = f"open({str(tight_memory)!r}, 'w').write(str(os.getpid()))\nfilling = bytearray(os.urandom(1 << 20) * 512)"
    job, heard = run(script(code))
    assert job.state is State.FAILED
    assert heard.ending.sentence.startswith("The worker was killed (SIGKILL) because the machine ran out of memory")
