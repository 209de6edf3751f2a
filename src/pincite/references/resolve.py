"""Mentions to edges: what a reference's target is in a corpus. Pure; the tables' join calls the same ``decide``.

Exactly one node is ``resolved``; several are ``ambiguous`` and listed; a target outside the corpus is ``out_of_corpus``;
a target inside something the corpus holds, but not there, is ``unresolved`` with the nearest ancestor as candidate; a
form not understood is ``unsupported``. A range needs both its ends, and is never expanded.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from pincite.model import Edge, Observed, Passage, Source, Span, digest
from pincite.references import named
from pincite.references.lexicon import DESIGNATOR, DOTTED
from pincite.references.manual import containers
from pincite.references.named import Decision, Held, Known
from pincite.references.names import HERE
from pincite.references.place import part_of

_HERE = "in this corpus: "
"""Begins what a decision adds to the reason a mention came with, so that another decision can replace it."""


def decide(target: str | None, end: str | None, status: str, reason: str, known: Known) -> Decision:
    """What is known of a target. *status* and *reason* are those of the mention or of the edge as it stands.

    What the mention's reason says ("et seq.: the end is open") stays; what an earlier decision added to it does not.
    """
    said = reason.partition(_HERE)[0].removesuffix("; ")
    if status == "unsupported":
        return Decision("unsupported", reason=said)
    if target is None:
        return Decision("unresolved", reason=said)
    decision = _range(target, end, known)
    if decision.reason:
        return decision._replace(reason=(f"{said}; " if said else "") + _HERE + decision.reason)
    return decision._replace(reason=said)


def _range(target: str, end: str | None, known: Known) -> Decision:
    """A target alone, or both ends of a range."""
    first = _one(target, known)
    if end is None or first.status != "resolved":
        return first
    last = _one(end, known)
    if last.status != "resolved":
        return last._replace(reason=f"the range's end: {last.reason}")
    return Decision("resolved", tuple(dict.fromkeys(first.target_chunk_ids + last.target_chunk_ids)))


def _one(target: str, known: Known) -> Decision:
    held = known.get(target, ())
    if len(held) == 1:
        return Decision("resolved", tuple(held[0].chunk_ids))
    if held:
        where = tuple(sorted(f"{entry.document_id}: {target}" for entry in held))
        return Decision("ambiguous", candidates=where, reason=f"{len(held)} documents hold {target}")
    for ancestor in ancestors(target):
        if ancestor in known:
            return Decision("unresolved", candidates=(ancestor,), reason=f"{ancestor} is held, but has no {target}")
    return Decision("out_of_corpus", reason=f"nothing holds {target}")


_MANUALS = ("DMG ", "ADM ", "Memo ", "NPPF ")
_LAST = re.compile(
    rf"{DESIGNATOR}$|\s(?:Appendix|Supplement|Supplement No\.|Subpart|Subchapter|Table) [^ (]+$|\sAppendix$|\s\"[^\"]*\"$"
)
_LAST_OF_STANDARD = re.compile(r"(?:\.\d{1,3}|\sS\d{1,2})$")  # 571.208 S4.1.2
_LAST_OF_APPENDIX = re.compile(r"\s[A-Z](?:\.\d{1,2})+$")  # Appendix A A.4.2
_SECTION = re.compile(rf"(\d+) CFR ({DOTTED})")
_LAST_OF_COMMENT = re.compile(r"(?:\.[A-Za-z]+|-\d+| \d+)$")  # Supplement I 3(b)(1)-1.v
_FORM = re.compile(r"(\d+ CFR Part [^ ]+ Appendix [A-Z])-\d+")  # "Appendix A-6": an appendix, or a form in Appendix A
_IN_TITLE = re.compile(r"(\d+) CFR (?:Part|Chapter) [^ ]+")


def ancestors(node_id: str) -> Iterator[str]:
    """The node ids that contain a target, the nearest first, as far as its own id tells.

    >>> list(ancestors("21 CFR 211.22(a)(1)"))
    ['21 CFR 211.22(a)', '21 CFR 211.22', '21 CFR Part 211', 'Title 21']
    >>> list(ancestors("36 CFR Part 800 Appendix A(c)"))
    ['36 CFR Part 800 Appendix A', '36 CFR Part 800', 'Title 36']
    >>> list(ancestors("29 CFR 1910.1200 Appendix A A.4.2"))[:2]
    ['29 CFR 1910.1200 Appendix A', '29 CFR 1910.1200']
    >>> list(ancestors("49 CFR 571.208 S4.1(a)"))
    ['49 CFR 571.208 S4.1', '49 CFR 571.208 S4', '49 CFR 571.208', '49 CFR Part 571', 'Title 49']
    """
    if node_id.startswith(_MANUALS):
        yield from containers(node_id)
        return
    while last := _last(node_id):
        form = _FORM.fullmatch(node_id)
        if form:
            yield form[1]
        node_id = node_id[: last.start()]
        yield node_id
    section = _SECTION.fullmatch(node_id)
    if section:
        yield f"{section[1]} CFR Part {part_of(section[2])}"
    title = section or _IN_TITLE.fullmatch(node_id)
    if title:
        yield f"Title {title[1]}"


def _last(node_id: str) -> re.Match[str] | None:
    """The last level of a node id; None at a section, whose number may end in a bracket ("1.401(k)-1"), and at a part."""
    if _SECTION.fullmatch(node_id):
        return None
    found = _LAST.search(node_id)
    if not found and " Supplement " in node_id:
        found = _LAST_OF_COMMENT.search(node_id)
    if not found and " Appendix " in node_id:
        found = _LAST_OF_APPENDIX.search(node_id)
    if not found and " S" in node_id:
        found = _LAST_OF_STANDARD.search(node_id)
    return found if found and found.start() else None


def known_of(nodes: Iterable[tuple[str, str, tuple[str, ...]] | tuple[str, str, tuple[str, ...], tuple[str, ...]]]) -> Known:
    """``Known`` from (document_id, node_id, chunk_ids, names), four columns of the nodes table; names may be left out."""
    known: dict[str, list[Held]] = {}
    for document_id, node_id, chunk_ids, *names in nodes:
        held = Held(document_id, chunk_ids, node_id)
        known.setdefault(node_id, []).append(held)
        for name in names[0] if names else ():
            known.setdefault(f"{document_id} {name}" if name.startswith(HERE) else name, []).append(held)
    return known


# --- edges -----------------------------------------------------------------------------------------------------------


def resolve(
    observed: Iterable[Observed], known: Known, *, source: Source, passages: Sequence[Passage] = ()
) -> tuple[Edge, ...]:
    """The edges of one document: what was observed in it, decided against what the corpus holds.

    *passages* are the document's own: each edge names the one it stands in.
    """
    standing = _Standing(passages)
    return tuple(_edge(seen, known, source, standing.at(seen.span)) for seen in observed)


def reresolve(edges: Iterable[Edge], known: Known) -> tuple[Edge, ...]:
    """The same edges against another corpus, from their rows alone: no document is read again."""
    return tuple(_decided(edge, known) for edge in edges)


def _edge(seen: Observed, known: Known, source: Source, chunk_id: str) -> Edge:
    mention, span = seen.mention, seen.span
    target, end = mention.target_node_id, mention.target_end_node_id
    identity = digest(source.document_id, span.page, span.start, span.end, mention.kind, target or mention.sought or None, end)
    edge = Edge(
        identity,
        source.document_id,
        seen.source_node_id,
        chunk_id,
        mention.text,
        span,
        mention.kind,
        target,
        end,
        (),
        mention.status,
        mention.candidates,
        mention.reason,
        "unresolved",
        source.corpus_version,
        "",
        mention.sought,
    )
    return _decided(edge, known)


def _decided(edge: Edge, known: Known) -> Edge:
    """The edge with its decision and a hash over every other column."""
    if edge.sought:
        return _found(edge, named.decide(edge.sought, edge.document_id, known))
    decision = decide(edge.target_node_id, edge.target_end_node_id, edge.status, edge.reason, known)
    if edge.target_node_id is None:
        decision = decision._replace(candidates=edge.candidates)  # the mention's own: there is nothing to look up
    values = (*edge[:9], decision.target_chunk_ids, decision.status, decision.candidates, decision.reason, *edge[13:15])
    return Edge(*values, digest(*values, edge.sought))


def _found(edge: Edge, decision: Decision) -> Edge:
    """The edge of a name with what the name was found to mean."""
    ends = (decision.target_node_id, decision.target_end_node_id)
    values = (*edge[:7], *ends, decision.target_chunk_ids, decision.status, decision.candidates, decision.reason, *edge[13:15])
    return Edge(*values, digest(*values, edge.sought), edge.sought)


class _Standing:
    """Which passage a span stands in: the first, in document order, with a span that holds it."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        ordered = [(span.page, span.start, span.end, passage.chunk_id) for passage in passages for span in passage.spans]
        self.spans = sorted(ordered)
        self.starts = [(page, start) for page, start, _, _ in self.spans]

    def at(self, span: Span) -> str:
        index = bisect_right(self.starts, (span.page, span.start)) - 1
        while index >= 0 and self.spans[index][0] == span.page:
            if self.spans[index][2] >= span.end:
                return self.spans[index][3]
            if self.spans[index][2] <= span.start:
                break
            index -= 1
        return ""
