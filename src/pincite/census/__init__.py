"""What a folder of documents holds and what its parser could not settle: counted per document, outliers first.

``count`` looks at one document, in a child process; ``run`` takes the folder, resuming where an earlier census stopped;
``store`` keeps the rows as Parquet; ``table`` and ``page`` show them.
"""

from __future__ import annotations

from pincite.census.run import Census, take

__all__ = ["Census", "take"]
