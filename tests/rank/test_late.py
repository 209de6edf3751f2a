"""Late interaction: a passage is as good as what each word of the question finds in it; what is learned, kept and refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.errors import IndexFault
from pincite.index.cache import CachedEmbedder
from pincite.rank import late
from pincite.rank.late import NAME, WIDTH, Asked, Late, stacked
from pincite.rank.tokens import CachedTokens, outputs

EYE = Late(np.eye(WIDTH, dtype=np.float32), np.zeros(WIDTH, dtype=np.float32), 0.0, "eye")


def tokens(*kinds: int) -> Any:
    """One row a token; tokens of one kind are equal, of others at right angles."""
    return np.eye(WIDTH, dtype=np.float32)[list(kinds)] * 3


def test_a_passage_scores_what_each_word_of_the_question_finds_in_it() -> None:
    passages = stacked([late.coded(tokens(*kinds), EYE) for kinds in ([1, 2, 3], [2], [7, 7, 7, 7, 1])])
    question = late.coded(tokens(1, 2), EYE)
    assert late.score(question, passages, [0, 1, 2]) == pytest.approx([1.0, 0.5, 0.5])
    assert late.score(question, passages, [2, 0]) == pytest.approx([0.5, 1.0])


def test_a_word_that_weighs_more_counts_more() -> None:
    heavy = EYE._replace(weight=np.eye(WIDTH, dtype=np.float32)[2] * 2)
    passages = stacked([late.coded(tokens(kind), heavy) for kind in (1, 2)])
    first, second = late.score(late.coded(tokens(1, 2), heavy), passages, [0, 1])
    assert second > 2 * first


def asked(seed: int, size: int = 60, hiding: float = 12.0) -> Asked:
    """Questions that share two tokens with their passage, under a common part that hides them."""
    rng = np.random.default_rng(seed)
    width, common = WIDTH + 8, hiding * np.random.default_rng(1).normal(size=(1, WIDTH + 8))
    passages = [rng.normal(size=(5, width)) for _ in range(size)]
    questions = [passage[:2] + 1.5 * rng.normal(size=(2, width)) for passage in passages]
    rivals = [[other for other in range(size) if other != at] for at in range(size)]
    hidden = [stacked([(rows + common).astype(np.float32) for rows in texts]) for texts in (questions, passages)]
    return Asked(hidden[0], hidden[1], [[at] for at in range(size)], rivals)


def hits(told: Asked, learned: Late) -> float:
    passages = stacked([late.coded(told.passages.of(at), learned) for at in range(len(told.relevant))])
    everything = range(len(told.relevant))
    best = [int(late.score(late.coded(told.questions.of(at), learned), passages, everything).argmax()) for at in everything]
    return float(np.mean([at == found for at, found in enumerate(best)]))


def test_what_is_learned_holds_for_new_questions() -> None:
    plain = Late(np.eye(WIDTH + 8, WIDTH, dtype=np.float32), np.zeros(WIDTH + 8, dtype=np.float32), 0.0)
    learned = late.fit([asked(2, size=300)])
    new = asked(3)
    assert hits(new, learned) > hits(new, plain) + 0.1


def test_the_slopes_are_those_of_the_loss() -> None:
    """Against finite differences, so that a slip in a hand-written gradient cannot pass for slow learning."""
    told = asked(4, size=6, hiding=1.0)
    rng = np.random.default_rng(0)
    at = Late(rng.normal(size=(WIDTH + 8, WIDTH)).astype(np.float32), rng.normal(size=WIDTH + 8).astype(np.float32) / 9, 0.3)

    def loss(learned: Late) -> float:
        relevant, rivals = told.relevant[0], told.rivals[0]
        question = told.questions.of(0).astype(np.float64)
        weights = np.logaddexp(0, question @ learned.weight + learned.bias)
        q = question @ learned.projection
        q /= np.linalg.norm(q, axis=1, keepdims=True)
        scores = []
        for passage in [*relevant, *rivals]:
            p = told.passages.of(passage).astype(np.float64) @ learned.projection
            p /= np.linalg.norm(p, axis=1, keepdims=True)
            scores.append(late.SCALE * (weights @ (q @ p.T).max(axis=1)) / weights.sum())
        return float(np.log(np.exp(np.array(scores) - scores[0]).sum()))

    by_projection, by_weight = late._slope(told, 0, at, np.random.default_rng(0))
    steepest = np.argsort(-np.abs(by_projection), axis=None)[[0, 50, 500]]
    for row, column in zip(*np.unravel_index(steepest, by_projection.shape)):
        step = np.zeros(at.projection.shape)
        step[row, column] = 1e-5
        found = (loss(at._replace(projection=at.projection + step)) - loss(at._replace(projection=at.projection - step))) / 2e-5
        assert by_projection[row, column] == pytest.approx(found, rel=2e-2, abs=2e-4)
    step = np.eye(WIDTH + 8)[3] * 1e-5
    found = (loss(at._replace(weight=at.weight + step)) - loss(at._replace(weight=at.weight - step))) / 2e-5
    assert by_weight[3] == pytest.approx(found, rel=2e-2, abs=2e-4)
    found = (loss(at._replace(bias=at.bias + 1e-5)) - loss(at._replace(bias=at.bias - 1e-5))) / 2e-5
    assert by_weight[-1] == pytest.approx(found, rel=2e-2, abs=2e-4)


def test_the_weights_are_sealed_and_belong_to_one_model(tmp_path: Path) -> None:
    saved = Late(np.full((5, WIDTH), 0.25, dtype=np.float32), np.full(5, 0.5, dtype=np.float32), -1.0)
    late.save(saved, "this/model", {"invented": "0"}, tmp_path)
    loaded = late.load("this/model", tmp_path)
    assert loaded is not None
    assert (loaded.projection == saved.projection).all()
    assert (loaded.weight == saved.weight).all()
    assert loaded.bias == saved.bias
    assert late.load("other/model", tmp_path) is None
    assert late.load("this/model", tmp_path / "nowhere") is None
    data = bytearray((tmp_path / f"{NAME}.npy").read_bytes())
    data[-1] ^= 1
    (tmp_path / f"{NAME}.npy").write_bytes(bytes(data))
    with pytest.raises(IndexFault, match="damaged"):
        late.load("this/model", tmp_path)


class Model:
    """A token a word, its row by the word's length; counts what it reads."""

    name, dimension = "counting", WIDTH

    def __init__(self) -> None:
        self.seen: list[str] = []

    def read(self, texts: Sequence[str], prompt: str = "") -> tuple[Any, list[Any]]:
        self.seen += texts
        return np.ones((len(texts), WIDTH), dtype=np.float32), [tokens(*map(len, text.split())) for text in texts]

    def embed(self, texts: Sequence[str]) -> Any:
        raise AssertionError("what was read on the way is read again")


def test_texts_are_read_once_and_their_vectors_kept_on_the_way(tmp_path: Path) -> None:
    model = Model()
    vectors = CachedEmbedder(model, tmp_path)
    cached = CachedTokens(model, EYE, tmp_path, vectors)
    found = cached.read(["a bb", "cccc", "a bb"], "Ask: ")
    assert np.diff(found.starts).tolist() == [2, 1, 2]
    assert found.of(1)["code"][0].argmax() == 4
    again = CachedTokens(model, EYE, tmp_path, vectors).read(["cccc"], "Ask: ")
    assert again.rows.tobytes() == found.of(1).tobytes()
    assert sorted(model.seen) == ["a bb", "cccc"]
    assert vectors.embed(["Ask: cccc"]).shape == (1, WIDTH)


def test_other_weights_or_another_prompt_are_other_tokens(tmp_path: Path) -> None:
    model = Model()
    vectors = CachedEmbedder(model, tmp_path)
    CachedTokens(model, EYE, tmp_path, vectors).read(["a"])
    CachedTokens(model, EYE._replace(sha256="other"), tmp_path, vectors).read(["a"])
    CachedTokens(model, EYE, tmp_path, vectors).read(["a"], "Ask: ")
    assert model.seen == ["a", "a", "a"]


def test_outputs_for_training_stand_in_the_order_of_the_texts() -> None:
    found = outputs(Model(), ["a longer text", "b", ""])
    assert np.diff(found.starts).tolist() == [3, 1, 0]
    assert found.of(1).argmax() == 1
