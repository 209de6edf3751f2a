"""The words that complete a reference: "of this chapter", "of part 1 of this chapter", "of title 44, United States Code"."""

from __future__ import annotations

import re
from re import Pattern
from typing import NamedTuple

from pincite.references.lexicon import DASH, clean
from pincite.references.place import Here
from pincite.references.reading import Scan


class Above(NamedTuple):
    """What is named above a reference: tokens as printed, or "this". ``end`` is where the words end (where they would
    begin, if there are none)."""

    end: int
    title: str = ""
    chapter: str = ""
    subchapter: str = ""
    part: str = ""
    subpart: str = ""
    section: str = ""  # only "this"
    appendix: str = ""  # only "this"
    code: str = ""  # "cfr" or "usc" where the code itself is named

    def chapter_id(self, here: Here) -> str:
        return _joined(self.title_id(here), " CFR Chapter ", self.chapter, here.chapter if self._at(here) else "")

    def part_id(self, here: Here) -> str:
        return _joined(self.title_id(here), " CFR Part ", self.part, here.part if self._at(here) else "")

    def subpart_id(self, here: Here) -> str:
        return _joined(self.part_id(here), " Subpart ", self.subpart, here.subpart if self._at(here) else "")

    def title_id(self, here: Here) -> str:
        return self.title if self.title not in ("", "this") else here.title

    def _at(self, here: Here) -> bool:
        """Whether the place can complete what is left unsaid: not under another title."""
        return self.title_id(here) == here.title


def _joined(above: str, level: str, token: str, here: str) -> str:
    if token in ("", "this"):
        return here
    return above + level + token if above else ""


CODE = (
    r"(?:(?P<cfr>Code\s+of\s+Federal\s+Regulations|C\.?F\.?R\b\.?)"
    r"|(?P<usc>United\s+States\s+Code\b|U\.\s?S\.\s?C(?:ode\b|\.)|U\.S\.C\b|U\.\s?S\.\s+Code\b|USC\b))"
)
_TOKEN = rf"(?:\d{{1,4}}[a-z]{{0,2}}(?:{DASH}\d{{1,3}})?(?:\.\d{{1,4}})?|[A-Z]{{1,8}}[a-d]?)(?!\w|\.\d)"


_HEIGHT = {name: height for height, name in enumerate(reversed(Above._fields[1:-1]))}


def _step(links: str) -> Pattern[str]:
    return re.compile(
        rf"(?:,?\s+(?:{links})|,(?=\s+[Ss]ubtitle\s))\s+(?:the\s+same\s+|(?P<this>this)\s+)?"
        rf"(?:(?P<level>[Ss]ubpart|[Pp]art|[Ss]ubchapter|[Cc]hapter|[Ss]ubtitle|[Tt]itle|[Aa]ppendix|[Ss]ection)\b(?:\s+(?P<token>{_TOKEN}))?"
        r"|(?P<volume>\d{1,2})\s*(?:C\.?\s?F\.?\s?R\b\.?(?:\s+[Pp]art\s+(?P<part>\d{1,4}[a-z]{0,2})(?!\w|\.\d)|\s+[Cc]hapter\s+(?P<chapter>[IVX]{1,5})\b)?"
        r"|(?P<usc>U\.\s?S\.\s?C\.|USC\b)(?!\s*(?:§|\d|[Ss]ec|[Cc]h|[Aa]pp))))"
    )


_OF, _OF_OR_TO = _step("of|in|under"), _step("of|in|to")
_MAY_CLIMB = re.compile(r",?\s+(?:of|in|under|to|[Tt]itle|[Ss]ubtitle)\b")
_TITLED = re.compile(rf",?\s+(?:of\s+)?[Tt]itle\s+(?P<number>\d{{1,2}})(?!\w|\.\d)(?:,?\s+(?:of\s+the\s+|of\s+)?{CODE})?")


def above(scan: Scan, at: int, *, to: bool = False) -> Above:
    """What completes the reference that ends at *at*; *to*: "appendix A **to** part 800" counts."""
    if not _MAY_CLIMB.match(scan.text, at, scan.end):
        return Above(at)
    levels: dict[str, str] = {}
    end = at
    for _ in range(4):  # appendix of subpart of part of title: no chain is longer
        titled = scan.match(_TITLED, end)
        if titled:
            code = "cfr" if titled["cfr"] else "usc" if titled["usc"] else ""
            return Above(titled.end(), **{**levels, "title": titled["number"]}, code=code)
        step = scan.match(_OF_OR_TO if to else _OF, end)
        stop = _climb(step, levels) if step else None
        if stop is None:
            break
        end = stop
    return Above(end, **levels)


def _climb(step: re.Match[str], levels: dict[str, str]) -> int | None:
    """Notes one step up in *levels*; None where the words are no step after all ("in part", "of section 505")."""
    if step["volume"]:
        levels["title"] = step["volume"]
        if step["usc"]:
            levels["code"] = "usc"
        if step["part"]:
            levels["part"] = step["part"]
        if step["chapter"]:
            levels["chapter"] = step["chapter"]
        return step.end()
    level, token = step["level"].lower(), step["token"]
    if level == "subtitle":  # what is numbered through the whole title is cited without it
        return step.end()
    if _HEIGHT[level] <= max((_HEIGHT.get(known, 0) for known in levels), default=-1):
        return None  # "part 5 of this chapter, in part 6": the chain only climbs
    if step["this"]:
        levels[level] = "this"
        return step.end("level")
    if not token or level in ("section", "appendix") or (level == "title" and not token.isdigit()):
        return None
    numbered, token = token[0].isdigit(), clean(token)
    if "." in token:  # "of subpart 101-19.6"
        levels["part"] = token.partition(".")[0]
    elif (level == "part") != numbered and level != "chapter":
        return None
    levels[level] = token
    return step.end()
