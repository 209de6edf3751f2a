"""The reader: published weights are changed where they stand, both orders are read, and a long pair is not read."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from pincite.enrich import reader
from pincite.enrich.deltas import initializers, patched
from pincite.enrich.reader import CrossReader, split
from pincite.errors import ModelMissing


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field as protocol buffers write it."""
    size, length = b"", len(content)
    while length > 127:
        size, length = size + bytes([length & 127 | 128]), length >> 7
    return bytes([number << 3 | 2]) + size + bytes([length]) + content


def tensor(name: str, values: list[float]) -> bytes:
    dims, single = bytes([1 << 3, len(values)]), bytes([2 << 3, 1])
    return field(5, dims + single + field(8, name.encode()) + field(9, np.array(values, "<f4").tobytes()))


MODEL = bytes([1 << 3, 8]) + field(
    7, field(1, b"a node") + tensor("one", [1.0, 2.0]) + tensor("two", [float(n) for n in range(40)])
)


def test_a_delta_is_added_to_the_weights_of_its_name_alone() -> None:
    changed = patched(MODEL, {"two": np.full((4, 10), 0.5, np.float32)})
    start, end = initializers(MODEL)["two"]
    assert np.frombuffer(changed[start:end], "<f4").tolist() == [n + 0.5 for n in range(40)]
    assert changed[:start] + changed[end:] == MODEL[:start] + MODEL[end:]


@pytest.mark.parametrize(("name", "size"), [("three", 2), ("one", 3)])
def test_weights_that_are_not_the_models_are_refused(name: str, size: int) -> None:
    with pytest.raises(ModelMissing, match=name):
        patched(MODEL, {name: np.zeros(size, np.float32)})


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(ModelMissing, match="no ONNX model"):
        initializers(b"\x0f\x0f")


class Encoded(NamedTuple):
    ids: list[int]
    type_ids: list[int]


class Letters:
    """A tokenizer with a token a letter."""

    def no_padding(self) -> None: ...

    def no_truncation(self) -> None: ...

    def encode(self, one: str, two: str) -> Encoded:
        return Encoded([ord(c) for c in one + two], [0] * len(one) + [1] * len(two))


class Echo:
    """A model whose state of a token is the token."""

    def run(self, _: None, feed: dict[str, Any]) -> list[Any]:
        return [feed["input_ids"][:, :, None].astype(np.float32)]


def test_the_head_reads_the_first_token_and_both_means_in_both_orders() -> None:
    head = {"hidden.weight": np.array([[0.0, 0.01, -0.02]], np.float32), "hidden.bias": np.zeros(1, np.float32)}
    head |= {"same.weight": np.array([[1.0]], np.float32), "same.bias": np.array([0.25], np.float32)}
    one, two = ord("a"), ord("b")
    expected = 0.25 + (np.tanh(0.01 * one - 0.02 * two) + np.tanh(0.01 * two - 0.02 * one)) / 2
    assert CrossReader(Echo(), Letters(), head).same("aa", "b") == pytest.approx(expected, abs=0.006)
    assert CrossReader(Echo(), Letters(), head).same("a" * reader.LONGEST, "b") is None


def test_a_row_of_numbers_is_split_by_names_in_order() -> None:
    parts = split(np.arange(7, dtype=np.float32), [("a", [2, 2]), ("b", [3])])
    assert parts["a"].tolist() == [[0, 1], [2, 3]]
    assert parts["b"].tolist() == [4, 5, 6]
