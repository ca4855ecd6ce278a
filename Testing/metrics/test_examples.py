"""The examples in the docstrings of the statistics run."""

from __future__ import annotations

import doctest
import importlib

import pytest


@pytest.mark.parametrize("name", ["kappa", "reliability", "resampling", "signed_distance", "surfaces"])
def test_the_examples_give_what_they_show(name: str) -> None:
    module = importlib.import_module(f"NoisyLabelSegLib.metrics.{name}")
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0
