"""Features of a query's candidates for the re-ranker. None depends on the size or language of one corpus: scores are
taken relative to the query's best, ranks as reciprocals, relatives through the collection's own structure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pincite.index import bm25
from pincite.rank.collection import Collection
from pincite.rank.signals import Fields

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ints = NDArray[np.int64]

POOL = 100  # best passages by fusion that become candidates
HOP, HOP_LINKS = 5, 4  # of the first passages, so many references each way are followed, one hop
_LISTS = ("words", "context", "pairs", "around", "unit", "names", "clause", "feedback")  # scored relative to the best
_COSINES = ("vector", "adapted", "opening", "dense", "dense_adapted")  # NaN where the model is not here
_OFFSET = 60


class Links(NamedTuple):
    """Cross-references between passages: ``out[i]`` are those passage *i* cites, ``into[i]`` those that cite it."""

    out: list[list[int]]
    into: list[list[int]]


class Structure(NamedTuple):
    """The collection's structure as arrays, made once."""

    parents: Ints
    previous: Ints
    following: Ints
    depths: Floats
    documents: Ints
    links: Links


def structure(collection: Collection, links: Links) -> Structure:
    """Arrays over passages; -1 where there is no relative."""
    import numpy as np

    numbers = {name: at for at, name in enumerate(dict.fromkeys(item.document for item in collection.items))}
    return Structure(
        np.array(collection.parents, dtype=np.int64),
        np.array(collection.previous, dtype=np.int64),
        np.array(collection.following, dtype=np.int64),
        np.array(collection.depths, dtype=np.float32),
        np.array([numbers[item.document] for item in collection.items], dtype=np.int64),
        links,
    )


def candidates(base: Floats, shape: Structure, pool: int = POOL) -> Ints:
    """The positions worth ranking: the best by fusion, and what the first of them cite or are cited by."""
    import numpy as np

    first = bm25.top(base, pool)
    hop = [q for p in first[:HOP].tolist() for q in (*shape.links.out[p][:HOP_LINKS], *shape.links.into[p][:HOP_LINKS])]
    found: Ints = np.unique(np.concatenate([first, np.array(hop, dtype=np.int64)]))
    return found


def fused(found: Mapping[str, Floats], weights: Mapping[str, float], depth: int = 200) -> Floats:
    """Reciprocal-rank fusion of the named lists over the whole collection, shape (passages,)."""
    import numpy as np

    size = len(next(iter(found.values())))
    total = np.zeros(size, dtype=np.float32)
    for name, weight in weights.items():
        scores = found.get(name, found.get(_PLAIN.get(name, "")))
        if scores is not None:
            first = bm25.top(scores, depth)
            total[first] += np.float32(weight) / (_OFFSET + 1 + np.arange(len(first), dtype=np.float32))
    scaled: Floats = total * np.float32(_OFFSET + 1)
    return scaled


FUSION = {
    "words": 0.2,
    "context": 0.1,
    "pairs": 0.2,
    "unit": 0.1,
    "vector": 0.05,
    "adapted": 0.15,
    "dense": 0.05,
    "dense_adapted": 0.2,
}
_PLAIN = {"adapted": "vector", "dense_adapted": "dense"}  # what stands in where no map of questions is given


def matrix(
    found: Mapping[str, Floats],
    base: Floats,
    places: Ints,
    fields: Fields,
    shape: Structure,
    query_words: int,
    late: Floats | None = None,
) -> tuple[Floats, list[str]]:
    """(features of shape (len(places), n), their names); *late* are the scores of late interaction, one for each place."""
    import numpy as np

    columns: dict[str, Floats] = {"fused": base[places]}
    for name in _LISTS:
        scores = found[name]
        best = float(scores.max()) or 1.0
        columns[f"{name}_share"] = scores[places] / np.float32(best)
        columns[f"{name}_rank"] = _reciprocal(scores, places)
    unknown = np.full(len(base), np.nan, dtype=np.float32)
    for name in _COSINES:
        scores = found.get(name, unknown)
        columns[name] = scores[places]
        columns[f"{name}_gap"] = scores[places] - scores.max()
        columns[f"{name}_rank"] = _reciprocal(scores, places) if name in found else scores[places]
    columns |= _late(np.full(len(places), np.nan, dtype=np.float32) if late is None else late)
    for name in ("coverage", "density"):
        columns[name] = found[name][places]
    columns["words_per_idf"] = found["words"][places] / np.maximum(fields.weight[places], np.float32(1.0))
    columns |= _beside(found.get("adapted", found.get("vector", unknown)), places, shape)
    columns |= _own(places, fields, shape, query_words)
    columns |= _relatives(base, found["coverage"], places, shape)
    names = list(columns)
    return np.stack([columns[name].astype(np.float32) for name in names], axis=1), names


def _late(scores: Floats) -> dict[str, Floats]:
    """The scores of late interaction, how far each is from the best, and its rank among the candidates."""
    import numpy as np

    ranks = _reciprocal(scores, np.arange(len(scores))) if len(scores) and not np.isnan(scores[0]) else scores
    return {"late": scores, "late_gap": scores - scores.max(initial=-1.0), "late_rank": ranks}


def _reciprocal(scores: Floats, places: Ints) -> Floats:
    """1 / (10 + rank) of each place in its list, times 11; ties share the better rank."""
    import numpy as np

    ordered = np.sort(scores)
    ranks = len(scores) - np.searchsorted(ordered, scores[places], side="right")
    reciprocal: Floats = (11.0 / (11.0 + ranks)).astype(np.float32)
    return reciprocal


def _beside(cosines: Floats, places: Ints, shape: Structure) -> dict[str, Floats]:
    """The cosines of the passages before, after and above."""
    relatives = {"before": shape.previous, "after": shape.following, "above": shape.parents}
    return {f"{name}_vector": _at(relative[places], cosines) for name, relative in relatives.items()}


def _at(relatives: Ints, scores: Floats) -> Floats:
    """The scores of relatives, NaN where there is none."""
    import numpy as np

    looked_up: Floats = np.where(relatives >= 0, scores[relatives], np.float32(np.nan))
    return looked_up


def _own(places: Ints, fields: Fields, shape: Structure, query_words: int) -> dict[str, Floats]:
    """Of the passage alone and of the query alone."""
    import numpy as np

    unknown = np.float32(np.nan)
    return {
        "length": np.log1p(fields.lengths[places]),
        "heading": fields.headings[places],
        "depth": np.where(shape.depths[places] > 0, shape.depths[places], unknown).astype(np.float32),
        "query_length": np.full(len(places), query_words, dtype=np.float32),
        "cited_by": np.array([min(len(shape.links.into[p]), 20) for p in places], dtype=np.float32),
        "cites": np.array([min(len(shape.links.out[p]), 20) for p in places], dtype=np.float32),
    }


def _relatives(base: Floats, coverage: Floats, places: Ints, shape: Structure) -> dict[str, Floats]:
    """Of the passages around: those before, after, above, linked, and the document as a whole."""
    import numpy as np

    before, after, above = shape.previous[places], shape.following[places], shape.parents[places]
    children = _best_child(base, shape.parents)
    leaders = np.argsort(-base, kind="stable")[:20]
    weight = np.bincount(shape.documents[leaders], weights=base[leaders], minlength=int(shape.documents.max()) + 1)
    return {
        "before": _at(before, base),
        "after": _at(after, base),
        "above": _at(above, base),
        "before_coverage": _at(before, coverage),
        "after_coverage": _at(after, coverage),
        "above_coverage": _at(above, coverage),
        "child": children[places],
        "sibling": _best_sibling(base, shape.parents, places),
        "document": (weight / max(float(weight.sum()), 1e-9))[shape.documents[places]].astype(np.float32),
        "cited": _best_linked(base, places, shape.links.out),
        "citing": _best_linked(base, places, shape.links.into),
    }


def _best_child(base: Floats, parents: Ints) -> Floats:
    import numpy as np

    best = np.zeros(len(base), dtype=np.float32)
    scored = np.flatnonzero((base > 0) & (parents >= 0))
    np.maximum.at(best, parents[scored], base[scored])
    return best


def _best_sibling(base: Floats, parents: Ints, places: Ints) -> Floats:
    """The best score among the other children of the same parent."""
    import numpy as np

    tops: dict[int, list[float]] = {}
    for place in np.flatnonzero((base > 0) & (parents >= 0)):
        kept = tops.setdefault(int(parents[place]), [])
        kept.append(float(base[place]))
        kept.sort(reverse=True)
        del kept[2:]
    result = np.zeros(len(places), dtype=np.float32)
    for row, place in enumerate(places):
        kept = tops.get(int(parents[place]), [])
        own = float(base[place])
        others = kept[1:] if kept and own == kept[0] else kept[:1]
        result[row] = others[0] if others else 0.0
    return result


def _best_linked(base: Floats, places: Ints, links: Sequence[Sequence[int]]) -> Floats:
    import numpy as np

    return np.array([max((float(base[q]) for q in links[p]), default=0.0) for p in places], dtype=np.float32)
