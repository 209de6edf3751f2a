"""What every grammar module shares: the state of one scan, the reading of lists, and the naming of what was read.

A list's pieces are mentions of their own. The first piece takes the word or sign that opens the list, the last takes
the words that complete it: "§§ 211.101(c)" · "(d)" · "211.103" and "parts 210" · "211 of this chapter".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from re import Match, Pattern
from typing import NamedTuple

from pincite.model import Mention
from pincite.references.lexicon import DASH, DOTTED, NOT_A_VOLUME, PATH, PLAIN, REMARK, SEP, TO, clean, inherit, split_dash
from pincite.references.place import NOWHERE, Here, read_id


class Titled(NamedTuple):
    """Where the last "45 CFR part 164 ..." of a block ended, its title, and the node id it named last."""

    end: int
    title: str
    target: str

    @property
    def part(self) -> str:
        """The number of the part it named, "" where none."""
        return read_id(self.target).part.rpartition(" ")[2]


UNTITLED = Titled(-1, "", "")


class Scan:
    """One pass over one text: where reading may go (``end``), where it stands (``here``), what was found (``out``)."""

    __slots__ = ("end", "floor", "here", "named", "names", "near", "node_id", "out", "text", "titled")

    def __init__(self, text: str, node_id: str = "", here: Here = NOWHERE, names: Mapping[str, str] | None = None) -> None:
        self.text, self.end, self.floor, self.node_id, self.here = text, len(text), 0, node_id, here
        self.names: Mapping[str, str] = names or {}  # "act" -> "Federal Food, Drug, and Cosmetic Act"
        self.named: dict[str, set[Authority]] = {}  # "106" -> whose section 106 the text has named so far
        self.near = ""  # the last section named alone in this block: "In § 101.65, revise paragraph (d)"
        self.titled = UNTITLED
        self.out: list[Mention] = []

    def match(self, pattern: Pattern[str], at: int) -> Match[str] | None:
        """The pattern at exactly this offset, not reaching past the end of the block."""
        return pattern.match(self.text, at, self.end)

    def is_word(self, start: int, end: int) -> bool:
        """Whether no letter stands just before *start* or at *end*, within the block: the next block is another text."""
        text = self.text
        return not ((start > self.floor and text[start - 1].isalnum()) or (start < end < self.end and text[end].isalnum()))

    def joined(self, start: int) -> Titled:
        """The reference by title that this one is joined to: "45 CFR part 160 **and** subparts A and E of part 164"."""
        end = self.titled.end
        if not end <= start <= end + 16:
            return UNTITLED
        joined = _JOINED.fullmatch(self.text, end, start) or (not self.here.title and AGAIN.fullmatch(self.text, end, start))
        return self.titled if joined else UNTITLED

    def goes_on(self, start: int) -> bool:
        """Whether what stands at *start* goes on a list from the reference before: "subpart 9.4, part 31"."""
        end = self.out[-1].end if self.out else -1
        return 0 <= end <= start <= end + 16 and bool(_JOINED.fullmatch(self.text, end, start))

    def title_of(self, section: str, start: int) -> str:
        """The title of a section that stands without one: that of the reference it is joined to, or that goes on with the
        part named by title before ("49 CFR part 172, especially § 172.500"); "" where nothing says so."""
        titled, part = self.titled, section.partition(".")[0]
        if titled.end < 0 or self.here.part.endswith(f" Part {part}"):
            return ""
        if part == titled.part and titled.end <= start <= titled.end + _GOES_ON:
            return titled.title
        return self.joined(start).title


_GOES_ON = 300
"""How many characters on a part named by title still completes the sections that carry its number."""
AGAIN = re.compile(r"[,;.]?\s*(?:[Ss]ee(?:\s+also)?|[Cc]f\.|[Aa]ccord|[Ii]d\.(?:,|\s+at)?)?\s*")
"""Between a citation and a sign that goes on from it: "42 U.S.C. § 1983; see also § 1985", "29 CFR 5.1. Id. § 5.2"."""
_JOINED = re.compile(r"[,;:]?\s*(?:(?:and|or)\b)?\s*")


class Item(NamedTuple):
    """One piece of a list: its own characters, and what it names; ``last`` where it is a range."""

    start: int
    end: int
    name: str
    last: str | None = None


class Authority(NamedTuple):
    """How items are named: ``prefix + item.name``. No prefix means understood, but not to be completed, for ``reason``."""

    kind: str
    prefix: str | None
    status: str = "unresolved"
    reason: str = ""


_MAY_GO_ON = frozenset("aeinotuAT&[(§-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")  # and, et, in, nor, of, to, under, "(", ...
_MAY_FOLLOW = frozenset(",; \n\t\r\u00a0\u2009\u202f-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")


def ended(scan: Scan, end: int) -> bool:
    """Whether nothing that follows can belong to the reference: two characters show it for most, and cost no pattern."""
    if end >= scan.end:
        return True
    first = scan.text[end]
    if first == " ":
        second = scan.text[end + 1 : end + 2]
        return second not in _MAY_GO_ON and second.islower()
    return first not in _MAY_FOLLOW and not first.isspace()


_LONG = 20


def passed_over(items: list[Item]) -> int:
    """Where reading goes on after a list that is no reference: -1, and near the end of a long one. What completes none of a
    long list completes none of its tails, and so the time for a text stays in proportion to it."""
    return items[-_LONG // 2].start if len(items) > _LONG else -1


def put(scan: Scan, authority: Authority, items: list[Item], start: int, end: int) -> int:
    """One mention for each item; the first begins at *start*, the last ends at *end*, which is returned."""
    left, text, out, make = start, scan.text, scan.out, tuple.__new__
    kind, prefix, status, reason = authority
    final = len(items) - 1
    for index, (item_start, item_end, name, last) in enumerate(items):
        if index:
            left = item_start
        right = item_end if index < final else end
        target = target_end = None
        if prefix is not None:
            target = prefix + name
            target_end = prefix + last if last else None
        out.append(make(Mention, (left, right, text[left:right], kind, target, target_end, status, (), reason, "")))
    return end


def put_one(scan: Scan, kind: str, target: str, start: int, end: int) -> int:
    """One mention with its target: what nearly every reference comes to."""
    mention = tuple.__new__(Mention, (start, end, scan.text[start:end], kind, target, None, "unresolved", (), "", ""))
    scan.out.append(mention)
    return end


def cfr(title: str, reason: str = "") -> Authority:
    """The sections of a CFR title; no title, no target."""
    return Authority("cfr", f"{title} CFR ", "unresolved", reason) if title else Authority("cfr", None, "unresolved", NO_TITLE)


NO_TITLE = "no title is known here to complete it with"


# --- sections with designators: "211.101(c) or (d), 211.103" ---------------------------------------------------------

_AGAIN = r"((?:§{1,2}\s*|[Ss]ections?\s+|[Ss]ecs?\.\s+)?)"


def _item(number: str) -> Pattern[str]:
    return re.compile(rf"({number})({PATH})?")


def _next(number: str, separator: str = SEP) -> Pattern[str]:
    return re.compile(rf"(?:({TO})|{separator}){_AGAIN}(?:((?:{number}){NOT_A_VOLUME})({PATH})?|({PATH}))")


_SEMICOLON = rf"{SEP}|\s*;\s*(?:(?:and|or)\s+)?(?=(?:§{{1,2}}\s*)?{DOTTED})"  # "§§ 192.485(c); 192.632(a)"
MORE_PLAIN = rf"{PLAIN}|(?<=[\s,]){DASH}\d{{1,4}}[a-z]{{0,2}}(?!\w|\.\d|%)"  # "1395w-114, and -115"
FIRST_DOTTED, NEXT_DOTTED = _item(DOTTED), _next(rf"{DOTTED}|\.\d{{1,4}}(?!\w|\.\d)", _SEMICOLON)
FIRST_PLAIN, NEXT_PLAIN = _item(PLAIN), _next(MORE_PLAIN)


def numbers(scan: Scan, at: int, first: Pattern[str], following: Pattern[str]) -> tuple[list[Item], int]:
    """A list of section numbers with designators from *at* on, and where it ends; no items where none begins there."""
    found = first.match(scan.text, at, scan.end)
    return numbers_from(scan, found, following) if found else ([], at)


def put_with_sections(
    scan: Scan, authority: Authority, items: list[Item], start: int, end: int, opening: Pattern[str], of_another: Pattern[str]
) -> int:
    """As ``put``; the sections that *opening* announces after the last item are mentions of their own, the first from there on.

    Where *of_another* follows them, they are sections of what comes next.
    """
    announced = scan.match(opening, end)
    sections, stop = numbers(scan, announced.end(), FIRST_PLAIN, NEXT_PLAIN) if announced else ([], end)
    if not sections or scan.match(of_another, stop):
        return put(scan, authority, items, start, end)
    if len(items) > 1:
        put(scan, authority, items[:-1], start, items[-2].end)
        start = items[-1].start
    inside = authority._replace(prefix=f"{authority.prefix}{items[-1].name} § ")
    return put(scan, inside, sections, start, stop)


def numbers_from(scan: Scan, found: Match[str], following: Pattern[str]) -> tuple[list[Item], int]:
    """A list of section numbers whose first is already matched: number in group 1, designators in group 2."""
    number, path = clean(found[1]), found[2]
    path = clean(path) if path else ""
    end, last = found.end(), None
    if "-" in number and "." not in number:
        number, last = split_dash(number)
    items = [Item(found.start(1), end, number, last + path) if last else Item(found.start(1), end, number + path)]
    if ended(scan, end):
        return items, end
    match, text, limit = following.match, scan.text, scan.end
    while (
        again := match(text, end, limit)
        or _remarked(scan, end, following)
        or _set_aside(scan, end, following, items, number, path)
    ):
        if again[5] and not path and again.start() > end:  # "192.907 introductory text, (b)"
            path = clean(again[5])
            item: Item | None = Item(again.start(2), again.end(), number + path)
        else:
            number, path, item = _continued(again, number, path)
        if item is None:
            break
        end = item.end
        before = items[-1]
        if again[1] and not before.last:
            items[-1] = Item(before.start, end, before.name, item.last or item.name)
        else:
            items.append(item)
    return items, end


_REMARKS = (" intro", ", intro", ", inclusive", " (")
"""How a remark begins, when its words are on one line: a look that costs no pattern."""


def _remarked(scan: Scan, end: int, following: Pattern[str]) -> Match[str] | None:
    """How a list goes on after a remark on its last item, "introductory text"."""
    if not scan.text.startswith(_REMARKS, end):
        return None
    remark = scan.match(REMARK, end)
    return scan.match(following, remark.end()) if remark else None


_ASIDE = re.compile(
    r"\s\((?:(?:except|excluding|including|other\s+than)(?:\s+for)?\s+"
    rf"(?:(?P<paths>{PATH}(?:{SEP}{PATH}){{0,8}})|(?P<shown>(?:§{{1,2}}\s*)?(?P<number>{DOTTED})(?P<path>(?:{PATH})?)))"
    r"|[^()\d§]{2,90}(?:\([^()\d§]{1,40}\)[^()\d§]{0,40})?)\)"
)
_SEVERAL = re.compile(r"(?:§§|[Ss]ections|[Ss]ecs\.)\s*$")


def _set_aside(scan: Scan, end: int, following: Pattern[str], items: list[Item], number: str, path: str) -> Match[str] | None:
    """How a list goes on after words in brackets: "§§ 778.113 (the usual method), 778.114"; "264.573 (except 264.573(a)(4)),
    264.574" and "(b) through (d) (except (d)(1)), and (f)", whose exceptions become items. Numbers without a point go on only
    where several sections are announced."""
    aside = scan.match(_ASIDE, end) if scan.text.startswith(" (", end) else None
    again = scan.match(following, aside.end()) if aside else None
    if not aside or not again or again[1]:
        return None
    if again[5] and not (path and scan.text.startswith(",", again.start())):
        return None
    if again[3] and "." not in again[3] and not _SEVERAL.search(scan.text, max(0, items[0].start - 10), items[0].start):
        return None
    if aside["paths"]:
        for each in FIRST_PATH.finditer(scan.text, *aside.span("paths")):
            within = clean(each[0])
            whole = (inherit(path, within) or path + within) if path else within
            items.append(Item(each.end() - len(each[0].lstrip()), each.end(), number + whole))
    if aside["number"]:
        items.append(Item(*aside.span("shown"), clean(aside["number"]) + clean(aside["path"])))
    return again


def _continued(found: Match[str], number: str, path: str) -> tuple[str, str, Item | None]:
    """The next item of a list, and the number and path that the item after it inherits from."""
    if found[5]:
        inherited = inherit(path, clean(found[5])) if path else None
        if inherited is None:
            return number, path, None
        return number, inherited, Item(found.start(2), found.end(), number + inherited)
    if not found[3][0].isalnum() and found[3][0] != ".":  # "1395w-114, and -115"
        if "-" not in number:
            return number, path, None
        number, last = number.rpartition("-")[0] + clean(found[3]), None
    elif found[3][0] == ".":  # "200.501 through .507"
        number, last = number.partition(".")[0] + found[3], None
    else:
        number, last = split_dash(clean(found[3])) if "." not in found[3] else (clean(found[3]), None)
    path = clean(found[4]) if found[4] else ""
    if last:
        return last, path, Item(found.start(2), found.end(), number, last + path)
    return number, path, Item(found.start(2), found.end(), number + path)


# --- designators alone: "(a) through (c) and (e)" --------------------------------------------------------------------

FIRST_PATH = re.compile(PATH)
_EXCEPT = r",?\s+(?:except(?:\s+for)?|other\s+than|excluding|including)\s+"
NEXT_PATH = re.compile(rf"(?:({TO})|{_EXCEPT}|{SEP})((?:(?:sub)?paragraphs?\s+)?)({PATH})")
_BRACKETED = re.compile(rf"\s\((?:except(?:\s+for)?|other\s+than|including)\s+({PATH})\)")
"""The bracket in "(a) through (c) (except for (b)(2)) and (e)"."""
_GOES_UP = re.compile(r",?\s+(?:of|in|under)\b")


def paths(scan: Scan, at: int) -> tuple[list[Item], int]:
    """A list of paragraph designators; each item's name is its whole path."""
    text, limit = scan.text, scan.end
    first = FIRST_PATH.match(text, at, limit)
    if not first:
        return [], at
    path, end = clean(first[0]), first.end()
    items = [Item(at, end, path)]
    if ended(scan, end) or text.startswith(" of this ", end):
        return items, end
    while found := NEXT_PATH.match(text, end, limit) or _remarked(scan, end, NEXT_PATH):
        inherited = inherit(path, clean(found[3]))
        if inherited is None:
            break
        path, end = inherited, found.end()
        if found[1] and not items[-1].last:
            items[-1] = Item(items[-1].start, end, items[-1].name, path)
        else:
            items.append(Item(found.start(2), end, path))
        bracketed = scan.match(_BRACKETED, end) if text.startswith(" (", end) else None
        if bracketed and (inherited := inherit(path, clean(bracketed[1]))):
            items.append(Item(bracketed.start(1), bracketed.end(1), inherited))
            end = bracketed.end()
    closed = end == items[-1].end or scan.match(_GOES_UP, end)
    end = end if closed else items[-1].end
    return (_over_semicolons(scan, items, end, path) or (items, end)) if text.startswith(";", end) else (items, end)


_SEMICOLONS = re.compile(rf"(?:({TO})|\s*;\s*(?:and\s+|or\s+)?|{SEP})({PATH})")
_OF_SECTION = re.compile(r"\s+(?:of|in)\s+(?:this\s+section\b|§)")


def _over_semicolons(scan: Scan, items: list[Item], end: int, path: str) -> tuple[list[Item], int] | None:
    """A list that goes on over semicolons to the section it is of: "(b)(5), (6); (e)(1), (3); and (n) of § 1910.179". Otherwise
    None, since "; (2) the ..." may be the next item of a sentence."""
    further = list(items)
    while found := scan.match(_SEMICOLONS, end):
        inherited = inherit(path, clean(found[2]))
        if inherited is None:
            return None
        path, end = inherited, found.end()
        start = found.start(2) + len(found[2]) - len(found[2].lstrip())
        if found[1] and not further[-1].last:
            further[-1] = Item(further[-1].start, end, further[-1].name, path)
        else:
            further.append(Item(start, end, path))
    return (further, end) if len(further) > len(items) and scan.match(_OF_SECTION, end) else None


# --- bare tokens: "600 through 680", "B, C, or D" --------------------------------------------------------------------


class Tokens(NamedTuple):
    """How one kind of token is read, first and in a list."""

    first: Pattern[str]
    following: Pattern[str]


def tokens(token: str, again: str = "", before: str = "") -> Tokens:
    """The list of *token*, whose opening word may be repeated as *again*, after *before* ("part 121 or under part 135")."""
    repeated = rf"{before}((?:{again})?)" if again else "()"
    return Tokens(re.compile(rf"({token})"), re.compile(rf"(?:({TO})|{SEP}){repeated}({token}){NOT_A_VOLUME}"))


def listed(scan: Scan, at: int, kind: Tokens, *, dashes: bool = False) -> tuple[list[Item], int]:
    """A list of tokens from *at* on; *dashes*: a dash inside a token may make it a range."""
    found = scan.match(kind.first, at)
    if not found:
        return [], at
    items = [_token(found.start(), found.end(), found[1], dashes)]
    while found := scan.match(kind.following, items[-1].end):
        item = _token(found.start(2), found.end(), found[3], dashes)
        if found[1] and not items[-1].last:
            items[-1] = Item(items[-1].start, item.end, items[-1].name, item.last or item.name)
        else:
            items.append(item)
    return items, items[-1].end


def _token(start: int, end: int, token: str, dashes: bool) -> Item:
    name, last = split_dash(clean(token)) if dashes else (clean(token), None)
    return Item(start, end, name, last)
