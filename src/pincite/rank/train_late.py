"""The part of ``make train`` that learns late interaction: token outputs read once, rivals chosen, one fit for each fold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pincite.index import bm25
from pincite.index.analyze import terms
from pincite.index.embed import load_embedder
from pincite.index.models import cache_folder, have_model, model_spec
from pincite.model import sha256_hex
from pincite.rank import late
from pincite.rank.collection import Item, collect
from pincite.rank.late import Late, Tokens
from pincite.rank.models import SECOND
from pincite.rank.public import Dataset
from pincite.rank.run import texts_of
from pincite.rank.signals import K1, B
from pincite.rank.tokens import Reader, outputs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_DENSE, _WORDS = 60, 40  # first passages by vectors and by words that a relevant one is told apart from


class Spoken(NamedTuple):
    """Token outputs of one set's questions and passages, and for each question what its relevant passages rival."""

    model: str
    questions: Tokens
    passages: Tokens
    rivals: Sequence[Sequence[int]]


def read(sets: Sequence[Dataset], vectors: Mapping[str, tuple[Floats, Floats]]) -> dict[str, Spoken]:
    """Of each set by its name; *vectors* are those of its questions and passages. Nothing where the model is not here."""
    if not have_model(SECOND):
        return {}
    model, prompt = load_embedder(SECOND, whole=False), model_spec(SECOND).prompt
    known: dict[tuple[Item, ...], Tokens] = {}
    found = {}
    for data in sets:
        if data.items not in known:
            known[data.items] = _outputs(model, texts_of(collect(data.items)))
        questions = _outputs(model, [query.text for query in data.queries], prompt)
        found[data.name] = Spoken(model.name, questions, known[data.items], _rivals(data, *vectors[data.name]))
    return found


def _outputs(model: Reader, texts: Sequence[str], prompt: str = "") -> Tokens:
    """The model's outputs, kept beside the other embeddings: an hour's training that is stopped need not read them again."""
    import numpy as np

    key = sha256_hex("\0".join([model.name, prompt, *texts]).encode("utf-8", "surrogatepass"))
    path = cache_folder() / "outputs" / f"{key}.npz"
    if path.exists():
        with np.load(path) as kept:
            return Tokens(kept["rows"], kept["starts"])
    tokens = outputs(model, texts, prompt)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, rows=tokens.rows, starts=tokens.starts)
    partial.replace(path)
    return tokens


def _rivals(data: Dataset, questions: Floats, passages: Floats) -> list[list[int]]:
    words = bm25.build([terms(item.text) for item in data.items], K1, B)
    found = []
    for query, vector in zip(data.queries, questions):
        first = bm25.top(passages @ vector, _DENSE).tolist()
        first += bm25.top(words.scores(bm25.weigh(terms(query.text))), _WORDS).tolist()
        found.append([at for at in dict.fromkeys(first) if data.items[at].id not in data.relevant[query.id]])
    return found


def fit(
    sets: Sequence[Dataset],
    spoken: Mapping[str, Spoken],
    relevant: Mapping[str, Sequence[Sequence[int]]],
    kept: Callable[[Dataset], Sequence[int]],
) -> Late:
    """Learned from the queries of each set that *kept* names."""
    asked = []
    for data in sets:
        of, chosen = spoken[data.name], kept(data)
        questions = late.stacked([of.questions.of(at) for at in chosen])
        places = relevant[data.name]
        asked.append(late.Asked(questions, of.passages, [places[at] for at in chosen], [of.rivals[at] for at in chosen]))
    return late.fit(asked)


def code(tokens: Tokens, learned: Late) -> Tokens:
    """Outputs as the records that are scored, a slice at a time."""
    import numpy as np

    rows = [late.coded(tokens.rows[at : at + 65536], learned) for at in range(0, len(tokens.rows), 65536)]
    return Tokens(np.concatenate(rows), tokens.starts)
