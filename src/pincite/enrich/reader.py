"""The reader: the probability that two texts say the same, by a cross-encoder that was taught nothing else.

It is the product's own embedding model with low-rank deltas, committed as data and added to the published weights in memory;
it reads both texts as one, so that any word of one can look at any of the other. ``scripts/train_entailment.py`` makes it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Protocol

from pincite.enrich.deltas import patched
from pincite.errors import ModelMissing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

NAME = "reader"
LONGEST = 320  # tokens of both texts together; a longer pair is not read


class Reader(Protocol):
    """Reads two texts."""

    def same(self, one: str, two: str) -> float | None:
        """The log odds that they say the same; None where they are too long for it."""


class CrossReader:
    """By the tuned model. *head*: the weights of the layers behind it, by name."""

    def __init__(self, session: Any, tokenizer: Any, head: dict[str, Floats]) -> None:
        self._session, self._tokenizer, self._head = session, tokenizer, head
        tokenizer.no_padding()
        tokenizer.no_truncation()

    def same(self, one: str, two: str) -> float | None:
        """As ``Reader.same``: the mean of both orders, rounded, so that the last bits of a processor's sums decide nothing."""
        both = [self._tokenizer.encode(one, two), self._tokenizer.encode(two, one)]
        if len(both[0].ids) > LONGEST:
            return None
        return round(sum(map(self._logit, both)) / 2, 2)

    def _logit(self, encoded: Any) -> float:
        import numpy as np

        kinds = np.array([encoded.type_ids], dtype=np.int64)
        ids = np.array([encoded.ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": kinds}
        states: Floats = self._session.run(None, feed)[0][0]
        pooled = np.concatenate([states[0], *(states[kinds[0] == kind].mean(axis=0) for kind in (0, 1))])
        hidden = np.tanh(self._head["hidden.weight"] @ pooled + self._head["hidden.bias"])
        return float((self._head["same.weight"] @ hidden + self._head["same.bias"])[0])


@cache
def open_reader() -> Reader | None:
    """The committed reader, where its model is on this machine; nothing is fetched."""
    from pincite.index.models import have_model, model_spec, read_model_file
    from pincite.shipped import load_array

    shipped = load_array(NAME, "the reader of the gate", resources.files("pincite.enrich") / "weights")
    if shipped is None or not have_model(shipped.seal["model"]):
        return None
    spec = model_spec(shipped.seal["model"])
    try:
        model, tokenizer = (read_model_file(spec, name) for name in ("model.onnx", "tokenizer.json"))
    except ModelMissing:
        return None
    return opened(model, tokenizer, split(shipped.array, shipped.seal["parts"]))


def opened(model: bytes, tokenizer: bytes, parts: dict[str, Floats]) -> CrossReader:
    """A reader of a published model and the learned *parts*: ``head/…``, ``NAME/left`` with ``NAME/right``, or ``NAME``."""
    import onnxruntime
    from tokenizers import Tokenizer

    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    halves = {name.removesuffix("/left") for name in parts if name.endswith("/left")}
    deltas = {name: parts[f"{name}/left"] @ parts[f"{name}/right"] for name in halves}
    deltas |= {
        name: part for name, part in parts.items() if not name.startswith("head/") and name.rpartition("/")[0] not in halves
    }
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # one thread sums in one order
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(patched(model, deltas), options, providers=["CPUExecutionProvider"])
    head = {name.removeprefix("head/"): part for name, part in parts.items() if name.startswith("head/")}
    return CrossReader(session, Tokenizer.from_buffer(tokenizer), head)


def split(flat: Floats, shapes: Sequence[tuple[str, Sequence[int]]]) -> dict[str, Floats]:
    """The parts of one row of numbers, by name, in order."""
    found, at = {}, 0
    for name, shape in shapes:
        size = math.prod(shape)
        found[name] = flat[at : at + size].reshape(shape)
        at += size
    return found
