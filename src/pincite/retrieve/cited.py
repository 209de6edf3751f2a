"""Citations named in a question: the exact lookup that neither words nor vectors can be trusted with."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from pincite.model import Passage, Place
from pincite.retrieve.corpus import Corpus

_LIMIT = 3  # passages shown of one named citation: it may be a whole part


class Named(NamedTuple):
    """Passages of citations the question names, with the citation; and those it names that the corpus does not hold."""

    passages: tuple[tuple[Passage, str], ...]
    outside: tuple[str, ...]

    def features(self) -> dict[str, float]:
        """``cited``, ``cited_outside``: how many citations of the question are in the corpus, and outside it."""
        inside = len({citation for _, citation in self.passages})
        return {"cited": float(inside), "cited_outside": float(len(self.outside))}


def lookup(question: str, corpus: Corpus) -> Named:
    """Find the question's citations in the corpus, in the order they are named."""
    references = import_module("pincite.references")
    if not hasattr(references, "find"):  # until that room lands
        return Named((), ())
    passages: list[tuple[Passage, str]] = []
    outside: list[str] = []
    for mention in references.find(question, Place()):
        if mention.target_node_id is None:
            continue
        held = corpus.chunks_of(mention.target_node_id)
        if held:
            passages += [(passage, mention.target_node_id) for passage in held[:_LIMIT]]
        else:
            outside.append(mention.target_node_id)
    return Named(tuple(passages), tuple(dict.fromkeys(outside)))
