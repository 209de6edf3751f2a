"""A text longer than the model's window: read to its end, or as the public lines do, and never mixed up in the cache."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from pincite.index.embed import SentenceModel, embedder_name
from pincite.index.models import model_spec
from pincite.rank.collection import Item, collect
from pincite.rank.models import Encoder
from pincite.rank.run import vectors_of


class _Encoding:
    def __init__(self, ids: list[int], overflowing: list[Any]) -> None:
        self.ids, self.overflowing = ids, overflowing


class _Tokenizer:
    """One token a word, three words a window."""

    def no_padding(self) -> None:
        pass

    def enable_truncation(self, **_: int) -> None:
        pass

    def encode_batch(self, texts: list[str]) -> list[_Encoding]:
        windows = [
            [[len(word) for word in text.split()[at : at + 3]] for at in range(0, len(text.split()), 3)] for text in texts
        ]
        return [_Encoding(first, [_Encoding(ids, []) for ids in rest]) for first, *rest in windows]


class _Session:
    def run(self, _: None, feed: dict[str, Any]) -> list[Any]:
        import numpy as np

        ids = feed["input_ids"].astype(np.float32)
        return [np.stack([ids, np.ones_like(ids)], axis=2)]


def test_the_first_window_alone_or_all_of_them() -> None:
    spec = model_spec("minilm-l6-v2")._replace(dimension=2)
    short, long = "a bb ccc", "a bb ccc dddddddddddddddd eeeeeeeeeeeeeeee ffffffffffffffffff"
    whole = SentenceModel(spec, _Session(), _Tokenizer()).embed([short, long])
    first = SentenceModel(spec, _Session(), _Tokenizer(), whole=False).embed([short, long])
    assert (first[0] == first[1]).all()
    assert (whole[0] != whole[1]).any()
    assert embedder_name(spec) != embedder_name(spec, whole=False)


def test_a_model_that_pools_its_first_token_does_so() -> None:
    spec = model_spec("bge-small-en-v1.5")._replace(dimension=2)
    pooled = SentenceModel(spec, _Session(), _Tokenizer()).embed(["four fives"])
    assert spec.pooling == "first"
    assert pooled[0, 0] / pooled[0, 1] == pytest.approx(4.0)  # the first token's output, not the mean of 4 and 5


class _Said:
    name, dimension = "said", 2

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        self.texts = list(texts)
        return np.zeros((len(texts), 2), dtype=np.float32)


def test_a_prompt_stands_before_questions_and_never_before_passages() -> None:
    said = _Said()
    encoder = Encoder("dense", "dense_adapted", said, "Find: ")
    encoder.ask(["who pays?"])
    assert said.texts == ["Find: who pays?"]
    vectors_of(collect([Item("a", "The buyer pays.")]), [encoder])
    assert said.texts == ["The buyer pays."]
