"""Footnotes and their marks."""

from __future__ import annotations

from pincite.parse.build import Builder


def link_footnotes(builder: Builder) -> None:
    """placeholder"""
