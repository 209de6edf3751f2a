"""How divisions of the Code are cited: ``21 CFR Part 211 Subpart B``, ``36 CFR Part 800 Appendix A``."""

from __future__ import annotations

import re

from pincite.model import Source

_HINTED_TITLE = re.compile(r"title[-_ ]?(\d{1,2})(?!\d)|(?<!\d)(\d{1,2})[-_ ]?cfr", re.IGNORECASE)
_SECTION_HEAD = re.compile(r"§{1,2}\s*([\w.:()-]+(?:[-–—.]\w+)*)\s*(.*)", re.DOTALL)
_DIVISION_HEAD = re.compile(
    r"((?:title|subtitle|chapter|subchapter|parts?|subpart)\s+[\w–.-]+)\s*(?:[—:–-]+\s*)?(.*)", re.IGNORECASE | re.DOTALL
)
_APPENDIX = re.compile(
    r"(?P<name>.+?)\s+to\s+(?:subpart\s+(?P<subpart>[\w.-]+)\s+(?:\[[^\]]*\]\s+)?(?:of|to)\s+)?(?:\d+\s+CFR\s+)?part\s+(?P<part>[\w-]+)",
    re.IGNORECASE | re.DOTALL,
)
_TO_SECTION = re.compile(r"(?P<name>.+?)\s+to\s+(?:section\s+)?(?P<section>\d+[a-z]?\.\d[\w.()-]*)$", re.IGNORECASE | re.DOTALL)
_TO = re.compile(r"\s+to(?:\s+(?:subpart|subchapter|chapter|subtitle|title|§+)\b.*)?$", re.IGNORECASE | re.DOTALL)
_AFTER_NAME = re.compile(r"\s*[—:]|\s+\[reserved\]|\s+-\s+", re.IGNORECASE)
_IN_PATH = re.compile(r"(subtitle|chapter|subchapter|part|subpart)-([\w.-]+)")
_DASHES = str.maketrans("–—‑−", "----")

ABOVE: dict[str, tuple[str, ...]] = {
    "subtitle": (),
    "chapter": (),  # numbered through the whole title, and cited without its subtitle
    "subchapter": ("chapter",),
    "subpart": ("part",),
}
"""Kind -> the kinds it is cited below; any other is cited below whatever it stands in."""


def title_hint(source: Source) -> str:
    """The title's number from where the file lies or what it is called, "" where neither says."""
    for text in (source.path, source.document_id, source.uri):
        if match := _HINTED_TITLE.search(text):
            return match.group(1) or match.group(2)
    return ""


def above_in_path(title: str, kind: str, path: str) -> str:
    """The citation of what a lone division is cited below, from a path: ``/title-21/part-211/subpart-A``."""
    levels = dict(_IN_PATH.findall(path))
    levels.pop(kind, None)
    if "part" in levels and kind in ("subpart", "subject_group", "appendix"):
        above = f"{title} CFR Part {levels['part']}"
        return f"{above} Subpart {levels['subpart']}" if "subpart" in levels else above
    if "chapter" in levels and kind == "subchapter":
        return f"{title} CFR Chapter {levels['chapter']}"
    return ""


def number_of(printed: str, kind: str, head: str) -> str:
    """A division's number as it is cited: without "§", with plain hyphens."""
    if (printed.isalnum() or (kind == "section" and printed.replace(".", "0").isdigit())) and printed != "0":
        return printed
    number = " ".join(printed.replace("§", "").translate(_DASHES).split())
    if kind == "section":
        match = None if number else _SECTION_HEAD.match(head)
        return match.group(1).translate(_DASHES) if match else number.replace(" - ", "-")
    if kind in ("chapter", "subtitle") and number in ("", "0"):
        match = _DIVISION_HEAD.match(head)
        number = match.group(1).split()[-1] if match else number
    if kind == "appendix" and not (_APPENDIX.match(number) or _TO_SECTION.match(number)):
        named = _appendix_name(head)  # the bulk dialect's N is "Appendix A", "Appendix to" or empty
        return named if named and (number in ("", "Appendix to") or _APPENDIX.match(named)) else number
    return number


def _appendix_name(head: str) -> str:
    """What an appendix is called by its heading: up to the dash, "[Reserved]" or a colon."""
    return _AFTER_NAME.split(" ".join(head.replace("§", "").split()), maxsplit=1)[0].translate(_DASHES).strip()


def split_head(kind: str, head: str, number: str) -> tuple[str, str]:
    """What the source prints as the label, and the heading without it."""
    if kind == "section":
        match = _SECTION_HEAD.match(head)
        if not match and head.translate(_DASHES).startswith(f"{number} "):  # title 48 prints no "§"
            return number, head[len(number) :].strip()
        return number, (match.group(2) if match else head).strip()
    match = _DIVISION_HEAD.match(head) if kind not in ("subject_group", "appendix") else None
    if match:
        return match.group(1), match.group(2).strip()
    return number, head


def node_id_of(title: str, kind: str, number: str, heading: str, above: str) -> str:
    """The citation of a division; *above* is that of the division it is cited below."""
    cfr = f"{title} CFR"
    if kind == "section":
        return f"{cfr} {number}"
    if kind == "title":
        return f"Title {title}"
    if kind == "part":
        return f"{cfr} Part {number}"
    above = above or cfr
    if kind == "subject_group":
        return f'{above} "{heading}"'
    if kind == "appendix":
        return _appendix_id(cfr, number, above)
    return f"{above} {kind.capitalize()} {number}"


def _appendix_id(cfr: str, number: str, above: str) -> str:
    match = _APPENDIX.match(number)
    if match:
        subpart = f" Subpart {match['subpart']}" if match["subpart"] else ""
        return f"{cfr} Part {match['part']}{subpart} {match['name']}"
    if match := _TO_SECTION.match(number):
        return f"{cfr} {match['section']} {match['name']}"
    return f"{above} {_TO.sub('', number) or 'Appendix'}"
