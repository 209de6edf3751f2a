"""Embedder and chat model by serving endpoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pincite.databricks.connect import Connection
from pincite.databricks.wait import Patience, patiently
from pincite.errors import UsageError
from pincite.ports import Completion

BATCH = 100  # inputs a request; the foundation models take at most 150


class ServingEmbedder:
    """Implements ``Embedder``. The dimension is asked of the endpoint with one short text."""

    def __init__(self, connection: Connection, endpoint: str, patience: Patience = Patience()) -> None:  # noqa: B008
        self._connection, self._endpoint, self._patience = connection, endpoint, patience
        self.name = f"serving/{endpoint}"
        self.dimension = int(self._rows(["dimension"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Any:
        """A float32 array of shape (len(texts), dimension), rows of norm 1."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        rows = np.concatenate([self._rows(texts[at : at + BATCH]) for at in range(0, len(texts), BATCH)])
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))

    def _rows(self, texts: Sequence[str]) -> Any:
        import numpy as np

        answer = patiently(
            lambda: self._connection.workspace.serving_endpoints.query(name=self._endpoint, input=list(texts)),
            self._endpoint,
            self._patience,
        )
        entries = sorted(answer.data or [], key=lambda entry: entry.index or 0)
        if len(entries) != len(texts):
            raise UsageError(
                f"the endpoint answered {len(entries)} vectors for {len(texts)} texts",
                where=self._endpoint,
                next="name an embedding endpoint",
            )
        return np.asarray([entry.embedding for entry in entries], dtype=np.float32)


class ServingChat:
    """Implements ``LLMClient`` with temperature 0, so that a repeated run asks for the same words."""

    def __init__(
        self,
        connection: Connection,
        endpoint: str,
        patience: Patience = Patience(),  # noqa: B008 - an immutable tuple
        max_tokens: int = 1024,
    ) -> None:
        self._connection, self._endpoint, self._patience, self._max_tokens = connection, endpoint, patience, max_tokens

    def complete(self, system: str, messages: Iterable[Mapping[str, str]]) -> str:
        """The reply's text."""
        from databricks.sdk.service.serving import ChatMessage, ChatMessageRole

        said = [{"role": "system", "content": system}, *messages]
        sent = [ChatMessage(content=each["content"], role=ChatMessageRole(each["role"])) for each in said]
        answer = patiently(
            lambda: self._connection.workspace.serving_endpoints.query(
                name=self._endpoint, messages=sent, max_tokens=self._max_tokens, temperature=0.0
            ),
            self._endpoint,
            self._patience,
        )
        if not answer.choices or answer.choices[0].message is None:
            raise UsageError("the endpoint gave no reply", where=self._endpoint, next="name a chat endpoint")
        usage = answer.usage
        return Completion(
            answer.choices[0].message.content or "", usage and usage.prompt_tokens, usage and usage.completion_tokens
        )
