"""``make train``: fit the re-ranker and the shipped calibration on the public development sets, and nothing else.

Every figure it writes is cross-validated: a query is scored by trees that saw neither it nor any query that shares a relevant
passage with it. The weights that are shipped are then fitted on all of the queries, with what trained them recorded.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.index.analyze import terms
from pincite.model import sha256_hex
from pincite.rank import abstain, adapter, features, late, score, signals, train_late
from pincite.rank.adapter import save_adapters
from pincite.rank.answerable import CALIBRATION, describe_ranking
from pincite.rank.collection import Item, Query, collect
from pincite.rank.edges import detect, none
from pincite.rank.models import Encoder, open_encoders
from pincite.rank.public import Dataset, folder, load, present
from pincite.rank.rerank import WEIGHTS, save_reranker
from pincite.rank.run import signals_of, vectors_of
from pincite.rank.train_late import Spoken

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WORDINGS = ("pdpabench train, second wording", "pdpabench train, third wording")  # they train and are not reported
SETS = ("obliqa dev", "obliqa_mp val", "obliqa_xref train", "obliqa_xref dev", "pdpabench train", "pdpabench val", *WORDINGS)
DATA = Path(__file__).parent / "weights"
REPORT = "cross_validation.json"
FOLDS = 4
ROUNDS = 200
TRAINED = 50  # first candidates of each query that trees are grown on; they score all of them
PARAMETERS: dict[str, Any] = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 15,
    "num_leaves": 31,
    "learning_rate": 0.06,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "seed": 20260729,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbose": -1,
}
_PACES = {"dense": adapter.Pace(scale=70.0, rate=1e-3)}  # BGE's cosines lie between 0.5 and 0.9
_THINNED = 5  # of the views with less known, every fifth query trains
_CALIBRATED_ON = "pdpabench train"
_LEVEL = 0.05


ByWords = Callable[[str, int, Sequence[int]], "Floats"]  # of a set's name, a question's position and candidates


class View(NamedTuple):
    """What a user may know of the passages: the trees must do without what is missing."""

    name: str
    structure: bool
    edges: bool
    models: int  # how many of the embedding models are there
    step: int


VIEWS = (
    View("full", True, True, 2, 1),
    View("without edges", True, False, 2, _THINNED),
    View("bare", False, False, 2, _THINNED),
    View("one model", True, True, 1, _THINNED),
)


class Table(NamedTuple):
    """Rows of one query's candidates."""

    source: str
    query: str
    relevant: frozenset[str]
    rows: Floats
    labels: NDArray[np.int8]
    places: NDArray[np.int64]
    view: str
    described: Callable[[Sequence[float], Sequence[int]], Mapping[str, float]] | None = None


def main() -> None:
    """Read, measure, cross-validate, fit, write."""
    root = folder()
    sets = [load(name, root) for name in present(root) if name in SETS]
    encoders = open_encoders()
    vectors = _embed(sets, encoders)
    spoken = _speak(sets, vectors)
    maps, lates = _adapters(sets, encoders, vectors), _lates(sets, spoken, vectors)
    tables, names = _measure(sets, encoders, vectors, maps, spoken, lates)
    fold = [fold_of(table.relevant) for table in tables]
    scores = _cross_validate(tables, fold, names)
    ids = {data.name: [item.id for item in data.items] for data in sets}
    trained_on = {data.name: data.sha256 for data in sets}
    DATA.mkdir(exist_ok=True)
    report = {"trained_on": trained_on, "folds": FOLDS, "measures": _compare(tables, scores, sets, ids, names)}
    (DATA / REPORT).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if spoken:
        late.save(_late(sets, spoken, vectors, None), next(iter(spoken.values())).model, trained_on, DATA)
    save_adapters(_adapter(sets, encoders, vectors, None), trained_on, DATA)
    save_reranker(_fit(tables, names).dump_model(), trained_on, DATA / WEIGHTS)
    _calibrate(tables, scores, sets)


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")


class Vectors(NamedTuple):
    """Of one set: signal -> passage vectors; signal -> question vectors; positions of the relevant passages."""

    passages: Mapping[str, Floats]
    questions: Mapping[str, Floats]
    relevant: Sequence[Sequence[int]]


def fold_of(relevant: frozenset[str]) -> int:
    """The fold of a query, by the first of its relevant passages."""
    return int(sha256_hex(min(relevant).encode())[:8], 16) % FOLDS


def _embed(sets: Sequence[Dataset], encoders: Sequence[Encoder]) -> dict[str, Vectors]:
    known: dict[tuple[Item, ...], Mapping[str, Floats]] = {}
    found = {}
    for data in sets:
        if data.items not in known:
            known[data.items] = vectors_of(collect(data.items), encoders)
        place = {item.id: at for at, item in enumerate(data.items)}
        relevant = [[place[id] for id in sorted(data.relevant[query.id]) if id in place] for query in data.queries]
        asked = {encoder.signal: encoder.ask([query.text for query in data.queries]) for encoder in encoders}
        found[data.name] = Vectors(known[data.items], asked, relevant)
        _say(f"embedded {data.name}")
    return found


def _speak(sets: Sequence[Dataset], vectors: Mapping[str, Vectors]) -> dict[str, Spoken]:
    """Token outputs for late interaction; none where the second model is not here."""
    if any("dense" not in of.passages for of in vectors.values()):
        return {}
    return train_late.read(sets, {name: (of.questions["dense"], of.passages["dense"]) for name, of in vectors.items()})


def _kept(sets: Sequence[Dataset], fold: int | None) -> Callable[[Dataset], list[int]]:
    """Which queries of a set train for *fold*: those of other folds that share no relevant passage with it; all for None."""
    every = (data.relevant[query.id] for data in sets for query in data.queries)
    unseen = frozenset().union(*(ids for ids in every if fold_of(ids) == fold))

    def kept(data: Dataset) -> list[int]:
        ids = {item.id for item in data.items}
        relevant = [data.relevant[query.id] for query in data.queries]
        return [at for at, each in enumerate(relevant) if each & ids and not each & unseen and fold_of(each) != fold]

    return kept


def _adapters(sets: Sequence[Dataset], encoders: Sequence[Encoder], vectors: Mapping[str, Vectors]) -> list[dict[str, Floats]]:
    """For each fold, the question maps learned without it and without any query that shares a relevant passage with it."""
    found = []
    for number in range(FOLDS):
        found.append(_adapter(sets, encoders, vectors, number))
        _say(f"question map {number + 1} of {FOLDS}")
    return found


def _adapter(
    sets: Sequence[Dataset], encoders: Sequence[Encoder], vectors: Mapping[str, Vectors], fold: int | None
) -> dict[str, Floats]:
    asked: dict[str, list[adapter.Asked]] = {encoder.signal: [] for encoder in encoders}
    chosen = _kept(sets, fold)
    for data in sets:
        of, kept = vectors[data.name], chosen(data)
        for signal, seen in asked.items():
            seen.append(adapter.Asked(of.questions[signal][kept], of.passages[signal], [of.relevant[at] for at in kept]))
    return {signal: adapter.fit(seen, _PACES.get(signal, adapter.Pace())) for signal, seen in asked.items()}


def _lates(sets: Sequence[Dataset], spoken: Mapping[str, Spoken], vectors: Mapping[str, Vectors]) -> list[late.Late]:
    """For each fold, late interaction learned as the question maps are; none without token outputs."""
    found = []
    for number in range(FOLDS if spoken else 0):
        found.append(_late(sets, spoken, vectors, number))
        _say(f"late interaction {number + 1} of {FOLDS}")
    return found


def _late(sets: Sequence[Dataset], spoken: Mapping[str, Spoken], vectors: Mapping[str, Vectors], fold: int | None) -> late.Late:
    return train_late.fit(sets, spoken, {name: of.relevant for name, of in vectors.items()}, _kept(sets, fold))


def _measure(
    sets: Sequence[Dataset],
    encoders: Sequence[Encoder],
    vectors: Mapping[str, Vectors],
    maps: Sequence[Mapping[str, Floats]],
    spoken: Mapping[str, Spoken],
    lates: Sequence[late.Late],
) -> tuple[list[Table], list[str]]:
    tables: list[Table] = []
    names: list[str] = []
    for items in dict.fromkeys(data.items for data in sets):
        sharing = [data for data in sets if data.items == items]
        by_words = [_by_words(sharing, spoken, learned) for learned in lates]
        for view in VIEWS:
            words = by_words if view.models == len(encoders) else []
            names = _measure_view(items, sharing, view, encoders[: view.models], vectors, maps, words, tables)
            _say(f"{', '.join(data.name for data in sharing)}: {view.name}, {len(tables)} queries so far")
    return tables, names


def _by_words(sets: Sequence[Dataset], spoken: Mapping[str, Spoken], learned: late.Late) -> ByWords:
    """Scores of late interaction as *learned*, for any question and candidates of *sets*, which share their passages."""
    passages = train_late.code(spoken[sets[0].name].passages, learned)

    def scores(data: str, question: int, candidates: Sequence[int]) -> Floats:
        return late.score(late.coded(spoken[data].questions.of(question), learned), passages, candidates)

    return scores


def _measure_view(
    items: tuple[Item, ...],
    sets: Sequence[Dataset],
    view: View,
    encoders: Sequence[Encoder],
    vectors: Mapping[str, Vectors],
    maps: Sequence[Mapping[str, Floats]],
    by_words: Sequence[ByWords],
    tables: list[Table],
) -> list[str]:
    known = items if view.structure else tuple(Item(item.id, item.text) for item in items)
    collection = collect(known)
    fields = signals.index(collection)
    shape = features.structure(collection, detect(known) if view.edges else none(len(known)))
    names: list[str] = []
    for data in sets:
        of = vectors[data.name]
        for at in range(0, len(data.queries), view.step):
            query = data.queries[at]
            fold, rows = fold_of(data.relevant[query.id]), dict[str, Any]()
            for encoder in encoders:
                asked = of.questions[encoder.signal][at : at + 1]
                rows |= signals_of(encoder, asked, of.passages, maps[fold][encoder.signal])
            found = signals.measure(query.text, fields, {name: row[0] for name, row in rows.items()})
            late_of = partial(by_words[fold], data.name, at) if by_words else None
            table, names = _table(data, query, found, fields, shape, set(of.relevant[at]), view, late_of)
            tables.append(table)
    return names


def _table(
    data: Dataset,
    query: Query,
    found: Mapping[str, Floats],
    fields: signals.Fields,
    shape: features.Structure,
    relevant: set[int],
    view: View,
    late_of: Callable[[Sequence[int]], Floats] | None,
) -> tuple[Table, list[str]]:
    import numpy as np

    base = features.fused(found, features.FUSION)
    places = features.candidates(base, shape)
    by_words = None if late_of is None else late_of(places.tolist())
    rows, names = features.matrix(found, base, places, fields, shape, len(terms(query.text)), by_words)
    labels = np.array([at in relevant for at in places.tolist()], dtype=np.int8)
    described = None
    if data.name == _CALIBRATED_ON and view.name == "full":
        kept = {name: np.sort(values)[-50:] for name, values in found.items()}

        def described(scores: Sequence[float], order: Sequence[int]) -> Mapping[str, float]:
            return describe_ranking(query.text, scores, kept, [data.items[at].text for at in order[:3]])

    return Table(data.name, query.id, data.relevant[query.id], rows, labels, places, view.name, described), names


def _fit(tables: Sequence[Table], names: Sequence[str]) -> Any:
    import lightgbm
    import numpy as np

    fused = list(names).index("fused")
    kept = [np.argsort(-table.rows[:, fused], kind="stable")[:TRAINED] for table in tables]
    rows = np.concatenate([table.rows[first] for table, first in zip(tables, kept)])
    labels = np.concatenate([table.labels[first] for table, first in zip(tables, kept)])
    data = lightgbm.Dataset(rows, labels, group=[len(first) for first in kept], feature_name=list(names))
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def _cross_validate(tables: Sequence[Table], fold: Sequence[int], names: Sequence[str]) -> list[Floats]:
    """Scores of each table's candidates by trees that saw no query sharing a relevant passage."""
    import numpy as np

    scores: list[Floats] = [np.zeros(0, dtype=np.float32)] * len(tables)
    for number in range(FOLDS):
        held = [at for at in range(len(tables)) if fold[at] == number]
        seen = frozenset().union(*(tables[at].relevant for at in held))
        model = _fit([table for at, table in enumerate(tables) if fold[at] != number and not table.relevant & seen], names)
        for at in held:
            scores[at] = model.predict(tables[at].rows).astype(np.float32)
        _say(f"fold {number + 1} of {FOLDS}")
    return scores


def _compare(
    tables: Sequence[Table],
    scores: Sequence[Floats],
    sets: Sequence[Dataset],
    ids: Mapping[str, Sequence[str]],
    names: Sequence[str],
) -> list[dict[str, Any]]:
    """Per set and view: fusion, re-ranked, and the paired difference, as rows."""
    fused = names.index("fused")
    rows: list[dict[str, Any]] = []
    for data in (data for data in sets if data.name not in WORDINGS):
        for view in VIEWS:
            chosen = [at for at, table in enumerate(tables) if table.source == data.name and table.view == view.name]
            relevant = {tables[at].query: dict.fromkeys(tables[at].relevant, 1) for at in chosen}
            judged = score.Judgements(relevant, sum(map(len, relevant.values())))
            values = [
                score.per_query(_run(tables, chosen, by, ids[data.name]), judged)
                for by in ([tables[at].rows[:, fused] for at in chosen], [scores[at] for at in chosen])
            ]
            for method, each in zip(("fusion", "re-ranked, cross-validated"), values):
                rows += [{"set": data.name, "view": view.name, "method": method, **f._asdict()} for f in score.figures(each)]
            for difference in score.differences(*values):
                rows.append({"set": data.name, "view": view.name, "method": "difference", **difference._asdict()})
    return rows


def _run(
    tables: Sequence[Table], chosen: Sequence[int], by: Sequence[Floats], ids: Sequence[str]
) -> dict[str, dict[str, float]]:
    return {
        tables[at].query: {ids[place]: float(value) for place, value in zip(tables[at].places.tolist(), values.tolist())}
        for at, values in zip(chosen, by)
    }


def _calibrate(tables: Sequence[Table], scores: Sequence[Floats], sets: Sequence[Dataset]) -> None:
    """The shipped calibration, from cross-validated scores, so that it expects what a new question will give."""
    import numpy as np

    data = next((data for data in sets if data.name == _CALIBRATED_ON), None)
    if data is None:
        return
    rows, answerable, groups = [], [], []
    for table, values in zip(tables, scores):
        if table.described is not None:
            order = np.argsort(-values, kind="stable")
            rows.append(table.described(values[order].tolist(), table.places[order].tolist()))
            answerable.append(table.query not in data.unanswerable)
            groups.append(sorted(table.relevant)[0])
    fitted = abstain.fit(rows, answerable, _LEVEL, groups=groups, source=data.name)
    abstain.save(fitted, DATA / CALIBRATION)
    _say(abstain.statement(fitted))


if __name__ == "__main__":
    main()
