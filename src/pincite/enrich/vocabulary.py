"""The words: a rewrite uses the source's own or their synonyms, brings none of weight and leaves out no sentence."""

from __future__ import annotations

from pincite.enrich import lexicon
from pincite.enrich.reading import Item, Reading

NEW_SHARE, NEW_SOME = 0.12, 1  # new content words: a share of all, and always so many
_ANYONE = frozenset(["person", "persons", "people", "individual", "individuals"])
COVERAGE, SENTENCE_COVERAGE = 0.5, 0.34  # of the source's content words, and of each sentence's


def check(source: Reading, rewrite: Reading, both_ways: bool) -> list[tuple[str, str]]:
    """Reasons: words that exclude the source's, new names, too many new words, words in another's place, lost sentences."""
    new = unsupported(source, rewrite)
    found = [
        ("contrast", f"the rewrite says {item.text!r}, of which the source knows nothing") for item in new if _contrasts(item)
    ]
    found += [("name", f"the rewrite names {item.written!r}, the source does not") for item in new if _is_name(item)]
    total = len(rewrite.content)
    if len(new) > max(NEW_SOME, NEW_SHARE * total) or (total and len(new) == total):
        shown = ", ".join(sorted({item.text for item in new})[:6])
        found.append(("vocabulary", f"{len(new)} of {total} content words have no support in the source: {shown}"))
    found += _substitutions(source, rewrite, new)
    if both_ways:
        found += _uncovered(source, rewrite)
    return found


def support(source: Reading, rewrite: Reading, both_ways: bool) -> float:
    """The share of the rewrite's content words that the source supports, and the source's that the rewrite keeps; the lower."""
    total = len(rewrite.content)
    kept = 1 - len(unsupported(source, rewrite)) / total if total else float(bool(rewrite.quantities))
    return min(kept, 0.5 + coverage(source.content, rewrite) / 2) if both_ways else kept


def unsupported(source: Reading, rewrite: Reading) -> list[Item]:
    """The content words of the rewrite that mean nothing the source says."""
    return [item for item in rewrite.content if not item.meanings & source.meanings and item.text not in _ANYONE]


def coverage(content: list[Item], rewrite: Reading) -> float:
    """The share of these words that the rewrite says, in its own words or theirs."""
    return sum(bool(item.meanings & rewrite.meanings) for item in content) / len(content) if content else 1.0


def _contrasts(item: Item) -> bool:
    return lexicon.stem(item.text) in lexicon.contrasts()


def _is_name(item: Item) -> bool:
    return item.written[:1].isupper() and not item.opens


def _uncovered(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    if (share := coverage(source.content, rewrite)) < COVERAGE:
        return [("omission", f"the rewrite has {share:.0%} of the source's content words")]
    found = []
    for sentence in source.sentences:
        content = [item for item in sentence if item.content]
        if len(content) >= 2 and (share := coverage(content, rewrite)) < SENTENCE_COVERAGE:
            start = " ".join(item.text for item in sentence[:8])
            found.append(("omission", f"the rewrite has {share:.0%} of the words of {start!r}"))
    return found


# --- one word in the place of another --------------------------------------------------------------------------------------

Slot = tuple[str, str, str, str]


def _substitutions(source: Reading, rewrite: Reading, new: list[Item]) -> list[tuple[str, str]]:
    """Where the rewrite has another word between the same neighbours, two on each side, and never had that word there."""
    found = []
    for width, words in ((2, None), (1, {id(item) for item in new})):
        slots: dict[Slot, list[Item]] = {}
        for slot, item in _slots(source, width):
            slots.setdefault(slot, []).append(item)
        for slot, item in _slots(rewrite, width):
            held = slots.get(slot)
            if held and (words is None or id(item) in words) and not any(item.meanings & each.meanings for each in held):
                found.append(("substitution", f"the rewrite says {item.text!r} where the source says {held[0].text!r}"))
    return found


def _slots(reading: Reading, width: int) -> list[tuple[Slot, Item]]:
    """Each content word with its neighbours as written, ends of sentences among them."""
    found = []
    for sentence in reading.sentences:
        line = [item for item in sentence if item.kind not in ("break", "stop")]
        keys = ["^", "^", *(_slot(item) for item in line), "$", "$"]
        for at, item in enumerate(line):
            around = (keys[at + 2 - width : at + 2], keys[at + 3 : at + 3 + width])
            if item.content and not (around[0][-1] == "^" and around[1][0] == "$"):
                left, right = around
                found.append(((left[0], left[-1], right[0], right[-1]), item))
    return found


def _slot(item: Item) -> str:
    if item.quantity is not None:
        return f"#{sorted(map(str, item.quantity.values))[0]}"
    return item.symbol or lexicon.stem(item.text)
