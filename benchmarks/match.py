"""The law matcher's times beside their anchors.

leave one out   60 synthetic cases, 572 facts, 1,800 chunks of 250 words, random vectors: the size of a published matcher's
                evaluation. The whole of `leave_one_out` against the same with the BM25 index built again for every case.
one new case    the command line, from process start to answer, a case the cache has not seen, against a bare interpreter
                that imports what no embedding can do without.

    python benchmarks/match.py [--rounds N]
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

import numpy as np

from pincite.evaluate import matcher as evaluation
from pincite.match.search import MatchIndex
from pincite.match.snapshot import Case, Element, Fact, Instance, Law, Snapshot, alias_groups
from pincite.match.words import Postings

REPOSITORY = Path(__file__).parents[1]
FLOOR = "import numpy, onnxruntime, tokenizers"


class RandomVectors:
    """Vectors as warm as can be: none is computed."""

    name, dimension = "random", 384

    def embed(self, texts):
        rows = np.random.default_rng(len(texts)).normal(size=(len(texts), self.dimension)).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def synthetic(cases: int = 60, facts: int = 572, chunks: int = 30, laws: int = 5) -> Snapshot:
    """Cases of *chunks* times 250 words over a Zipf vocabulary; facts are 40-word stretches of them."""
    draw = random.Random(7)
    words = [f"{chr(97 + a)}{chr(97 + b)}{chr(97 + c)}" for a in range(26) for b in range(26) for c in range(9)]
    weights = [1 / (rank + 3) for rank in range(len(words))]
    tables = {"laws": [Law(f"law{n}", f"citation {n}", f"title {n}") for n in range(laws)]}
    tables["elements"] = [Element(f"e{n}", f"law{n % laws}", f"name {n}", "") for n in range(4 * laws)]
    texts, rows, quotes, instances = {}, [], [], []
    for number in range(cases):
        sentences = [" ".join(draw.choices(words, weights, k=25)).capitalize() + "." for _ in range(10 * chunks)]
        texts[f"c{number}"] = " ".join(sentences)
        rows.append(Case(f"c{number}", "", "", str(number), (), True))
    for number in range(facts):
        case = f"c{number % cases}"
        start = draw.randrange(len(texts[case]) - 200)
        quotes.append(Fact(f"f{number}", case, "finding", "", start, start + 160, texts[case][start : start + 160], ""))
        element = f"e{draw.randrange(4 * laws)}"
        instances.append(Instance(f"i{number}", case, element, "", (f"f{number}",), "satisfied"))
    return Snapshot(
        tuple(tables["laws"]), tuple(tables["elements"]), (), tuple(rows), tuple(quotes), tuple(instances), texts, "synthetic"
    )


def rebuilt(index: MatchIndex, queries) -> None:
    """The anchor: BM25 alone, the index built again without the case for each of the folds."""
    for at, group in enumerate(alias_groups(index.snapshot)):
        gone = index.without(group)
        fresh = Postings([quote for quote, out in zip(index.quotes, gone) if not out])
        fresh.scores([fresh.query(piece.text) for piece in queries[at].chunks], fresh.weights())


def subtracted(index: MatchIndex, queries) -> None:
    """Ours: the same scores by subtraction."""
    for at, group in enumerate(alias_groups(index.snapshot)):
        gone = index.without(group)
        index.words.scores(queries[at].terms, index.words.weights(gone))


def best(function, rounds: int) -> tuple[float, float]:
    """Least wall seconds and least CPU seconds: on a busy machine the second is what the work costs."""
    walls, cpus = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        function()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return min(walls), min(cpus)


def child(command: list[str], text: bytes = b"") -> tuple[float, float]:
    """Wall and CPU seconds of one process."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, input=text, capture_output=True, check=True, cwd=REPOSITORY)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def seconds(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.3f} s (CPU {pair[1]:.3f} s)"


def measure_evaluation(rounds: int) -> None:
    index = MatchIndex(synthetic(), RandomVectors())
    queries = index.queries([index.snapshot.texts[case.case_id] for case in index.snapshot.cases])
    chunks = sum(len(query.chunks) for query in queries)
    print(f"leave one out: {len(queries)} cases, {len(index.quotes)} facts, {chunks} chunks")
    anchor, ours = best(lambda: rebuilt(index, queries), 1), best(lambda: subtracted(index, queries), rounds)
    print(
        f"  BM25 of every fold: rebuilt {seconds(anchor)}, subtracted {seconds(ours)}, ratio of CPU {ours[1] / anchor[1]:.3f}"
    )
    search = best(lambda: evaluation.search_each(index, queries, ("hybrid",)), rounds)
    print(f"  every fold, hybrid, elements and laws, from ready queries: {seconds(search)}; limit 0.5 s, reference system 93 s")
    whole = best(lambda: evaluation.leave_one_out(index, "synthetic"), 1)
    print(f"  the whole report, three methods, satisfied-only, decision, cutting and analysing the texts: {seconds(whole)}")


def measure_command(rounds: int) -> None:
    ours, floor = [], []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pincite", "match", "-", "--state", folder, "--json"]
        child(command, b"Warm the cache of facts.")
        for _ in range(rounds):
            ours.append(child(command, f"Deputy {uuid.uuid4().hex} broke the door and searched without a warrant.".encode()))
            floor.append(child([sys.executable, "-c", FLOOR]))
    best_ours, best_floor = tuple(map(min, zip(*ours))), tuple(map(min, zip(*floor)))
    print(f"one new case from the command line: {seconds(best_ours)}; limit 0.5 s")
    print(f"  '{FLOOR}' alone: {seconds(best_floor)}; ratio of wall {best_ours[0] / best_floor[0]:.2f}")


def main() -> None:
    reader = argparse.ArgumentParser()
    reader.add_argument("--rounds", type=int, default=3)
    rounds = reader.parse_args().rounds
    measure_evaluation(rounds)
    measure_command(rounds)


if __name__ == "__main__":
    main()
