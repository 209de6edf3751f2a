"""The words: a rewrite uses the source's own or ones that say the same, brings none of weight and leaves out no clause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise

from pincite.enrich.gate import lexicon, roles
from pincite.enrich.gate.binding import acts_itself
from pincite.enrich.gate.joined import LOOSE, Joined, best_of, is_name, stem
from pincite.enrich.gate.lexicon import wordnet
from pincite.enrich.gate.reading import BREAK, STOP, WORD, Item, Reading

NEW_SHARE = 0.25  # new content words among all; two always, but one in the shortest texts
TOGETHER = 3  # new content words in a row that add a claim; two where the source has lost none that they could stand for
LOST = 4  # content words of the source in a row that leave out a clause
COVERAGE, SENTENCE_COVERAGE = 0.5, 0.34  # of the source's content words, and of each sentence's


def check(joined: Joined, both_ways: bool, excused: Collection[tuple[Item, Item]] = ()) -> list[tuple[str, str]]:
    """Reasons: words that exclude the source's, new names and things, too many new words, lost clauses.

    *excused*: pairs of excluding words of which one is denied, so that they say the same.
    """
    source, rewrite = joined.source, joined.rewrite
    new, gone = unsupported(source, rewrite), lost(source, rewrite)
    found = [
        ("contrast", f"the rewrite says {one.text!r}, the source {two.text!r}")
        for one, two in _excluded(joined, new)
        if (one, two) not in excused and not roles.converse(source, rewrite, one)
    ]
    found += [("name", f"the rewrite names {item.written!r}, the source does not") for item in new if is_name(item)]
    total = len(rewrite.content)
    if len(new) > max(1 + (total > 3), NEW_SHARE * total) or (total > 1 and len(new) == total):
        shown = ", ".join(sorted({item.text for item in new})[:6])
        found.append(("vocabulary", f"{len(new)} of {total} content words have no support in the source: {shown}"))
    found += _things(new, gone) + _actors(source, rewrite) + _stand_ins(joined) + _displaced(source, rewrite, new, gone)
    aligned = joined.aligned
    found += _additions(source, rewrite, new, gone, aligned)
    return found + (_left_out(joined, new, gone) if both_ways else [])


def support(joined: Joined, both_ways: bool) -> float:
    """The share of the rewrite's content words that the source supports, and the source's that the rewrite keeps; the lower."""
    source, rewrite = joined.source, joined.rewrite
    total = len(rewrite.content)
    kept = 1 - len(unsupported(source, rewrite)) / total if total else float(bool(rewrite.quantities))
    return min(kept, 0.5 + coverage(source.content, rewrite) / 2) if both_ways else kept


def unsupported(source: Reading, rewrite: Reading) -> list[Item]:
    """The content words of the rewrite that mean nothing the source says."""
    return [
        item for item in rewrite.content if not item.meanings & source.meanings and item.text not in lexicon.words("anyone")
    ]


def lost(source: Reading, rewrite: Reading) -> list[Item]:
    """The content words of the source that the rewrite does not say."""
    return [
        item for item in source.content if not item.meanings & rewrite.meanings and item.text not in lexicon.words("anyone")
    ]


def coverage(content: list[Item], rewrite: Reading) -> float:
    """The share of these words that the rewrite says, in its own words or theirs."""
    return sum(bool(item.meanings & rewrite.meanings) for item in content) / len(content) if content else 1.0


def _excluded(joined: Joined, new: list[Item]) -> list[tuple[Item, Item]]:
    """New words with those of the source that they exclude: lost ones, and of special sets ("Monday") any."""
    found = list(joined.excluded)
    places = [(item, place) for item in joined.source.content for place in _places(item)]
    for item in new:
        mine = dict(_places(item))
        other = next(
            (two for two, (number, at) in places if number not in lexicon.general() and mine.get(number, at) != at), None
        )
        if other is not None:
            found.append((item, other))
    return list({one.text: (one, two) for one, two in found}.values())


def _places(item: Item) -> frozenset[tuple[int, int]]:
    return lexicon.places(item.text)


def _things(new: list[Item], gone: list[Item]) -> list[tuple[str, str]]:
    """A new person, place or thing where one of the source is gone: "copper" for "lead"."""
    named = [item for item in new if wordnet.kind(stem(item)) in wordnet.THINGS]
    found = []
    for item in named:
        other = next((each for each in gone if wordnet.kind(stem(each)) in wordnet.THINGS), None)
        if other is not None:
            found.append(("substitution", f"the rewrite says {item.text!r}, the source {other.text!r}"))
    body = next((item for item in new if item.text in lexicon.words("bodies")), None)
    name = next((item for item in gone if is_name(item)), None)
    if body is not None and name is not None:
        found.append(("substitution", f"the rewrite says {body.text!r}, the source {name.written!r}"))
    return found


def _actors(source: Reading, rewrite: Reading) -> list[tuple[str, str]]:
    """Someone who acts where the source has another of the same stem or none: "exporter" for "importer"."""
    ours, theirs = _agents(source), _agents(rewrite)
    new = [item for key, item in theirs.items() if key not in ours and not _firm(item) & _firm_of(ours.values())]
    gone = [item for key, item in ours.items() if key not in theirs and not _firm(item) & _firm_of(theirs.values())]
    return [("substitution", f"the rewrite says {new[0].text!r}, the source {gone[0].text!r}")] if new and gone else []


def _stand_ins(joined: Joined) -> list[tuple[str, str]]:
    """Someone of the source who acts where the source has one that the rewrite never names."""
    ours, theirs = _agents(joined.source), _agents(joined.rewrite)
    gone = {key: item for key, item in ours.items() if key not in theirs and not _firm(item) & _firm_of(theirs.values())}
    there, here = (_agents_by_sentence(reading) for reading in (joined.source, joined.rewrite))
    return [
        ("substitution", f"the rewrite says {ours[other].text!r} where the source has {item.text!r}")
        for key, item in gone.items()
        for one, two in sorted(best_of(joined.aligned))
        if key in there.get(one, ())
        for other in sorted((here.get(two, set()) - there[one]) & ours.keys())
    ]


def _agents_by_sentence(reading: Reading) -> dict[int, set[str]]:
    found: dict[int, set[str]] = {}
    for item in reading.content:
        if acts(item):
            found.setdefault(item.sentence, set()).add(lexicon.side(item.text))
    return found


def _agents(reading: Reading) -> dict[str, Item]:
    return {
        lexicon.side(item.text): item
        for item in reversed(reading.content)
        if acts(item) and item.text not in lexicon.words("anyone")
    }


def acts(item: Item) -> bool:
    """Whether a word names who acts: "officer", and not "order"."""
    return lexicon.side(item.text).endswith("-er") and item.text not in lexicon.words("nobody")


def _firm(item: Item) -> frozenset[str]:
    """The meanings of someone who acts that are not those of the act."""
    return frozenset(meaning for meaning in item.meanings if meaning[0] in "=&|")


def _firm_of(items: Iterable[Item]) -> frozenset[str]:
    return frozenset().union(*(_firm(item) for item in items))


def _displaced(source: Reading, rewrite: Reading, new: list[Item], gone: list[Item]) -> list[tuple[str, str]]:
    """Another word right before or after the same one: "production server" for "test server"."""
    unsaid = [item for item in gone if not is_name(item)]
    ours = _beside(source, unsaid)
    return [
        ("substitution", f"the rewrite says {item.text!r} beside {key[1]!r}, the source {ours[key].text!r}")
        for key, item in _beside(rewrite, new).items()
        if key in ours and _can_displace(key, item, ours[key])
    ]


def _can_displace(key: tuple[int, str], new: Item, old: Item) -> bool:
    """Before a noun any word tells it apart; after it, a verb may as well be of another clause."""
    side, beside = key
    if side == 1 or beside in _TELLING:
        return "_" not in new.text and not new.text.endswith("ing")
    return _class(new) == _class(old) in ("n", "a")


def _class(item: Item) -> str:
    """ "n", "v", "a" or "r" as a word usually is; "" where it is not known."""
    return "v" if item.text.endswith("ing") else wordnet.kind(stem(item))[:1]


def _beside(reading: Reading, chosen: list[Item]) -> dict[tuple[int, str], Item]:
    """The chosen items by the side and the stem of each neighbour that says something."""
    wanted = {id(item) for item in chosen}
    found: dict[tuple[int, str], Item] = {}
    for one, two in pairwise(reading.items):
        if id(one) in wanted and two.content:
            found[1, stem(two)] = one
        if id(two) in wanted and (one.content or one.text in _TELLING):
            found[-1, stem(one)] = two
    return found


_TELLING = frozenset({"further", "other", "another", "own", "following", "certain", "such"})


def _additions(
    source: Reading, rewrite: Reading, new: list[Item], gone: list[Item], aligned: Collection[tuple[int, int]]
) -> list[tuple[str, str]]:
    """New words that stand together, or that lengthen a list, where the source has lost fewer that they could stand for."""
    unknown = {id(item) for item in new}
    found = []
    for sentence in rewrite.sentences:
        number = sentence[0].sentence
        spare = sum((item.sentence, number) in aligned for item in gone) - sum(item.sentence == number for item in new)
        runs = _runs([item for item in sentence if item.content], unknown)
        together = [run for run in runs if len(run) >= TOGETHER or (len(run) == 2 and spare < 0)]
        found += [("addition", f"the rewrite adds {' '.join(item.text for item in run)!r}") for run in together]
        found += [("addition", f"the rewrite adds {told!r}") for told in _strange_clauses(sentence, unknown, source.meanings)]
        found += [
            ("addition", f"the rewrite gives a reason, {item.text!r}") for item in _reasons(sentence) if id(item) in unknown
        ]
        if not any(_is_noun(item) and (item.sentence, number) in aligned for item in gone):
            strange = [item for item in _conjuncts(sentence) if id(item) in unknown and _is_noun(item)]
            found += [("addition", f"the rewrite adds {item.text!r} to a list") for item in strange]
        joined_on = [item for item in _joined_on(sentence) if id(item) in unknown]
        found += [("addition", f"the rewrite adds {item.text!r}") for item in joined_on]
        if spare < 0:
            found += [("addition", f"the rewrite adds {item.text!r}") for item in _listed(sentence) if id(item) in unknown]
    return found


def _strange_clauses(sentence: list[Item], unknown: set[int], known: frozenset[str]) -> list[str]:
    """Clauses of two words of weight or more without one that the source surely says."""
    clauses: list[list[Item]] = [[]]
    for item in sentence:
        if item.kind == BREAK or item.symbol in _JOINS:
            clauses.append([])
        elif (item.content and item.text not in lexicon.words("anyone")) or item.quantity is not None:
            clauses[-1].append(item)
    return [
        " ".join(item.text for item in clause)
        for clause in clauses
        if len(clause) > 1
        and any(id(item) in unknown for item in clause)
        and not any(
            item.quantity is not None or any(meaning[0] != LOOSE for meaning in item.meanings & known) for item in clause
        )
    ]


_JOINS = frozenset({"AND", "OR", "BUT", "IF", "UNLESS", "BECAUSE"})


def _reasons(sentence: list[Item]) -> list[Item]:
    """The first content words after a "because"."""
    at = next((at for at, item in enumerate(sentence) if item.symbol == "BECAUSE"), len(sentence))
    return [item for item in sentence[at : at + 6] if item.content][:2]


def _runs(content: list[Item], chosen: set[int]) -> list[list[Item]]:
    """The chosen items in unbroken rows."""
    runs: list[list[Item]] = [[]]
    for item in content:
        if id(item) in chosen:
            runs[-1].append(item)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _listed(sentence: list[Item]) -> list[Item]:
    """The content words that stand alone between a conjunction and the end of a clause."""
    found = []
    for at, item in enumerate(sentence):
        if item.symbol in ("AND", "OR"):
            following = [each for each in sentence[at + 1 : at + 5] if each.kind != WORD or each.content]
            if following and following[0].content and (len(following) == 1 or following[1].kind in (BREAK, STOP)):
                found.append(following[0])
    return found


def _is_noun(item: Item) -> bool:
    return wordnet.kind(stem(item))[:1] == "n"


_COPULAS = frozenset({"is", "are", "was", "were"})


def _conjuncts(sentence: list[Item]) -> list[Item]:
    """The content words right after a conjunction, where a clause or their own ends with them: "and peanut oil"."""
    found = []
    for at, item in enumerate(sentence):
        if item.symbol in ("AND", "OR"):
            rest = [each for each in sentence[at + 1 : at + 6] if each.text not in ("a", "an", "the", "any")]
            end = next((k for k, each in enumerate(rest) if not each.content), len(rest))
            closed = end == len(rest) or rest[end].kind in (BREAK, STOP) or rest[end].text in _COPULAS
            found += rest[:end] if closed else []
    return found


def _joined_on(sentence: list[Item]) -> list[Item]:
    """What follows an "or" and a preposition: "or during illness"."""
    found = []
    for at, item in enumerate(sentence[:-2]):
        if item.symbol in ("AND", "OR") and sentence[at + 1].text in _PREPOSITIONS:
            following = next(each for each in sentence[at + 2 :] if each.symbol != "ALL" or each is sentence[-1])
            found += [following] if following.content else []
    return found


_PREPOSITIONS = frozenset({"during", "in", "on", "for", "with", "by", "at", "under", "after"})


def _left_out(joined: Joined, new: list[Item], gone: list[Item]) -> list[tuple[str, str]]:
    """Reasons of omission: sentences, clauses, conditions and items of a list."""
    source, rewrite, unsaid = joined.source, joined.rewrite, {id(item) for item in gone}
    otherwise = any(item.symbol == "OTHERWISE" for item in rewrite.items)  # stands for the condition before it
    often = Counter(meaning for item in source.content for meaning in item.meanings)
    found = _uncovered(source, rewrite, joined.aligned) + _dropped(source, gone)
    for sentence in source.sentences:
        if not otherwise:
            found += [("omission", f"the rewrite leaves out {told!r}") for told in _conditions(sentence, often, unsaid)]
        items = _items_of_lists(sentence) + [item for item in _joined_on(sentence) if _is_noun(item)]
        lacking = [item for item in items if id(item) in unsaid and item.text not in _IDIOMS and not _stood_for(item, new)]
        found += [("omission", f"the list lacks {item.text!r}") for item in lacking]
    return found


_IDIOMS = frozenset({"event", "case", "time", "way", "circumstances", "part"})  # "in any event"


def _stood_for(item: Item, new: list[Item]) -> bool:
    """Whether a new noun could say what a lost one does: of its kind, or of an unknown one."""
    kinds = {"", wordnet.kind(stem(item)), *wordnet.THINGS}
    return any(wordnet.kind(stem(each)) in kinds for each in new)


def _conditions(sentence: list[Item], often: Mapping[str, int], unsaid: set[int]) -> list[str]:
    """Conditions and exceptions none of whose own words, two or more, is said: what stands elsewhere too tells nothing."""
    found = []
    for at, item in enumerate(sentence):
        if item.symbol in ("IF", "UNLESS"):
            end = next((k for k in range(at + 1, len(sentence)) if sentence[k].kind in (BREAK, STOP)), len(sentence))
            clause = [each for each in sentence[at + 1 : end] if each.content]
            inside = Counter(meaning for each in clause for meaning in each.meanings)
            own = [each for each in clause if all(often[meaning] == inside[meaning] for meaning in each.meanings)]
            lacking = [each for each in own if id(each) in unsaid]
            if len(lacking) > 1 and all(id(each) in unsaid or acts_itself(each) for each in own):
                found.append(" ".join(each.text for each in sentence[at : min(end, at + 8)]))
    return found


def _items_of_lists(sentence: list[Item]) -> list[Item]:
    """The single nouns of "cameras, phones or sticks"."""
    return [
        item
        for before, item, after in zip(sentence, sentence[1:], sentence[2:])
        if item.content
        and _is_noun(item)
        and (before.text == "," or before.symbol in ("AND", "OR"))
        and (after.text == "," or after.symbol in ("AND", "OR"))
        and (before.text == "," or after.text == ",")
    ]


def _uncovered(source: Reading, rewrite: Reading, aligned: Collection[tuple[int, int]]) -> list[tuple[str, str]]:
    if len(source.content) > 2 and (share := coverage(source.content, rewrite)) < COVERAGE:
        return [("omission", f"the rewrite has {share:.0%} of the source's content words")]
    found = []
    answered = {number for number, _ in aligned}
    for sentence in source.sentences:
        content = [item for item in sentence if item.content]
        if len(content) >= 2 and sentence[0].sentence not in answered and coverage(content, rewrite) < COVERAGE:
            found.append(("omission", f"nothing in the rewrite answers {' '.join(item.text for item in sentence[:8])!r}"))
        elif len(content) >= 2 and (share := coverage(content, rewrite)) < SENTENCE_COVERAGE:
            start = " ".join(item.text for item in sentence[:8])
            found.append(("omission", f"the rewrite has {share:.0%} of the words of {start!r}"))
    return found


def _dropped(source: Reading, gone: list[Item]) -> list[tuple[str, str]]:
    """Lost words that stand together: a clause is left out."""
    unsaid = {id(item) for item in gone}
    return [
        ("omission", f"the rewrite leaves out {' '.join(item.text for item in run)!r}")
        for sentence in source.sentences
        for run in _runs([item for item in sentence if item.content], unsaid)
        if len(run) >= LOST
    ]
