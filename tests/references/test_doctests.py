"""The examples in the docstrings are true."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest


@pytest.mark.parametrize("module", ["", ".act", ".lexicon", ".place", ".resolve"])
def test_examples(module):
    result = doctest.testmod(import_module(f"pincite.references{module}"))
    assert result.attempted > 0
    assert result.failed == 0
