"""Why a worker died, in words."""

from __future__ import annotations

import pytest

from NoisyLabelSegLib.jobs.deaths import death_in_words, memory_kills


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
