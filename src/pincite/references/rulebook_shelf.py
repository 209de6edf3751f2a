"""Which document a name stands for, and which passage a number: learned from the corpus itself, no list of works.

Three kinds of evidence decide what "COBS" is: a document that names itself ('This Rulebook ("COBS")'), a definition
('Conduct of Business Rulebook (COBS)') whose words are a document's title, and structure: of all documents, the one that
has the numbers cited after the name, at places that speak of the same things as the sentences that cite them.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pincite.model import Mention, Place
from pincite.references.rulebook import CONTAINERS, UNITS, find

_MINIMUM_NUMBERS = 5  # distinct numbers cited after a name before structure alone may speak
_MINIMUM_SHARE = 0.5  # of them that its document must have
_MINIMUM_AGREEMENT = 0.06  # mean cosine between the citing sentences and the places cited
_MINIMUM_LEAD = 2.5  # by which the best document's agreement must exceed the next one's
_DEFAULT_NUMBER = 3  # named references before a document has a default work
_DEFAULT_SHARE = 0.6  # of a document's named integer references that one work must have to complete its bare ones


class Provision(NamedTuple):
    """A passage as the shelf sees it. ``label`` is its own number within the document: "3.10.9.Guidance.1.", "s.48P(4)"."""

    document: str
    label: str
    text: str
    title: str = ""


class Label(NamedTuple):
    """A parsed label: the containers it names, its number with brackets, and what follows ("Guidance 1")."""

    containers: tuple[tuple[str, str], ...]
    number: str
    note: str


class Work(NamedTuple):
    """One document's addresses: positions in the corpus by number and by container, in document order."""

    numbers: dict[str, list[int]]  # "3.10.9", "233(2)", "schedule 1: 5(1)"
    containers: dict[str, list[int]]  # "part 19", "part 19: chapter 2"
    pieces: dict[str, int]  # a number that only exists in parts -> the first of them
    headed: set[str]  # numbers that can be a chapter's: not the running paragraph numbers "12)"
    order: list[tuple[str, int]]  # every number in document order


class Shelf(NamedTuple):
    """The works of a corpus: ``works`` by document, ``names`` (folded abbreviation or title) to document."""

    works: dict[str, Work]
    names: dict[str, str]
    defaults: dict[tuple[str, str], str]  # (document, "rule" or "section") -> the document its bare foreign numbers mean


_CONTAINER = re.compile(
    r"(?:(part|chapter|schedule|app(?:endix)?|annex|section)\b[\s.]*|(app)(?=[A-Z]?\d))(?:([A-Z]?\d+[A-Z]?|[IVXLC]+)(?=$|[\s.:,)]))?[\s.:,]*",
    re.I,
)
_NUMBER = re.compile(
    r"([A-Z]?\d+[A-Z]{0,2}|[A-Z](?=\.))((?:\.{1,2}(?:[A-Z]?\d+[A-Z]{0,2}|[A-Z](?=[.]|$)))*)\.?((?:\s?\.?\([0-9A-Za-z]{1,5}\))*)\)?"
)
_CITED = re.compile(r"(?:§+|\bss?\.|\bsection|\bCFR|\brule|\bart(?:icle|\.))\s*(?=[A-Z]?\d)", re.I)
_SCOPES = frozenset({"schedule", "appendix", "annex"})
_MOST_PIECES = 3  # passages of one address that are returned: a heading row and a text row with one number
_FOREIGN = frozenset({"section", "part", "article", "regulation", "paragraph"})  # kinds that may mean the default work
_UNIT_NAMES = {"app": "appendix"}


def parse_label(label: str) -> Label:
    """The address a label writes.

    >>> parse_label("Part 19.Chapter 2.233.(2)")
    Label(containers=(('part', '19'), ('chapter', '2')), number='233(2)', note='')
    >>> parse_label("PDPA s.48P(4)").number
    '48P(4)'
    """
    rest = label.strip()
    cited = _CITED.search(rest)
    if cited and not _CONTAINER.match(rest):
        rest = rest[cited.end() :]
    containers: list[tuple[str, str]] = []
    while (match := _CONTAINER.match(rest)) and match.end():
        kind = (match[1] or match[2]).lower()
        containers.append((_UNIT_NAMES.get(kind, kind), (match[3] or "").upper()))
        rest = rest[match.end() :]
    match_number = _NUMBER.match(rest)
    if not match_number:
        return Label(tuple(containers), "", rest.strip(" ."))
    base = match_number[1] + match_number[2].replace("..", ".")
    subs = re.sub(r"[\s.]", "", match_number[3]).removesuffix("(0)")
    return Label(tuple(containers), base + subs, rest[match_number.end() :].strip(" ."))


def steps(label: Label) -> tuple[str, ...]:
    """A label from the outside in: ("part 19", "chapter 2", "233", "(2)")."""
    base, *subs = label.number.replace("(", " (").split(" ") if label.number else [""]
    numbers = [part for part in base.split(".") if part]
    notes = [part for part in label.note.replace(" ", ".").split(".") if part]
    return (*(f"{kind} {number}" for kind, number in label.containers), *numbers, *subs, *notes)


def shelve(provisions: Sequence[Provision], mentions: Sequence[Sequence[Mention]] | None = None) -> Shelf:
    """The shelf of a corpus. Learning reads every text once, and finds its references unless they are given."""
    works = _works(provisions)
    names = _titles(provisions)
    found = mentions if mentions is not None else [find(provision.text, Place()) for provision in provisions]
    learned = _Learner(provisions, works, found)
    for name, document in learned.names(names).items():
        names.setdefault(name, document)
    return Shelf(works, names, learned.defaults(names))


_FILLERS = frozenset({"the", "of", "and", "&", "rulebook", "rules", "rule"})
_GENERIC = frozenset(
    {"this", "that", "these", "those", "regulations", "regulation", "act", "law", "guidance", "manual", "code", "general"}
)


def fold(name: str) -> str:
    """A name as the shelf keys it: lower case, words only, no article; "" for a word that names no work."""
    words = re.findall(r"[a-z0-9&]+", name.lower().replace("’s", "").replace("'s", ""))
    kept = [word for word in words if word not in _FILLERS]
    return "" if all(word in _GENERIC for word in kept) else " ".join(kept)


def _works(provisions: Sequence[Provision]) -> dict[str, Work]:
    works: dict[str, Work] = {}
    for position, provision in enumerate(provisions):
        work = works.setdefault(provision.document, Work({}, {}, {}, set(), []))
        label = parse_label(provision.label)
        path = ""
        for kind, number in label.containers:
            path = f"{path}: {kind} {number}" if path else f"{kind} {number}"
            for key in dict.fromkeys((path, f"{kind} {number}")):
                work.containers.setdefault(key, []).append(position)
        if label.number:
            apart = label.number[0].isdigit()  # "A4.6.14" says which appendix it is in; "5" inside a schedule does not
            scope = next((f"{kind} {number}: " for kind, number in label.containers if apart and kind in _SCOPES), "")
            number = scope + label.number
            work.numbers.setdefault(number, []).append(position)
            work.order.append((number, position))
            if not provision.label.rstrip().endswith(")") and not label.note:
                work.headed.add(number)
            for cut in re.finditer(r"[.(]", label.number):
                work.pieces.setdefault(scope + label.number[: cut.start()], position)
    return works


def _titles(provisions: Iterable[Provision]) -> dict[str, str]:
    """Names that documents carry themselves: the ``document`` value, a title, a label that is no number."""
    names: dict[str, str] = {}
    for provision in provisions:
        names.setdefault(fold(provision.document), provision.document)
        label = parse_label(provision.label)
        if not label.number and not label.containers and len(provision.label.split()) > 1:
            names.setdefault(fold(provision.label), provision.document)
    return {name: document for name, document in names.items() if name}


_DEFINITION = re.compile(
    r"((?:[A-Z][\w&’'-]*,?\s+(?:(?:and|of|the|for|on|to|in|&|–|-)\s+)*){1,9}(?:\d{4}\s*)?)\(\s*(?:the\s+|collectively\s+)?[\"“”']?([A-Z][A-Z&]{1,9})[\"“”']?\s*\)"
)
_SELF_NAME = re.compile(
    r"(?:[Tt]his|[Tt]he\s+[Rr]ules\s+in\s+this|[Tt]hese)\s+(?:[Rr]ulebook|[Rr]ules|[Rr]egulations?|[Gg]uidance|[Mm]anual|document|[Cc]ode|[Aa]ct|[Ll]aw)\s*"
    r"(?:\([\"“”']?([A-Z][A-Z&]{1,9})[\"“”']?\)|(?:may\s+be\s+cited\s+as|is\s+called|is)\s+the\s+((?:[A-Z][\w&’'-]*\s+(?:and\s+|of\s+|&\s+)?){1,8}(?:\d{4})?)(?:[\s(\"“”']*([A-Z]{2,9})\b)?)"
)
_SELF_RANGE = 40  # a document names itself among its first passages, if at all


class _Learner:
    """Reads the corpus once and answers what its names mean."""

    def __init__(self, provisions: Sequence[Provision], works: dict[str, Work], mentions: Sequence[Sequence[Mention]]) -> None:
        self.provisions, self.works, self.mentions = provisions, works, mentions
        self.cited: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))  # name -> number -> words
        self.from_document: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)  # (document, family) -> names cited
        self.aliases: dict[str, Counter[str]] = defaultdict(Counter)  # abbreviation -> folded long names
        self.own: dict[str, str] = {}
        self.frequency: Counter[str] = Counter()
        self._read()

    def _read(self) -> None:
        seen: Counter[str] = Counter()
        for provision, mentions in zip(self.provisions, self.mentions, strict=True):
            words = _words(provision.text)
            self.frequency.update(set(words))
            seen[provision.document] += 1
            if seen[provision.document] <= _SELF_RANGE:
                self._own_names(provision)
            for match in _DEFINITION.finditer(provision.text):
                self.aliases[match[2]][fold(match[1])] += 1
            for mention in mentions:
                self._count(mention, provision, words)

    def _own_names(self, provision: Provision) -> None:
        for match in _SELF_NAME.finditer(provision.text):
            for name in match.groups():
                if name:
                    self.own.setdefault(fold(name), provision.document)

    def _count(self, mention: Mention, provision: Provision, words: list[str]) -> None:
        name, _, local = (mention.target_node_id or "").partition(": ")
        if local and name.split(" ")[0] not in UNITS:
            self.cited[fold(name)][local].update(set(words))
            self.from_document[provision.document, _family_of(mention.kind)][fold(name)] += 1

    def names(self, titles: dict[str, str]) -> dict[str, str]:
        """Every name that could be given a document, the surest evidence first."""
        found = dict(self.own)
        groups = self._groups()
        for group in groups:
            known = [titles.get(name) or found.get(name) for name in group]
            document = next((document for document in known if document), None) or self._by_structure(group)
            if document:
                for name in group:
                    found.setdefault(name, document)
        return found

    def _groups(self) -> list[set[str]]:
        """Names that mean the same work: an abbreviation with the long names it is defined as, most cited first."""
        groups: list[set[str]] = []
        grouped: set[str] = set()
        for abbreviation, longs in self.aliases.items():
            group = {fold(abbreviation), *longs} - {""}
            groups.append(group)
            grouped |= group
        groups += [{name} for name in self.cited if name not in grouped]
        return sorted(groups, key=lambda group: -sum(len(self.cited.get(name, {})) for name in group))

    def _by_structure(self, group: set[str]) -> str | None:
        """The document that has the numbers cited after these names, where it leads clearly."""
        cited: dict[str, Counter[str]] = defaultdict(Counter)
        for name in group:
            for local, words in self.cited.get(name, {}).items():
                cited[local].update(words)
        if len(cited) < _MINIMUM_NUMBERS:
            return None
        scores = sorted(((self._fit(cited, work), document) for document, work in self.works.items()), reverse=True)
        (agreement, share), best = scores[0]
        second = scores[1][0][0] if len(scores) > 1 else 0.0
        clear = share >= _MINIMUM_SHARE and agreement >= max(_MINIMUM_AGREEMENT, _MINIMUM_LEAD * second)
        return best if clear else None

    def _fit(self, cited: dict[str, Counter[str]], work: Work) -> tuple[float, float]:
        """(agreement of words at the places cited, share of the numbers there) of one document."""
        hits, agreement = 0, 0.0
        for local, words in cited.items():
            positions = locate(work, local)
            if positions:
                hits += 1
                target = Counter(_words(" ".join(self.provisions[p].text for p in positions[:3])))
                agreement += self._agreement(words, target)
        return agreement / len(cited), hits / len(cited)

    def _agreement(self, left: Counter[str], right: Counter[str]) -> float:
        """Cosine of inverse-document-frequency weights of two word sets."""
        weight = {word: math.log(1 + len(self.provisions) / (1 + self.frequency[word])) ** 2 for word in {*left, *right}}
        shared = sum(weight[word] for word in left.keys() & right.keys())
        norm = math.sqrt(sum(weight[word] for word in left) * sum(weight[word] for word in right))
        return shared / norm if norm else 0.0

    def defaults(self, names: dict[str, str]) -> dict[tuple[str, str], str]:
        """Per document and family, the work that most of its named references mean, if that is one work."""
        result: dict[tuple[str, str], str] = {}
        for (document, family), counts in self.from_document.items():
            targets: Counter[str] = Counter()
            for name, number in counts.items():
                if name in names and names[name] != document:
                    targets[names[name]] += number
            if targets:
                target, number = targets.most_common(1)[0]
                if number >= max(_DEFAULT_NUMBER, _DEFAULT_SHARE * sum(targets.values())):
                    result[document, family] = target
        return result


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]{3,}", text.lower())


def locate(work: Work, local: str) -> list[int]:
    """Positions of a local address ("4.13.5(a)", "part 19", "appendix 4: A4.3.2").

    A number that only exists in pieces is its first piece; one that is a paragraph inside a passage is that passage.
    """
    kind, _, number = local.partition(" ")
    if kind in CONTAINERS and ": " not in local:
        inside = work.containers.get(f"{kind} {number.upper()}")
        if inside or kind != "chapter":
            return (inside or [])[:1]
        return work.numbers[number][:_MOST_PIECES] if number in work.headed else []
    alone = local.split(": ")[-1]
    candidates = [local, re.sub(r"\.([A-Z])(?=[.(]|$)", r"\1", local)]
    if alone[0].isalpha():
        candidates.append(alone)  # "appendix 4: A4.2.1" is A4.2.1 wherever it stands
    for candidate in candidates:
        found = _locate_number(work, candidate)
        if found:
            return found
    return []


def _locate_number(work: Work, number: str) -> list[int]:
    while True:
        if number in work.numbers:
            return work.numbers[number][:_MOST_PIECES]
        if number in work.pieces:
            return [work.pieces[number]]
        shorter = re.sub(r"\([^()]*\)$", "", number)
        if shorter == number or not shorter:
            return []
        number = shorter


def resolve(mention: Mention, document: str, shelf: Shelf, label: str = "") -> tuple[str, tuple[int, ...]]:
    """(status, positions) of a mention standing in *document* at *label*: resolved, out_of_corpus or unresolved.

    A range's positions are all that lie between its ends in document order.
    """
    name, local = _split(mention.target_node_id or "")
    if name and fold(name) != fold(document):
        target = named(name, shelf)
        if target is None:
            return "out_of_corpus", ()
        positions = _in_work(mention, local, target, shelf)
    else:
        positions = _at_home(mention, local, document, label, shelf)
    return ("resolved", positions) if positions else ("unresolved", ())


def _at_home(mention: Mention, local: str, document: str, label: str, shelf: Shelf) -> tuple[int, ...]:
    """Positions of a reference that names no work: in its own schedule or document, or the work that is about."""
    if mention.kind == "paragraph" and label:
        scope = next((f"{kind} {number}: " for kind, number in parse_label(label).containers if kind in _SCOPES), "")
        if scope and (positions := _in_work(mention, scope + local, document, shelf, scope)):
            return positions
    positions = _in_work(mention, local, document, shelf)
    default = shelf.defaults.get((document, _family_of(mention.kind)))
    if positions or default is None or mention.reason == "self" or mention.kind in CONTAINERS - {"chapter"}:
        return positions
    return _in_work(mention, local, default, shelf)


def _family_of(kind: str) -> str:
    return "section" if kind in _FOREIGN else "rule"


def named(name: str, shelf: Shelf) -> str | None:
    """The document a name stands for; words before the name ("ADGM Insolvency Regulations") are passed over."""
    words = fold(name).split()
    return next(
        (
            shelf.names[key]
            for i in range(len(words))
            if (key := " ".join(words[i:])) in shelf.names and (i == 0 or i < len(words) - 1)
        ),
        None,
    )


def _split(node: str) -> tuple[str, str]:
    head, _, tail = node.partition(": ")
    return ("", node) if not tail or head.split(" ")[0] in CONTAINERS else (head, tail)


def _in_work(mention: Mention, local: str, document: str, shelf: Shelf, scope: str = "") -> tuple[int, ...]:
    work = shelf.works.get(document)
    if work is None or not local:
        return ()
    first = locate(work, local)
    if not first or not mention.target_end_node_id:
        return tuple(first)
    last = locate(work, scope + _split(mention.target_end_node_id)[1])
    if not last or last[0] < first[0]:
        return tuple(first)
    depth = local.count(".") + local.count("(")
    return tuple(p for key, p in work.order if first[0] <= p <= last[0] and key.count(".") + key.count("(") <= depth) or tuple(
        first
    )
