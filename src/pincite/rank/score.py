"""A ranking against judgements, by ``ir_measures``: every judged query in the denominator, intervals, a paired test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pincite.errors import MissingSource, UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MEASURES = ("R@10", "AP@10", "nDCG@10", "P@10", "RR", "AP", "R@100", "Both@10")
_ROUNDS = 2000
_SEED = 20260729


class Judgements(NamedTuple):
    """``relevant[query][document]`` is the grade, above 0."""

    relevant: Mapping[str, Mapping[str, int]]
    pairs: int


class Figure(NamedTuple):
    """A mean over all judged queries with its 95 % bootstrap interval."""

    measure: str
    value: float
    low: float
    high: float
    queries: int


class Difference(NamedTuple):
    """Second run minus first: mean, interval, and the two-sided p-value of a paired randomisation test."""

    measure: str
    value: float
    low: float
    high: float
    p_value: float


def read_qrels(path: Path, known: Iterable[str] | None = None) -> Judgements:
    """TREC judgements. With *known* passage ids, one that names no passage is refused."""
    relevant: dict[str, dict[str, int]] = {}
    grades: dict[tuple[str, str], int] = {}
    pairs = 0
    ids = None if known is None else set(known)
    for number, fields in _lines(path, 4, "query 0 passage grade"):
        query, _, document, grade = fields
        where = f"{path.name} line {number}"
        if ids is not None and document not in ids:
            raise UsageError(f'passage "{document}" is judged but not among the passages', where=where, next="check the ids")
        try:
            value = int(grade)
        except ValueError as error:
            raise UsageError(f'grade "{grade}" is no whole number', where=where, next="give 0, 1, 2, …") from error
        held = grades.setdefault((query, document), value)
        if held != value:
            raise UsageError(
                f'passage "{document}" is judged {held} and {value} for query "{query}"', where=where, next="judge it once"
            )
        relevant.setdefault(query, {})
        if value > 0 and document not in relevant[query]:
            relevant[query][document] = value
            pairs += 1
    if not pairs:
        raise UsageError("nothing is judged relevant", where=path.name, next="check the file")
    return Judgements({query: documents for query, documents in relevant.items() if documents}, pairs)


def read_run(path: Path) -> dict[str, dict[str, float]]:
    """A TREC run: scores by query and passage. A passage ranked twice for one query is refused."""
    run: dict[str, dict[str, float]] = {}
    for number, fields in _lines(path, 6, "query Q0 passage rank score tag"):
        query, _, document, _, score, _ = fields
        where = f"{path.name} line {number}"
        try:
            value = float(score)
        except ValueError as error:
            raise UsageError(f'score "{score}" is no number', where=where, next="check the file") from error
        if value != value:
            raise UsageError("the score is not a number (NaN)", where=where, next="check the file")
        if document in run.setdefault(query, {}):
            raise UsageError(f'passage "{document}" is ranked twice for query "{query}"', where=where, next="rank it once")
        run[query][document] = value
    if not run:
        raise UsageError("the run is empty", where=path.name, next="check the file")
    return run


def _lines(path: Path, width: int, form: str) -> Iterable[tuple[int, Sequence[str]]]:
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise MissingSource(f"cannot be read ({error.strerror})", where=str(path), next="check the path") from error
    except UnicodeDecodeError as error:
        raise UsageError("this is no text in UTF-8", where=path.name, next=f"give lines of the form: {form}") from error
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        fields = line.split()
        if len(fields) != width:
            raise UsageError(
                f"{len(fields)} fields instead of {width}", where=f"{path.name} line {number}", next=f"the form is: {form}"
            )
        yield number, fields


def per_query(
    run: Mapping[str, Mapping[str, float]], judged: Judgements, measures: Sequence[str] = MEASURES
) -> dict[str, NDArray[np.float64]]:
    """Each measure of each judged query, in the order of the queries' ids; a query without results has 0."""
    import ir_measures
    import numpy as np

    if not judged.relevant.keys() & run.keys():
        raise UsageError("the run and the judgements have no query in common", next="check that both are of the same set")
    queries = sorted(judged.relevant)
    place = {query: at for at, query in enumerate(queries)}
    asked = {name: _measure(name) for name in measures}
    values = {name: np.zeros(len(queries)) for name in measures}
    names: dict[Any, list[str]] = {}
    for name, measure in asked.items():
        names.setdefault(measure, []).append(name)
    qrels = [ir_measures.Qrel(q, d, g) for q, documents in judged.relevant.items() for d, g in documents.items()]
    scored = [ir_measures.ScoredDoc(q, d, s) for q in queries for d, s in _ordered(run.get(q, {}))]
    for result in ir_measures.iter_calc(list(names), qrels, scored):
        for name in names[result.measure]:
            both = name.startswith("Both@")
            values[name][place[result.query_id]] = float(result.value >= 1 - 1e-9) if both else result.value
    return values


def _measure(name: str) -> Any:
    """The measure of ``ir_measures`` that a name means. A cut-off below 1 would end the interpreter there."""
    import ir_measures

    try:
        found = ir_measures.parse_measure("R@" + name[5:] if name.startswith("Both@") else name)
        cutoff = found.params.get("cutoff", 1)
        if not isinstance(cutoff, int) or cutoff < 1:
            raise ValueError(f"the cut-off is {cutoff}")
    except (NameError, ValueError, TypeError) as error:
        raise UsageError(
            f"there is no measure {name!r} ({error})", next="name some of ir_measures, as nDCG@10, or Both@10"
        ) from None
    return found


def _ordered(documents: Mapping[str, float]) -> list[tuple[str, float]]:
    """Scores remade so that equal ones keep one order whatever the evaluator does with ties."""
    best = sorted(documents.items(), key=lambda entry: (-entry[1], entry[0]))
    return [(document, float(len(best) - rank)) for rank, (document, _) in enumerate(best)]


def figures(values: Mapping[str, NDArray[np.float64]]) -> list[Figure]:
    """Means with percentile intervals, resampling queries; the same draws for every measure."""
    import numpy as np

    size = len(next(iter(values.values())))
    draws = np.random.default_rng(_SEED).integers(0, size, size=(_ROUNDS, size), dtype=np.int32)
    found = []
    for name, each in values.items():
        low, high = np.percentile(each[draws].mean(axis=1), [2.5, 97.5])
        found.append(Figure(name, float(each.mean()), float(low), float(high), size))
    return found


def differences(first: Mapping[str, NDArray[np.float64]], second: Mapping[str, NDArray[np.float64]]) -> list[Difference]:
    """Paired comparison: bootstrap interval of the mean difference, and a test that flips each query's sign at random."""
    import numpy as np

    found = []
    for name in first:
        each = second[name] - first[name]
        rng = np.random.default_rng(_SEED)
        draws = rng.integers(0, len(each), size=(_ROUNDS, len(each)), dtype=np.int32)
        low, high = np.percentile(each[draws].mean(axis=1), [2.5, 97.5])
        signs = rng.integers(0, 2, size=(_ROUNDS, len(each)), dtype=np.int8) * 2 - 1
        extreme = int((np.abs((signs * each).mean(axis=1)) >= abs(each.mean()) - 1e-12).sum())
        found.append(Difference(name, float(each.mean()), float(low), float(high), (extreme + 1) / (_ROUNDS + 1)))
    return found


class AbstentionReport(NamedTuple):
    """Abstaining is the positive class. ``curve`` is (share answered, share of them that should have been abstained)."""

    queries: int
    precision: float
    recall: float
    coverage: float
    auroc: float
    area: float  # under the risk–coverage curve; lower is better
    true_abstained: int
    false_abstained: int
    false_answered: int
    true_answered: int
    curve: tuple[tuple[float, float], ...]


def abstention(decisions: Mapping[str, tuple[bool, float]], should: Mapping[str, bool]) -> AbstentionReport:
    """Decisions (abstained, confidence) against labels (should abstain). A labelled query without decision is refused."""
    from pincite.rank.abstain import auroc

    missing = sorted(should.keys() - decisions.keys())
    if missing:
        raise UsageError(f'there is no decision for query "{missing[0]}" ({len(missing)} missing)', next="rank all the queries")
    rows = [(decisions[query][0], decisions[query][1], bad) for query, bad in should.items()]
    tp = sum(abstained and bad for abstained, _, bad in rows)
    fp = sum(abstained and not bad for abstained, _, bad in rows)
    fn = sum(not abstained and bad for abstained, _, bad in rows)
    ordered = sorted(rows, key=lambda row: -row[1])
    risks, wrong = [], 0
    for number, (_, _, bad) in enumerate(ordered, start=1):
        wrong += bad
        risks.append(wrong / number)
    steps = sorted({max(1, round(len(rows) * share / 10)) for share in range(1, 11)})
    return AbstentionReport(
        len(rows),
        tp / (tp + fp) if tp + fp else 0.0,
        tp / (tp + fn) if tp + fn else 0.0,
        1 - (tp + fp) / len(rows),
        auroc([confidence for _, confidence, _ in rows], [not bad for _, _, bad in rows]),
        sum(risks) / len(risks),
        tp,
        fp,
        fn,
        len(rows) - tp - fp - fn,
        tuple((number / len(rows), risks[number - 1]) for number in steps),
    )
