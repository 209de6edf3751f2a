"""How many tokens a text has, without a model."""

from __future__ import annotations

DEFAULT_BUDGET = 220
"""Estimated tokens of a passage's ``retrieval_text``: MiniLM reads 256, and an estimate may be off by a sixth."""


def estimate(text: str) -> int:
    """An estimate of the WordPiece tokens of *text*, linear in its length."""
    return 1 + text.count(" ") + (len(text) - text.count(" ")) // 12 + 2 * text.count("(") + text.count(",") + text.count(".")
