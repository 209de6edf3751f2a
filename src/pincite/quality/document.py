"""Checks of one document."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.errors import PoorQuality
from pincite.model import Document, Finding, Passage, is_generic
from pincite.quality import structure, text
from pincite.quality.codes import ISSUE, Problem
from pincite.quality.view import View

MOST = 20
"""Problems of one code that are told of a document; the last one says how many more there are."""


def check(document: Document, passages: Sequence[Passage] = (), as_of: str = "") -> list[Problem]:
    """The problems of a document in order of code and place; none of a regulation or a manual, which have their own findings.

    *passages* are the document's own, where they are made already; *as_of* is the date (YYYY-MM-DD) that review dates are
    compared with, by default the document's version where that is a date.
    """
    if not is_generic(document):
        return []
    view = View.of(document)
    found = [*text.problems(view), *structure.problems(view, as_of or document.source.corpus_version)]
    found += structure.of_passages(view, passages)
    by_code: dict[str, list[Problem]] = {}
    for problem in found:
        by_code.setdefault(problem.code, []).append(problem)
    return [problem for code in sorted(by_code) for problem in _limited(by_code[code])]


def _limited(found: list[Problem]) -> list[Problem]:
    kept = found[:MOST]
    if len(found) > MOST:
        kept[-1] = kept[-1]._replace(message=f"{kept[-1].message}; and {len(found) - MOST} more of this kind")
    return kept


def checked(document: Document, passages: Sequence[Passage] = ()) -> Document:
    """The document with its warnings as findings; ``PoorQuality`` where an issue stops it."""
    problems = check(document, passages)
    issues = [problem for problem in problems if problem.level == ISSUE]
    if issues:
        told = "; ".join(f"{each.code} {each.message}" for each in issues)
        raise PoorQuality(told, where=document.source.path, next="mend it, or see docs/quality.md for what the code means")
    if not problems:
        return document
    return document._replace(findings=(*document.findings, *map(as_finding, problems)))


def as_finding(problem: Problem) -> Finding:
    """A problem as a row of ``documents.findings``."""
    return Finding(problem.code, problem.page, problem.start, problem.end, problem.node_id, problem.message)
