"""Recall of rulebook references against gold rows, beside a bare dotted-number pattern. `python benchmarks/rulebook.py`"""

from __future__ import annotations

import sys
import time

from pincite.errors import MissingSource
from pincite.rank.edges import detect
from pincite.rank.gold_edges import edge_recall
from pincite.rank.public import folder, rulebook_rows

PATTERN = {"internal": 647 / 807, "external": 1 / 433}  # a bare dotted number inside the same document


def main() -> int:
    try:
        root = folder()
    except MissingSource as absent:
        print(f"skipped: {absent}")
        return 0
    items = rulebook_rows(root)
    start = time.perf_counter()
    links = detect(items)
    seconds = time.perf_counter() - start
    for row in edge_recall(items, root, links):
        anchor = f"bare pattern {PATTERN[row.kind]:.1%}"
        print(f"{row.kind}: {row.found} of {row.gold} gold edges, {row.recall:.1%} ({anchor}); {row.absent} absent")
    print(f"{sum(map(len, links.out))} edges between {len(items)} passages in {seconds:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
