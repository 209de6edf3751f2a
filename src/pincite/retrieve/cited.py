"""Citations named in a question: the exact lookup that neither words nor vectors can be trusted with."""

from __future__ import annotations

import re
from typing import NamedTuple

from pincite import references
from pincite.model import Passage, Place
from pincite.retrieve.corpus import Corpus

_LIMIT = 3  # passages shown of one named citation
_CONTAINERS = frozenset({"title", "subtitle", "chapter", "subchapter", "part", "subpart", "subject_group"})

# People drop the authority: "under 314.80", "211.22(a)(1)". A number alone ("98.5 percent") is no citation, so outside the
# corpus it counts only after a word that introduces one.
_BARE = re.compile(
    r"(?<![\w.])(\d{1,4}\.\d{1,4}[a-z]?(?:\(\w{1,5}\))*)(?![\w%]|\.\d| ?(?:percent|per cent|[mk]?g\b|ml\b|hours|days|years))"
)
_INTRODUCED = re.compile(r"(?:§+|\b(?:under|section|sections|sec\.?|per|see|cfr)) *$", re.IGNORECASE)
_LOOSE_CFR = re.compile(r"\bC\.?F\.?R\b\.?", re.IGNORECASE)
_LOOSE_DESIGNATOR = re.compile(r"(?<=[\d)])[ \t]+(?=\(\w{1,5}\))()")
_PART = re.compile(r"\bparts? (\d{1,4})\b(?!\.)", re.IGNORECASE)


class Named(NamedTuple):
    """What citations a question names.

    ``passages`` shows those of a section or finer that the corpus holds, each with its citation; ``containers`` are parts and
    subparts it holds: they limit a question's subject, but name no passage. ``outside`` are those it does not hold, and
    ``discussed`` those of them that some passage of the corpus cites, so that they may be asked about.
    """

    rest: str = ""  # the question without its citations: what is left to search for
    passages: tuple[tuple[Passage, str], ...] = ()
    containers: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    discussed: tuple[str, ...] = ()

    def features(self) -> dict[str, float]:
        """Counts: ``cited`` and ``cited_part`` in the corpus, ``cited_outside`` not in it, ``cited_discussed`` of those."""
        inside = len({citation for _, citation in self.passages})
        counts = {"cited": inside, "cited_part": len(self.containers)}
        counts |= {"cited_outside": len(self.outside), "cited_discussed": len(self.discussed)}
        return {name: float(count) for name, count in counts.items()}


def lookup(question: str, corpus: Corpus) -> Named:
    """Find the question's citations in the corpus, in the order they are named."""
    passages: list[tuple[Passage, str]] = []
    containers: list[str] = []
    outside: list[str] = []
    question = _tidy(question)
    found = _found(question, corpus)
    for node_id in dict.fromkeys(node_id for _, _, node_id in found):
        held = corpus.nodes.get(node_id, ())
        if not held:
            outside.append(node_id)
        elif any(node.kind in _CONTAINERS for _, node in held):
            containers.append(node_id)
        else:
            passages += [(passage, node_id) for passage in corpus.chunks_of(node_id)[:_LIMIT]]
    discussed = tuple(node_id for node_id in outside if node_id in corpus.cited_targets)
    return Named(_without(question, found), tuple(passages), tuple(containers), tuple(outside), discussed)


def mentioned(question: str, corpus: Corpus) -> list[str]:
    """node_ids of the citations a text names, in order, each once; a bare number is completed from the corpus' own titles."""
    return list(dict.fromkeys(node_id for _, _, node_id in _found(_tidy(question), corpus)))


def _found(question: str, corpus: Corpus) -> list[tuple[int, int, str]]:
    """(start, end, node_id) of each citation, in order."""
    title = f"Title {corpus.cfr_titles[0]}" if len(corpus.cfr_titles) == 1 else ""
    place = Place(title, (title,) if title else ())
    families = ("cfr", "manual") if corpus.has_manuals else ("cfr",)
    mentions = [mention for family in families for mention in references.find(question, place, family)]
    found = [(mention.start, mention.end, mention.target_node_id) for mention in mentions if mention.target_node_id]
    taken = [(start, end) for start, end, _ in found]
    found += [each for each in _bare(question, corpus) if not any(start <= each[0] < end for start, end in taken)]
    return sorted(found)


def _without(question: str, found: list[tuple[int, int, str]]) -> str:
    pieces, at = [], 0
    for start, end, _ in found:
        pieces.append(question[at:start])
        at = max(at, end)
    return " ".join([*pieces, question[at:]])


def _tidy(question: str) -> str:
    """As an office would print it: "21 cfr 211.22 (a)" becomes "21 CFR 211.22(a)"."""
    return _LOOSE_DESIGNATOR.sub(r"\1", _LOOSE_CFR.sub("CFR", question))


def _bare(question: str, corpus: Corpus) -> list[tuple[int, int, str]]:
    """Section numbers and "part N" without their title, as citations of each title of the corpus that has them."""
    found: list[tuple[int, int, str]] = []
    for match in _BARE.finditer(question):
        held = [f"{title} CFR {match[1]}" for title in corpus.cfr_titles if f"{title} CFR {match[1]}" in corpus.nodes]
        if held or _INTRODUCED.search(question, 0, match.start()):
            found += [(match.start(), match.end(), node_id) for node_id in held or _assumed(corpus, "", match[1])]
    for match in _PART.finditer(question):
        held = [f"{title} CFR Part {match[1]}" for title in corpus.cfr_titles if f"{title} CFR Part {match[1]}" in corpus.nodes]
        found += [(match.start(), match.end(), node_id) for node_id in held or _assumed(corpus, "Part ", match[1])]
    return found


def _assumed(corpus: Corpus, kind: str, number: str) -> list[str]:
    """A number the corpus does not hold is taken to be of its title where it has only one."""
    return [f"{title} CFR {kind}{number}" for title in corpus.cfr_titles] if len(corpus.cfr_titles) == 1 else []
