"""A rewrite in plainer words is read in its source's own, and then as strictly as a copy."""

from __future__ import annotations

import pytest

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.plain import in_words_of
from pincite.enrich.ground import verify_grounding


@pytest.mark.parametrize(
    ("source", "rewrite", "read"),
    [
        (
            "A report is lodged pursuant to rule 4.",
            "A report is lodged under rule 4.",
            "A report is lodged pursuant to rule 4.",
        ),
        ("Keepers collaborate with mates.", "Keepers work together with mates.", "Keepers collaborate with mates."),
        ("The act comes into force in May.", "The act takes effect in May.", "The act comes into force in May."),
        ("Keepers shall refrain from smoking.", "Keepers shall hold off smoking.", "Keepers shall hold off smoking."),
        ("Work starts under rule 4.", "The start, under rule 4, is work.", "The start, under rule 4, is work."),
    ],
)
def test_the_sources_words_where_they_say_the_same(source: str, rewrite: str, read: str) -> None:
    assert in_words_of(source, rewrite) == read


def test_a_plainer_copy_is_still_checked_word_by_word() -> None:
    source = "Where proceedings are instituted pursuant to rule 4, the keeper shall lodge a copy with the harbour office."
    assert verify_grounding(source, source.replace("instituted pursuant to", "started under")).grounded
    for wrong in ("the mate shall", "the keeper may", "with the port office and the mayor", "rule 5"):
        right = {"the mate shall": "the keeper shall", "the keeper may": "the keeper shall", "rule 5": "rule 4"}.get(
            wrong, "with the harbour office"
        )
        changed = source.replace("instituted pursuant to", "started under").replace(right, wrong)
        assert not verify_grounding(source, changed).grounded, wrong


def test_no_line_turns_a_claim() -> None:
    turning = {" ".join(words) for entries in lexicon.phrases().values() for words, symbol in entries if symbol in _TURNING}
    for line in lexicon.lines("plain"):
        for said in line.split():
            assert said.replace("_", " ") not in turning - {"through"}, line


_TURNING = {
    "NOT",
    "NO",
    "MUST",
    "MAY",
    "SHOULD",
    "ONLY",
    "UNLESS",
    "IF",
    "BEFORE",
    "UNTIL",
    "ALL",
    "SOME",
    "MOST",
    "FORBID",
    "LE",
    "GE",
}


def test_no_line_joins_what_excludes_one_another() -> None:
    for line in lexicon.lines("plain"):
        places = [lexicon.places(word) for word in line.split() if "_" not in word]
        assert not any(a[0] == b[0] and a[1] != b[1] for one in places for two in places for a in one for b in two), line
