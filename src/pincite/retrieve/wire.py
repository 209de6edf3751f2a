"""Answers as JSON, for programs and for ``pincite check``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from pincite.model import Answer, Edge
from pincite.retrieve.pages import pages_of
from pincite.retrieve.show import Shown


def to_json(answer: Answer) -> str:
    """The answer as one line of JSON, sealed: any byte changed afterwards shows when it is checked."""
    from pincite.check import seal

    value = plain(answer)
    return json.dumps(value | {"seal": seal(value)}, ensure_ascii=False)


def plain(record: Any) -> Any:
    """Named tuples as objects, other sequences as lists; numbers rounded to what a reader can use."""
    if hasattr(record, "_asdict"):
        return {name: plain(value) for name, value in record._asdict().items()}
    if isinstance(record, Mapping):
        return {str(name): plain(value) for name, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [plain(value) for value in record]
    return round(record, 6) if isinstance(record, float) else record


def line(record: Any) -> str:
    """Any record as one line of JSON."""
    return json.dumps(plain(record), ensure_ascii=False)


def to_text(answer: Answer) -> str:
    """The answer for a reader: status, passages with citations and provenance, what was not followed, what was cut."""
    trace = answer.trace
    mode = "following references" if trace.follow else "baseline"
    head = [f"{answer.status.upper()} ({trace.backend}, {mode}, {trace.tokens} of {trace.budget} tokens)"]
    if answer.reason:
        head.append(answer.reason)
    blocks = [
        f"[{number}] {passage.node_id} — {passage.provenance}\n    {passage.breadcrumb}\n{_indented(passage.evidence_text)}"
        + (f"\n{_indented(passage.reading, '    = ')}" if passage.reading else "")
        for number, passage in enumerate(answer.passages, 1)
    ]
    tail = [f"left out: {cut.node_id} ({cut.step}: {cut.reason})" for cut in trace.cut]
    return "\n\n".join(["\n".join(head), *blocks, *(["\n".join(tail)] if tail else [])])


def shown_text(shown: Shown) -> str:
    """A node for a reader."""
    head = [f"{shown.node_id} — {shown.kind}{': ' + shown.heading if shown.heading else ''}"]
    pages = pages_of(shown)
    word = "page" if len(pages) == 1 else "pages"
    where = f"{shown.file}{f', {word} ' + ', '.join(map(str, pages)) if pages else ''}, {shown.corpus_version}"
    head.append(f"    in {' > '.join(_trail(shown.path)) or shown.document_id} ({where})")
    if shown.reason:
        head.append(f"    read as: {shown.reason}")
    parts = ["\n".join(head), _indented(shown.text)] if shown.text else ["\n".join(head)]
    for title, edges in (("cites", shown.outgoing), ("cited by", shown.incoming)):
        if edges:
            parts.append("\n".join([f"{title}:", *(f"    {_edge_text(edge, title == 'cites')}" for edge in edges)]))
    if shown.children:
        parts.append("below: " + ", ".join(shown.children))
    return "\n\n".join(parts)


def _trail(path: Sequence[str]) -> list[str]:
    """Places from the outermost in; a heading's name ("DMG Chapter 77: Couple") without the place that was named before."""
    said: list[str] = []
    for name in path:
        owner = next((before for before in path if name.startswith(f"{before}: ")), "")
        said.append(name[len(owner) + 2 :] if owner else name)
    return said


def _edge_text(edge: Edge, outgoing: bool) -> str:
    end = f" through {edge.target_end_node_id}" if edge.target_end_node_id else ""
    far = f"{edge.target_node_id or '?'}{end}" if outgoing else edge.source_node_id
    return f"{far} (“{' '.join(edge.mention.split())}”, {edge.status})"


def _indented(text: str, margin: str = "    ") -> str:
    return "\n".join(f"{margin}{each.strip()}" for each in text.split("\n") if each.strip())
