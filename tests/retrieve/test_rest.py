"""A paragraph too long for one passage is quoted whole where the budget allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.index.local import build as build_index
from pincite.model import Source, sha256_hex
from pincite.parse import parse
from pincite.passages import build
from pincite.retrieve import Budget, Corpus, Decision, answer

LONG = " ".join(f"The keeper shall record signal number {n} in the blue book before the watch ends." for n in range(60))
XML = f"""<?xml version="1.0" encoding="UTF-8"?>
<DIV5 N="7" TYPE="PART"><HEAD>PART 7-SIGNALS</HEAD>
<DIV8 N="7.1" TYPE="SECTION"><HEAD>§ 7.1 Signals.</HEAD><P>(a) {LONG}</P><P>(b) Flags are washed.</P></DIV8>
</DIV5>""".encode()


@pytest.fixture(scope="module")
def corpus():
    source = Source("signals", "2026", "Signals", "u", "application/xml", Path("p.xml").name, len(XML), sha256_hex(XML))
    document = parse(source, XML)
    passages = build(document)
    return build_index(passages, None), Corpus.of([document], passages, [])


def asked(corpus, tokens: int):
    index, known = corpus
    keep = lambda hits, features: Decision(False, 1.0)  # noqa: E731
    return answer("signal number 41 blue book", index, known, Budget(tokens=tokens, hits=1, expanded=0), 0, keep)


def test_every_piece_of_the_found_node_is_delivered(corpus):
    given = asked(corpus, 5000)
    pieces = [passage for passage in given.passages if passage.node_id == given.passages[0].node_id]
    assert len(pieces) > 1
    text = " ".join(piece.evidence_text for piece in sorted(pieces, key=lambda piece: piece.spans[0].start))
    assert text.split() == ["(a)", *LONG.split()]
    assert all(piece.provenance.startswith("the rest of") for piece in pieces[1:])


def test_the_budget_cuts_the_rest_and_says_so(corpus):
    given = asked(corpus, 300)
    assert given.trace.tokens <= 300
    assert any(cut.step == "expand" and "budget" in cut.reason for cut in given.trace.cut)
