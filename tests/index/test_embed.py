"""The real model, fetched once by set-up (``make`` calls ``ensure_model``): its absence is a failure, not a skip."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import ModelMissing
from pincite.index.embed import LazyEmbedder, SentenceModel, ensure_model, load_embedder

SHORT = ["The quality control unit shall approve all components.", "Buildings shall be of suitable size.", "drug"]


@pytest.fixture(scope="module", params=["minilm-l6-v2", "minilm-l6-v2-int8"])
def model(request: pytest.FixtureRequest) -> SentenceModel:
    ensure_model(request.param)
    return load_embedder(request.param)


def test_rows_are_unit_vectors_of_the_declared_dimension(model: SentenceModel) -> None:
    vectors = model.embed(SHORT)
    assert vectors.dtype == np.float32
    assert vectors.shape == (3, model.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_known_cosines_of_the_published_model() -> None:
    """The first coordinates of the usage example that the published model is shown with."""
    ensure_model("minilm-l6-v2")
    one, other = load_embedder("minilm-l6-v2").embed(["This is an example sentence", "Each sentence is converted"])
    assert one[:3] == pytest.approx([0.0677, 0.0635, 0.0487], abs=2e-4)
    assert other[:3] == pytest.approx([0.0864, 0.1027, 0.0054], abs=3e-4)


def test_a_text_does_not_depend_on_its_neighbours(model: SentenceModel) -> None:
    """Padding must not leak into the pooling; int8 scales activations per batch, so it may differ a little."""
    tolerance = 1e-5 if model.name.startswith("minilm-l6-v2/") else 0.05
    alone = np.vstack([model.embed([text]) for text in SHORT])
    together = model.embed([*SHORT, " ".join(SHORT) * 6])
    np.testing.assert_allclose(together[:3], alone, atol=tolerance)


def test_a_long_text_keeps_its_tail(model: SentenceModel) -> None:
    """The tokenizer file cuts at 128 tokens unless told otherwise."""
    head = "Buildings shall be of suitable size and construction. " * 60
    plain, tailed = model.embed([head, head + "Penicillin shall be tested for cross contamination. " * 30])
    assert float(plain @ tailed) < 0.95


def test_a_window_is_the_mean_of_what_it_holds(model: SentenceModel) -> None:
    windows, owners = model._windows(["word " * 600, "short"])
    assert owners == [0, 0, 0, 1]
    assert max(map(len, windows)) == 256


def test_tokens_are_those_of_the_text_alone_and_bring_its_vector() -> None:
    """A prompt is read and left out; a text of no token keeps one row, so that a passage is never without any."""
    ensure_model("minilm-l6-v2")
    model = load_embedder("minilm-l6-v2", whole=False)
    vectors, tokens = model.read([*SHORT, ""])
    assert [len(rows) for rows in tokens] == [9, 7, 1, 1]
    np.testing.assert_allclose(vectors, model.embed([*SHORT, ""]), atol=1e-5)
    asked, rows = model.read(["drug"], "Find the rule: ")
    assert len(rows[0]) == 1
    np.testing.assert_allclose(asked, model.embed(["Find the rule: drug"]), atol=1e-5)
    assert float(np.abs(rows[0] - tokens[2]).max()) > 0.01


@pytest.mark.parametrize("text", ["", " ", "\x00", "§" * 3000, "\u202e\U0001f4a9"])
def test_odd_texts_get_a_finite_vector(model: SentenceModel, text: str) -> None:
    vector = model.embed([text])[0]
    assert np.isfinite(vector).all()


def test_no_texts(model: SentenceModel) -> None:
    assert model.embed([]).shape == (0, 384)


def test_threads_may_share_a_model(model: SentenceModel) -> None:
    lazy = LazyEmbedder(model.name.split("/")[0])
    results: list[np.ndarray] = []
    threads = [threading.Thread(target=lambda: results.append(lazy.embed(SHORT))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_allclose(result, results[0], atol=1e-6)
    assert lazy.name == model.name


def test_a_missing_model_is_named_when_it_is_needed(tmp_path: Path) -> None:
    lazy = LazyEmbedder(cache=tmp_path)
    with pytest.raises(ModelMissing, match="is not here"):
        lazy.embed(["text"])


def test_a_process_waits_for_the_model_it_began_to_load(model: SentenceModel) -> None:
    """Taken down while its session is made, the runtime calls ``terminate``: the process would end with 134."""
    before = set(threading.enumerate())
    LazyEmbedder(model.name.split("/")[0]).load_ahead()
    begun = set(threading.enumerate()) - before
    assert [thread.daemon for thread in begun] == [False]
    for thread in begun:
        thread.join()
