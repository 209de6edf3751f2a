"""Readers of the public development sets, for evaluation and for ``make train``. The data never enters the repository."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import MissingSource
from pincite.model import sha256_hex
from pincite.rank.collection import Item, Query


class Dataset(NamedTuple):
    """One set: passages, queries, and the relevant passage ids of each query. ``sha256`` is of the files read."""

    name: str
    items: tuple[Item, ...]
    queries: tuple[Query, ...]
    relevant: Mapping[str, frozenset[str]]
    sha256: str
    unanswerable: frozenset[str] = frozenset()  # queries labelled as having no answer in the passages


def folder() -> Path:
    """Where the sets lie: ``PINCITE_BENCHMARKS``, else ``../shared/data/benchmarks`` beside the checkout or above it."""
    named = os.environ.get("PINCITE_BENCHMARKS")
    places = [Path(named)] if named else [up / "shared" / "data" / "benchmarks" for up in Path.cwd().resolve().parents]
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        raise MissingSource(
            "the public benchmark sets are not here", where=str(places[0]), next="set PINCITE_BENCHMARKS to their folder"
        )
    return found


def present(root: Path) -> list[str]:
    """Names of the sets whose files are there, in a fixed order."""
    return [name for name, (first, _) in READERS.items() if (root / first).exists()]


def load(name: str, root: Path) -> Dataset:
    """Read one set."""
    reader = READERS[name][1]
    reading = _Reading(root)
    items, queries, relevant, unanswerable = reader(reading)
    return Dataset(name, items, queries, relevant, reading.sha256(), unanswerable)


Parts = tuple[tuple[Item, ...], tuple[Query, ...], dict[str, frozenset[str]], frozenset[str]]


class _Reading:
    """Reads files below a root and remembers their hashes."""

    def __init__(self, root: Path) -> None:
        self.root, self.hashes = root, dict[str, str]()

    def data(self, path: str) -> bytes:
        try:
            data = (self.root / path).read_bytes()
        except OSError as error:
            raise MissingSource(f"cannot be read ({error.strerror})", where=path, next="check PINCITE_BENCHMARKS") from error
        self.hashes[path] = sha256_hex(data)
        return data

    def text(self, path: str) -> str:
        return self.data(path).decode("utf-8", "replace")

    def json(self, path: str) -> Any:
        return json.loads(self.data(path))

    def lines(self, path: str) -> Iterator[Any]:
        return (json.loads(line) for line in self.text(path).splitlines() if line.strip())

    def qrels(self, path: str) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for line in self.text(path).splitlines():
            query, _, document, grade = line.split()
            if int(grade) > 0:
                found.setdefault(query, set()).add(document)
        return {query: frozenset(documents) for query, documents in found.items()}

    def sha256(self) -> str:
        return sha256_hex("\n".join(f"{path} {digest}" for path, digest in sorted(self.hashes.items())).encode())


def _rulebooks(reading: _Reading) -> list[dict[str, Any]]:
    files = sorted((reading.root / "obliqa/documents").glob("*.json"), key=lambda path: int(path.stem))
    return [row for file in files for row in reading.json(f"obliqa/documents/{file.name}")]


def _rulebook_items(rows: list[dict[str, Any]]) -> tuple[Item, ...]:
    return tuple(
        Item(row["ID"], row["Passage"], document=str(row["DocumentID"]), citation=row["PassageID"])
        for row in rows
        if row["Passage"].strip()
    )


def rulebook_rows(root: Path) -> tuple[Item, ...]:
    """Every row of the ADGM rulebooks, empty headings included."""
    rows = _rulebooks(_Reading(root))
    return tuple(Item(row["ID"], row["Passage"], document=str(row["DocumentID"]), citation=row["PassageID"]) for row in rows)


def _obliqa(reading: _Reading) -> Parts:
    """Questions name passages by document and number; where that pair repeats, the text decides."""
    rows = _rulebooks(reading)
    places: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in rows:
        places.setdefault((str(row["DocumentID"]), row["PassageID"]), []).append(row)
    queries, relevant = [], {}
    for question in reading.json("obliqa/questions_dev.json"):
        ids = set()
        for gold in question["Passages"]:
            named = places[str(gold["DocumentID"]), gold["PassageID"]]
            same = [row for row in named if row["Passage"].strip() == gold["Passage"].strip()]
            ids.add((same or named)[0]["ID"])
        queries.append(Query(question["QuestionID"], question["Question"]))
        relevant[question["QuestionID"]] = frozenset(ids)
    return _rulebook_items(rows), tuple(queries), relevant, frozenset()


def _obliqa_mp(reading: _Reading) -> Parts:
    items = _rulebook_items(_rulebooks(reading))
    queries = tuple(Query(row["QuestionID"], row["Question"]) for row in reading.json("obliqa_mp/questions_val.json"))
    return items, queries, reading.qrels("obliqa_mp/qrels_val.txt"), frozenset()


def _obliqa_xref(part: str) -> Callable[[_Reading], Parts]:
    def read(reading: _Reading) -> Parts:
        items = _rulebook_items(_rulebooks(reading))
        rows = list(reading.lines(f"obliqa_xref/adgm_{part}.jsonl"))
        relevant = {row["item_id"]: frozenset({row["source_passage_id"], row["target_passage_id"]}) for row in rows}
        return items, tuple(Query(row["item_id"], row["question"]) for row in rows), relevant, frozenset()

    return read


def _pdpabench(part: str, wording: int = 0) -> Callable[[_Reading], Parts]:
    def read(reading: _Reading) -> Parts:
        corpus = list(reading.lines("pdpabench/corpus_subsection_v1.jsonl"))
        items = tuple(
            Item(row["chunk_id"], row["text"], document=row["doc_id"], citation=row["canonical_citation"]) for row in corpus
        )
        rows = list(reading.lines(f"pdpabench/qa_{part}.jsonl"))
        relevant = {row["id"]: frozenset(link["chunk_id"] for link in row["corpus_links"]) for row in rows}
        if wording:
            rows = [row for row in rows if len(row["question_variants"]) >= wording]
        unanswerable = frozenset(row["id"] for row in rows if row["qa_type"] == "pure-abstain")
        asked = (row["question_variants"][wording - 1] if wording else row["question_user"] for row in rows)
        queries = tuple(Query(row["id"], text) for row, text in zip(rows, asked))
        return items, queries, relevant, unanswerable

    return read


def _aila(reading: _Reading) -> Parts:
    items = []
    for file in sorted((reading.root / "aila2019/statutes").glob("S*.txt"), key=lambda path: int(path.stem[1:])):
        title, _, text = reading.text(f"aila2019/statutes/{file.name}").partition("\n")
        items.append(Item(file.stem, text.removeprefix("Desc:").strip(), title=title.removeprefix("Title:").strip()))
    lines = (line.partition("||") for line in reading.text("aila2019/queries_1_10.txt").splitlines() if "||" in line)
    queries = tuple(Query(id, text.strip()) for id, _, text in lines)
    return tuple(items), queries, reading.qrels("aila2019/qrels_statutes_1_10.txt"), frozenset()


def _scifact(reading: _Reading) -> Parts:
    csv.field_size_limit(1 << 24)
    corpus = csv.DictReader(io.StringIO(gzip.decompress(reading.data("scifact/corpus_train.csv.gz")).decode()))
    items = tuple(Item(row["doc_id"], f"{row['title']} {row['abstract'].strip('[]')}") for row in corpus)
    rows = list(csv.DictReader(io.StringIO(reading.text("scifact/claims_train.csv"))))
    claims = {row["id"]: row["claim"] for row in rows}  # a claim has a row for each abstract that bears on it
    relevant = {row["id"]: frozenset(re.findall(r"\d+", row["cited_doc_ids"])) for row in rows}
    return items, tuple(Query(id, claim) for id, claim in claims.items()), relevant, frozenset()


READERS: dict[str, tuple[str, Callable[[_Reading], Parts]]] = {
    "scifact": ("scifact/claims_train.csv", _scifact),
    "pdpabench train": ("pdpabench/qa_train.jsonl", _pdpabench("train")),
    "pdpabench val": ("pdpabench/qa_val.jsonl", _pdpabench("val")),
    "pdpabench train, second wording": ("pdpabench/qa_train.jsonl", _pdpabench("train", 1)),
    "pdpabench train, third wording": ("pdpabench/qa_train.jsonl", _pdpabench("train", 2)),
    "aila2019": ("aila2019/queries_1_10.txt", _aila),
    "obliqa dev": ("obliqa/questions_dev.json", _obliqa),
    "obliqa_mp val": ("obliqa_mp/questions_val.json", _obliqa_mp),
    "obliqa_xref dev": ("obliqa_xref/adgm_dev.jsonl", _obliqa_xref("dev")),
    "obliqa_xref train": ("obliqa_xref/adgm_train.jsonl", _obliqa_xref("train")),
}
"""Set -> (a file that must be there, its reader)."""
