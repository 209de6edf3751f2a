"""Embedder and chat by serving endpoint, by the real SDK."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pincite.databricks.connect import Connection
from pincite.databricks.serving import BATCH, ServingChat, ServingEmbedder
from pincite.databricks.wait import Patience
from pincite.errors import PlatformError

EMBEDDINGS, CHAT = "databricks-gte-large-en", "databricks-llama"


@pytest.fixture
def embedder(workspace: Any, connection: Connection, quick: Patience) -> ServingEmbedder:
    return ServingEmbedder(connection, EMBEDDINGS, quick)


def test_rows_are_unit_vectors_in_the_order_of_the_texts(embedder: ServingEmbedder) -> None:
    texts = [f"passage number {n} of many" for n in range(2 * BATCH + 7)]
    rows = embedder.embed(texts)
    assert rows.shape == (len(texts), embedder.dimension)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)
    np.testing.assert_array_equal(embedder.embed([texts[150]])[0], rows[150])


def test_no_texts_no_request(workspace: Any, embedder: ServingEmbedder) -> None:
    before = len(workspace.requests)
    assert embedder.embed([]).shape == (0, embedder.dimension)
    assert len(workspace.requests) == before


def test_the_name_tells_the_model(embedder: ServingEmbedder) -> None:
    assert embedder.name == f"serving/{EMBEDDINGS}"


def test_a_throttled_batch_is_sent_again(workspace: Any, embedder: ServingEmbedder) -> None:
    workspace.fail("POST", "/invocations$", status=429, headers={"Retry-After": "0"})
    assert embedder.embed(["a"]).shape[0] == 1


def test_a_missing_endpoint(connection: Connection, quick: Patience) -> None:
    with pytest.raises(PlatformError, match=r"^gone: The given endpoint does not exist: gone \(HTTP 404"):
        ServingEmbedder(connection, "gone", quick)


def test_a_chat_endpoint_is_no_embedder(workspace: Any, connection: Connection, quick: Patience) -> None:
    with pytest.raises(PlatformError, match=f"^{CHAT}: Missing required Chat parameter: 'messages'"):
        ServingEmbedder(connection, CHAT, quick)
    assert workspace.called("POST", "/invocations$") == 1


def test_chat(workspace: Any, connection: Connection, quick: Patience) -> None:
    chat = ServingChat(connection, CHAT, quick)
    assert chat.complete("You rewrite.", [{"role": "user", "content": "12345"}]) == "reply to 18 characters"
    workspace.deny("POST", "/invocations$")
    with pytest.raises(PlatformError, match=r"databricks-llama: .*HTTP 403"):
        chat.complete("You rewrite.", [{"role": "user", "content": "12345"}])
