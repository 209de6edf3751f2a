"""Pincite's retrieval on every public set that is present, beside reference lines and published numbers.

    python benchmarks/retrieval.py [--small] [--no-log]

The folder is PINCITE_BENCHMARKS, else ../shared/data/benchmarks. It rewrites docs/benchmarks.md and logs to MLflow where that
is installed. What the re-ranker was trained on is shown by its cross-validated figures only, which ``make train`` writes.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import json
import platform
import re
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pincite.errors import MissingSource
from pincite.index import bm25
from pincite.index.analyze import STOP_WORDS
from pincite.rank import score
from pincite.rank.abstain import statement
from pincite.rank.adapter import load_adapters
from pincite.rank.answerable import load_calibration
from pincite.rank.collection import collect
from pincite.rank.edges import detect, none
from pincite.rank.features import Links
from pincite.rank.models import open_encoders
from pincite.rank.public import Dataset, folder, load, present
from pincite.rank.rerank import Reranker, load_reranker
from pincite.rank.run import Ranker
from pincite.rank.train import DATA, REPORT, WORDINGS

ROOT = Path(__file__).parent.parent
PUBLISHED = Path(__file__).with_name("published.json")
_FEW = 30  # queries below which a thinned view is not shown
SMALL = ("pdpabench train", "pdpabench val", "aila2019")
MEASURES = ("R@10", "AP@10", "nDCG@10", "Both@10", "P@10", "RR", "AP", "R@100")


def plain(texts: Iterable[str]) -> list[list[str]]:
    """Terms as the reference lines cut them: lower case, letters and digits, Lucene's stop words, Snowball English."""
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    return [stemmer.stemWords([w for w in re.findall("[A-Za-z0-9]+", text.lower()) if w not in STOP_WORDS]) for text in texts]


def ruler(data: Dataset) -> dict[str, dict[str, float]]:
    """A run of plain BM25, k1 0.9 and b 0.4."""
    index = bm25.build(plain(f"{item.title} {item.text}" for item in data.items), 0.9, 0.4)
    run = {}
    for query, words in zip(data.queries, plain(query.text for query in data.queries)):
        scores = index.scores(bm25.weigh(words))
        run[query.id] = {data.items[at].id: float(scores[at]) for at in bm25.top(scores, 100).tolist()}
    return run


def runs(data: Dataset, trained: bool) -> Iterable[tuple[str, dict[str, dict[str, float]], float]]:
    """(method, run, milliseconds a query) of each method that is fair on this set: of what trained the trees, the ruler."""
    start = time.perf_counter()
    yield "BM25, plain", ruler(data), 1e3 * (time.perf_counter() - start) / len(data.queries)
    if trained:
        return
    collection, encoders, adapters = collect(data.items), open_encoders(), load_adapters()
    linked, bare = detect(data.items), none(len(data.items))
    methods: list[tuple[str, Reranker | None, Links, str]] = [
        ("BM25", None, bare, "bm25"),
        ("vector", None, bare, "vector"),
        ("fusion", None, linked, "hybrid"),
        ("re-ranked", load_reranker(), linked, "hybrid"),
    ]
    for name, reranker, links, method in methods:
        ranker = Ranker(collection, links, encoders, reranker, adapters if reranker else {})
        start = time.perf_counter()
        ranked = list(ranker.rank(data.queries, method, 100))
        took = 1e3 * (time.perf_counter() - start) / len(data.queries)
        yield name, {r.query.id: {data.items[p].id: s for p, s in zip(r.places, r.scores)} for r in ranked}, took


def measure(data: Dataset, trained: bool) -> list[dict[str, Any]]:
    judged = score.Judgements(
        {q: dict.fromkeys(ids, 1) for q, ids in data.relevant.items()}, sum(map(len, data.relevant.values()))
    )
    rows = []
    for method, run, milliseconds in runs(data, trained):
        figures = score.figures(score.per_query(run, judged, MEASURES))
        rows += [{"set": data.name, "method": method, "ms": milliseconds, **figure._asdict()} for figure in figures]
        shown = " ".join(f"{row['measure']} {row['value']:.4f}" for row in rows[-len(MEASURES) :])
        print(f"{data.name:18} {method:20} {shown}  {milliseconds:.1f} ms/query")
    return rows


def log(rows: list[dict[str, Any]]) -> None:
    """One MLflow run for all sets; says so where MLflow is not installed."""
    try:
        import mlflow
    except ImportError:
        print("MLflow is not installed: nothing logged")
        return
    mlflow.set_experiment("pincite-retrieval")
    with mlflow.start_run(run_name=datetime.date.today().isoformat()):
        for row in rows:
            name = f"{row['set']}/{row['method']}/{row['measure']}".replace("@", "_at_").replace(",", "")
            mlflow.log_metric(name, row["value"])


def page(rows: list[dict[str, Any]], validated: list[dict[str, Any]]) -> str:
    """docs/benchmarks.md."""
    published: dict[str, Any] = json.loads(PUBLISHED.read_text())
    used = [name for name in ("numpy", "onnxruntime", "ir-measures", "lightgbm") if _has(name)]
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in used)
    today, python = datetime.date.today().isoformat(), platform.python_version()
    lines = [
        "# Retrieval on public benchmarks",
        "",
        f"Written by `python benchmarks/retrieval.py` on {today}; Python {python}, {versions}.",
        "Means over all judged queries with 95 % bootstrap intervals. *Cross-validated* rows are by trees that saw neither the",
        "query nor any query sharing a relevant passage (`make train`). *Reference* rows are plain baselines measured on the",
        "same parts; *published* rows are their authors', mostly on **test** parts, so they are neighbours and not equals.",
    ]
    for name in dict.fromkeys([*(row["set"] for row in rows), *(row["set"] for row in validated)]):
        lines += ["", f"## {name}", "", *_table(name, rows, validated, published.get(name, {}))]
    text = "\n".join([*lines, *_abstention()]) + "\n"
    notes = ROOT / "docs" / "benchmarks-notes.md"
    return text + ("\n" + notes.read_text() if notes.exists() else "")


def _abstention() -> list[str]:
    """The shipped calibration beside the published figure."""
    shipped = load_calibration(None)
    rejected = shipped.unanswerable - shipped.let_through
    silent = rejected + shipped.turned_away
    answered = 1 - silent / (shipped.answerable + shipped.unanswerable)
    recall, precision = rejected / shipped.unanswerable, rejected / max(silent, 1)
    return [
        "",
        f"## Abstention on {shipped.source}, cross-validated",
        "",
        f"{statement(shipped)[0].upper()}{statement(shipped)[1:]}.",
        "",
        "| | recall of abstaining | precision | answered |",
        "|---|---|---|---|",
        f"| ours | {recall:.3f} | {precision:.3f} | {answered:.1%} |",
        "| published, test part (report, Table 6) | 0.286 | 0.333 | 88.5% |",
    ]


def _table(name: str, rows: list[dict[str, Any]], validated: list[dict[str, Any]], published: Mapping[str, Any]) -> list[str]:
    columns = ("R@10", "AP@10", "nDCG@10", "Both@10", "RR", "AP", "R@100")
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        if row["set"] == name:
            found.setdefault(row["method"], {})[row["measure"]] = _cell(row)
    for row in validated:
        if row["set"] == name and row["method"] != "difference" and row["queries"] > _FEW:
            label = row["method"] + ("" if row["view"] == "full" else f", {row['view']}")
            found.setdefault(f"**{label}**" if "cross" in label else label, {})[row["measure"]] = _cell(row)
    for label, given in published.items():
        found[label] = {measure: f"{value:.4f}" for measure, value in given.items()}
    for label, cells in found.items():
        lines.append(f"| {label} | " + " | ".join(cells.get(column, "") for column in columns) + " |")
    return lines


def _cell(row: Mapping[str, Any]) -> str:
    return f"{row['value']:.4f} <small>{row['low']:.3f}–{row['high']:.3f}</small>"


def _has(name: str) -> bool:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true", help="only the small sets; docs/benchmarks.md is left alone")
    parser.add_argument("--no-log", action="store_true", help="do not log to MLflow")
    options = parser.parse_args()
    try:
        root = folder()
    except MissingSource as absent:
        print(f"skipped: {absent}")
        return 0
    report = json.loads((DATA / REPORT).read_text()) if (DATA / REPORT).exists() else {"measures": [], "trained_on": {}}
    rows: list[dict[str, Any]] = []
    for name in present(root):
        if name not in WORDINGS and (not options.small or name in SMALL):
            data = load(name, root)
            trained = report["trained_on"].get(name) == data.sha256
            rows += measure(data, trained)
    if not options.no_log:
        log(rows)
    if not options.small:
        (ROOT / "docs" / "benchmarks.md").write_text(page(rows, report["measures"]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
