"""References by name: what a mention asks the corpus for, and what is decided once the corpus is known.

A document is read once; which titles, codes and headings there are is known only of the whole corpus. A mention therefore keeps
what it *seeks*, as text::

    title:incident response policy                      a document of that title
    code:sop-12@3 § 4.2                                  section 4.2 of revision 3 of SOP-12
    here:handbook § heading response targets             a heading of the document the mention stands in
    path:policies/x.md § #targets                        an anchor of a file
    here:handbook § 4.2 to 4.5                           a range, which stays a range
    path:a/b.md | ipath:a/b.md | file:b.md               the first of these that is held; ipath: whatever its capitals
    here:handbook § heading leave + title:leave          all of these: two that are held make it ambiguous

``look_ups`` names the keys a decision needs, so that a join can bring them; ``decide`` is pure. Keys are node ids and the
names of :mod:`pincite.references.names`; a name inside a document has the document before it: ``handbook § 4.2``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

_ANY_CAPITALS = "ipath:"
FIRST, ALL, RANGE = " | ", " + ", " to "
_LOCAL = " § "
MOST_CANDIDATES = 20
"""Candidates that are listed; the reason says how many there are."""
_BY_NODE = ("row", "slide", "sheet")
"""Places whose node ids say what they are, so that a register of a million rows needs no names."""


class Held(NamedTuple):
    """A node that the corpus holds, in one document."""

    document_id: str
    chunk_ids: tuple[str, ...] = ()
    node_id: str = ""


Known = Mapping[str, Sequence[Held]]
"""Node id or name -> where it is held. One entry is the rule; two make a reference to it ambiguous."""


class Decision(NamedTuple):
    status: str
    target_chunk_ids: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    reason: str = ""
    target_node_id: str | None = None
    target_end_node_id: str | None = None


class _Wish(NamedTuple):
    """One alternative: a document, and where a place in it is meant its name and perhaps the last of a range."""

    name: str
    local: str
    end: str


def _wishes(sought: str) -> list[list[_Wish]]:
    """Groups of alternatives: those of a group are tried together, the groups one after the other."""
    return [[_wish(each) for each in group.split(ALL)] for group in sought.split(FIRST)]


def _wish(text: str) -> _Wish:
    name, _, local = text.partition(_LOCAL)
    if local.startswith(("heading ", "#", "node ")):
        return _Wish(name, local, "")
    first, _, end = local.partition(RANGE)
    return _Wish(name, first, end)


def local_key(document_id: str, local: str) -> str:
    """The key of a place inside a document.

    >>> local_key("handbook", "4.2"), local_key("register", "row 7")
    ('handbook § 4.2', 'register#row-7')
    >>> local_key("data", "node /items/3")
    'data#/items/3'
    """
    kind, _, number = local.partition(" ")
    if kind == "node":
        return f"{document_id}#{number}"
    return f"{document_id}#{kind}-{number}" if kind in _BY_NODE and number.isdigit() else f"{document_id}{_LOCAL}{local}"


def look_ups(sought: str) -> Iterator[str]:
    """The keys of the first round: the documents named, and places of documents whose id is known."""
    for wish in (each for group in _wishes(sought) for each in group):
        kind, _, rest = wish.name.partition(":")
        if kind == "here":
            yield rest
            yield from (local_key(rest, local) for local in (wish.local, wish.end) if local)
        else:
            yield wish.name
            if "@" in wish.name:
                base = wish.name.partition("@")[0]
                yield from (base, f"{base}@")


def look_ups_inside(sought: str, found: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The keys of the second round: places in the documents that the first round found, given as (key, document_id)."""
    places = [(wish.name, local) for group in _wishes(sought) for wish in group for local in (wish.local, wish.end) if local]
    for key, document_id in found:
        yield from (
            local_key(document_id, local)
            for name, local in places
            if name in (key, key.removesuffix("@")) or key == f"{name.partition('@')[0]}@"
        )


def decide(sought: str, document_id: str, known: Known) -> Decision:
    """What is known of the target of a mention that stands in *document_id*."""
    last = Decision("unresolved", reason="nothing here is called that")
    for group in _wishes(sought):
        decisions = [_one(wish, document_id, known) for wish in group]
        settled = [decision for decision in decisions if decision.status in ("resolved", "ambiguous")]
        if len({(each.target_node_id, each.candidates) for each in settled}) > 1:
            held = sorted({name for each in settled for name in (each.candidates or (each.target_node_id or "",))})
            return Decision("ambiguous", candidates=tuple(held), reason="a heading here and a document have this name")
        if settled:
            return settled[0]
        if group[0].name.startswith(_ANY_CAPITALS) and not decisions[0].candidates:
            continue  # the reason is that of the path as it is spelled
        last = next((each for each in decisions if each.candidates), decisions[0] if not last.candidates else last)
    return last


def _one(wish: _Wish, document_id: str, known: Known) -> Decision:
    kind, _, rest = wish.name.partition(":")
    if kind == "here":
        return _inside(wish, rest, known)
    documents = [held for held in known.get(wish.name, ()) if wish.local or held.node_id != document_id]
    if not documents and "@" in wish.name:
        documents, other = _revision(wish.name, known)
        if other is not None:
            return other
    if not documents:
        return _missing(kind, rest)
    if len(documents) > 1:
        names = tuple(sorted(held.node_id for held in documents)[:MOST_CANDIDATES])
        return Decision("ambiguous", candidates=names, reason=f"{len(documents)} places here have this name")
    found = Decision("resolved", tuple(documents[0].chunk_ids), target_node_id=documents[0].node_id)
    if wish.local:
        found = _inside(wish, documents[0].document_id, known)
    differs = wish.name.startswith(_ANY_CAPITALS) and found.status == "resolved"
    return found._replace(reason="the path differs in capitals") if differs else found


def _missing(kind: str, rest: str) -> Decision:
    if kind == "url":
        return Decision("out_of_corpus", reason="an address outside this corpus")
    what = {"title": "document has this title", "code": "document bears this code", "file": "file has this name"}
    return Decision("unresolved", reason=f"no {what.get(kind, 'file is at this path')}: {rest}")


def _revision(name: str, known: Known) -> tuple[list[Held], Decision | None]:
    """The documents of a code that state no revision; else, that another revision is held."""
    base, _, revision = name.partition("@")
    unstated = list(known.get(f"{base}@", ()))
    others = known.get(base, ())
    if unstated or not others:
        return unstated, None
    held = tuple(sorted(other.node_id for other in others))
    return [], Decision("unresolved", candidates=held, reason=f"held in another revision than {revision}")


def _inside(wish: _Wish, document_id: str, known: Known) -> Decision:
    """A place of one document, or both ends of a range."""
    first = _place(wish.local, document_id, known)
    if not wish.end or first.status != "resolved":
        return first
    last = _place(wish.end, document_id, known)
    if last.status != "resolved":
        return last._replace(reason=f"the range's end: {last.reason}")
    ids = tuple(dict.fromkeys(first.target_chunk_ids + last.target_chunk_ids))
    return first._replace(target_chunk_ids=ids, target_end_node_id=last.target_node_id)


def _place(local: str, document_id: str, known: Known) -> Decision:
    places = known.get(local_key(document_id, local), ())
    if len(places) == 1:
        return Decision("resolved", tuple(places[0].chunk_ids), target_node_id=places[0].node_id)
    if places:
        names = tuple(sorted(place.node_id for place in places)[:MOST_CANDIDATES])
        return Decision("ambiguous", candidates=names, reason=f"{document_id} has {len(places)} of this name")
    return Decision("unresolved", candidates=(document_id,), reason=f"{document_id} is held, but has no {local}")
