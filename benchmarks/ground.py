"""The gate of enrichment: pairs of passage and rewrite a second, against difflib over the same words.

    python benchmarks/ground.py [--pairs FOLDER] [--rounds N]

Contenders, interleaved in one process, the best processor time of several rounds each: "difflib" (``SequenceMatcher`` over the
words of both texts, its ratio: the anchor, which judges nothing), "gate" (all checks, no model) and "gate, near" (the same with
the nearness of words by the embedding model, where that is on this machine).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

from pincite.enrich.gate.near import ModelNear
from pincite.evaluate.grounding import Pair, judge, load
from pincite.index.embed import load_embedder
from pincite.index.models import have_model
from references import best_of


def ratios(pairs: list[Pair]) -> list[float]:
    """How much of the words two texts share in order, as difflib has it."""
    return [SequenceMatcher(None, pair.passage.split(), pair.rewrite.split(), autojunk=False).ratio() for pair in pairs]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pairs", type=Path, default=Path("conf/gold/grounding"))
    options.add_argument("--rounds", type=int, default=3)
    given = options.parse_args()
    pairs = load(given.pairs)[::3]
    judge(pairs[:5])  # the word lists are read once
    contenders: dict[str, Callable[[], object]] = {"difflib": lambda: ratios(pairs), "gate": lambda: judge(pairs)}
    if have_model():
        model = load_embedder(workers=1)
        contenders["gate, near"] = lambda: judge(pairs, ModelNear(model))
    best = best_of(given.rounds, contenders)
    print(f"{len(pairs)} pairs, {sum(len(pair.passage.split()) for pair in pairs) // len(pairs)} words a passage")
    for name, seconds in best.items():
        each = seconds / len(pairs)
        ratio = seconds / best["difflib"]
        print(f"{name:<12} {1 / each:>9.0f} pairs/s {each * 1000:>8.2f} ms a pair {ratio:>8.1f} times the anchor")


if __name__ == "__main__":
    main()
