"""Texts to unit vectors: a sentence model by ONNX Runtime, and a cache on disk in front of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pincite.errors import ModelMissing
from pincite.index.models import ModelSpec, ensure_model, have_model, model_spec, read_model_file

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

__all__ = ["SentenceModel", "ensure_model", "have_model", "load_embedder"]

T = TypeVar("T")
_BATCH_TOKENS = 384  # padded tokens in one run of the model: larger batches fall out of the cache and cost up to half more


class SentenceModel:
    """A sentence model, pooled by its mean or its first token. Implements ``Embedder``; safe to call from threads.

    The published ``tokenizer.json`` pads to 128 tokens and cuts there; both are switched off. A text longer than the window
    is cut into overlapping windows, and its vector is the mean of theirs, so that no tail is lost; unless *whole* is false,
    as in the public reference lines: then it is that of the first window.
    """

    def __init__(self, spec: ModelSpec, session: Any, tokenizer: Any, workers: int = 1, whole: bool = True) -> None:
        self.name = embedder_name(spec, whole)
        self.dimension = spec.dimension
        self._session, self._workers, self._whole, self._pooling = session, workers, whole, spec.pooling
        self._tokenizer = tokenizer
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=spec.window, stride=spec.overlap)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """A float32 array of shape (len(texts), dimension), rows of norm 1."""
        import numpy as np

        windows, owners = self._windows(texts)
        sums = np.zeros((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(windows)), key=lambda at: len(windows[at]))
        batches = _batches(order, windows)
        for batch, pooled in zip(batches, self._each(self._run, [[windows[at] for at in batch] for batch in batches])):
            np.add.at(sums, [owners[at] for at in batch], pooled)
        return _unit(sums)

    def tokens(self, text: str) -> tuple[Any, Vectors]:
        """Where each token of *text* stands, shape (tokens, 2) in characters, and its vector of the last layer."""
        import numpy as np

        offsets: list[tuple[int, int]] = []
        vectors: list[Vectors] = []
        encoding = self._tokenizer.encode(text)
        for window in (encoding, *encoding.overflowing):
            vectors.append(self._hidden([window.ids])[0][0])
            offsets += window.offsets
        return np.array(offsets), np.concatenate(vectors)

    def read(self, texts: Sequence[str], prompt: str = "") -> tuple[Vectors, list[Vectors]]:
        """Of each text's first window, *prompt* put before it: its unit vector, and the output for each of its tokens, shape
        (tokens, dimension), not normalised. The prompt's tokens and the model's own first and last are left out; of a text
        without any other token the first stays."""
        import numpy as np

        encoded = self._tokenizer.encode_batch([prompt + text for text in texts])
        before = 1 + (len(self._tokenizer.encode(prompt, add_special_tokens=False).ids) if prompt else 0)
        windows = [encoding.ids for encoding in encoded]
        batches = _batches(sorted(range(len(windows)), key=lambda at: len(windows[at])), windows)
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        found: dict[int, Vectors] = {}
        outputs = self._each(self._hidden, [[windows[at] for at in batch] for batch in batches])
        for batch, (hidden, mask) in zip(batches, outputs):
            vectors[batch] = self._pool(hidden, mask)
            for at, rows in zip(batch, hidden):
                end = len(windows[at]) - 1
                found[at] = rows[before:end].copy() if end > before else rows[:1].copy()
        return _unit(vectors), [found[at] for at in range(len(texts))]

    def _each(self, what: Callable[[list[list[int]]], T], batches: list[list[list[int]]]) -> Iterator[T]:
        """Each batch through the model, on one thread a core: the model's own threads gain less, and spin when others work."""
        if len(batches) < 2 or self._workers < 2:
            yield from map(what, batches)
            return
        with ThreadPoolExecutor(self._workers) as pool:
            yield from pool.map(what, batches)

    def _windows(self, texts: Sequence[str]) -> tuple[list[list[int]], list[int]]:
        """Token ids of every window, and the text each belongs to."""
        windows: list[list[int]] = []
        owners: list[int] = []
        for owner, encoding in enumerate(self._tokenizer.encode_batch(list(texts))):
            for window in (encoding, *(encoding.overflowing if self._whole else ())):
                windows.append(window.ids)
                owners.append(owner)
        return windows, owners

    def _run(self, windows: list[list[int]]) -> Vectors:
        """Pooled model output of one batch, shape (len(windows), dimension), not normalised."""
        return self._pool(*self._hidden(windows))

    def _pool(self, hidden: Vectors, mask: NDArray[np.int64]) -> Vectors:
        import numpy as np

        if self._pooling == "first":
            first: Vectors = hidden[:, 0]
            return first
        weights = mask.astype(np.float32)[:, :, None]
        pooled: Vectors = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled

    def _hidden(self, windows: list[list[int]]) -> tuple[Vectors, NDArray[np.int64]]:
        """The last layer's output of one batch, shape (len(windows), width, dimension), and which tokens are no padding."""
        import numpy as np

        width = max(map(len, windows))
        ids = np.zeros((len(windows), width), dtype=np.int64)
        mask = np.zeros_like(ids)
        for row, window in enumerate(windows):
            ids[row, : len(window)] = window
            mask[row, : len(window)] = 1
        feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        hidden: Vectors = self._session.run(None, feed)[0]
        return hidden, mask


def _unit(rows: Vectors) -> Vectors:
    import numpy as np

    vectors: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), np.float32(1e-12))
    return vectors


def embedder_name(spec: ModelSpec, whole: bool = True) -> str:
    """What identifies a model's vectors, for the cache: its bytes and how it reads a long text."""
    name = f"{spec.name}/{spec.files['model.onnx'].sha256[:16]}/w{spec.window}"
    return f"{name}o{spec.overlap}" if whole else f"{name}first"


def load_embedder(
    name: str | None = None, cache: Path | None = None, workers: int | None = None, whole: bool = True
) -> SentenceModel:
    """The named model, its files verified now. ``ModelMissing`` where it is not here or has other bytes.

    *workers* is how many batches run at once, by default one a core.
    """
    spec = model_spec(name)
    model = read_model_file(spec, "model.onnx", cache)
    tokenizer_json = read_model_file(spec, "tokenizer.json", cache)
    import onnxruntime
    from tokenizers import Tokenizer

    # Parallel tokenising forks a thread pool and warns when the process forks later; ours gains nothing from it.
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return SentenceModel(spec, session, Tokenizer.from_buffer(tokenizer_json), workers or os.cpu_count() or 1, whole)


def _batches(order: list[int], windows: list[list[int]]) -> list[list[int]]:
    """Indexes in order of length, cut so that no padded batch exceeds ``_BATCH_TOKENS``."""
    batches: list[list[int]] = []
    for at in order:
        if batches and (len(batches[-1]) + 1) * len(windows[at]) <= _BATCH_TOKENS:
            batches[-1].append(at)
        else:
            batches.append([at])
    return batches


class LazyEmbedder:
    """An embedder whose model is loaded at the first text, so that a search by words alone never pays for it."""

    def __init__(self, name: str | None = None, cache: Path | None = None, whole: bool = True) -> None:
        spec = model_spec(name)
        self.name = embedder_name(spec, whole)
        self.dimension = spec.dimension
        self._arguments = (name, cache, None, whole)
        self._loaded: SentenceModel | None = None
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """As ``SentenceModel.embed``; loads the model first where that is still to do."""
        return self._model().embed(texts)

    def read(self, texts: Sequence[str], prompt: str = "") -> tuple[Vectors, list[Vectors]]:
        """As ``SentenceModel.read``."""
        return self._model().read(texts, prompt)

    def load_ahead(self) -> None:
        """Begin to load the model in another thread. What goes wrong there is raised by the first ``embed``.

        A process that is done before the model is loaded waits for it: ended in the middle, the runtime aborts the process.
        """

        def load() -> None:
            with suppress(ModelMissing):
                self._model()

        threading.Thread(target=load).start()

    def _model(self) -> SentenceModel:
        with self._lock:
            if self._loaded is None:
                self._loaded = load_embedder(*self._arguments)
            return self._loaded
