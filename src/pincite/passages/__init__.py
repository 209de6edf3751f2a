"""Documents to passages: what is searched, cited and quoted.

``build(document)`` cuts a document along its nodes: never across sections, at paragraph boundaries, within a token budget.
It reads only partition, nodes and links, so every format goes through it.
"""

from __future__ import annotations

from pincite.passages.build import build
from pincite.passages.standing import chunks_of_nodes

__all__ = ["build", "chunks_of_nodes"]
