"""References in rulebooks: recall against gold rows beside a bare dotted-number pattern, and what defined terms are found.

`python benchmarks/rulebook.py [--sample N --seed S]`; with a sample, so many uses of terms are printed to be read.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence

from pincite.errors import MissingSource
from pincite.rank.collection import Item
from pincite.rank.edges import Found, detect, references
from pincite.rank.gold_edges import edge_recall
from pincite.rank.public import folder, rulebook_rows
from pincite.references.definitions import definitions

PATTERN = {"internal": 647 / 807, "external": 1 / 433}  # a bare dotted number inside the same document


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--sample", type=int, default=0)
    options.add_argument("--seed", type=int, default=2704)
    asked = options.parse_args()
    try:
        root = folder()
    except MissingSource as absent:
        print(f"skipped: {absent}")
        return 0
    items = rulebook_rows(root)
    start = time.process_time()
    links = detect(items)
    seconds = time.process_time() - start
    for row in edge_recall(items, root, links):
        anchor = f"bare pattern {PATTERN[row.kind]:.1%}"
        print(f"{row.kind}: {row.found} of {row.gold} gold edges, {row.recall:.1%} ({anchor}); {row.absent} absent")
    print(f"{sum(map(len, links.out))} edges between {len(items)} passages in {seconds:.1f} s of processor time")
    terms(items, seconds, asked.sample, asked.seed)
    return 0


def terms(items: Sequence[Item], without: float, sample: int, seed: int) -> None:
    """Print how many uses of defined terms there are, by status, and *sample* of the resolved ones."""
    start = time.process_time()
    uses = [found for found in references(items) if found.mention.kind == "term"]
    ratio = (time.process_time() - start) / without
    counted = Counter(use.mention.status for use in uses)
    pairs = {(use.source, use.targets[0]) for use in uses if len(use.targets) == 1 and use.targets[0] != use.source}
    print(f"defined terms: {dict(counted)}, {len(pairs)} pairs of passages; with them {ratio:.1f} times the time")
    resolved = [use for use in uses if use.mention.status == "resolved"]
    for number, use in enumerate(random.Random(seed).sample(resolved, sample), start=1):
        print(shown(number, use, items))


def shown(number: int, use: Found, items: Sequence[Item]) -> str:
    """One use on a line: the words around it, and the definition or the beginning of the passage it leads to."""
    mention, source, target = use.mention, items[use.source], items[use.targets[0]]
    before, after = source.text[max(0, mention.start - 60) : mention.start], source.text[mention.end :][:30]
    same = [d for d in definitions(target.text, listed=True) if d.term.lower()[:5] == mention.text.lower()[:5]]
    exact = [d for d in same if d.term == mention.text] or same
    at = exact[0].start if exact else 0
    where = f"{source.document} {source.citation} {before!r} [[{mention.text}]] {after!r}"
    return f"{number}. {where} -> {target.document} {target.citation} {target.text[at : at + 100]!r}"


if __name__ == "__main__":
    sys.exit(main())
