"""Elements of HTML as its reader sees them: which stand in a line, navigate, are hidden, which tables hold data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from pincite.parse.compose import Composer
from pincite.parse.divisions import is_division, names_division

DEPTH_LIMIT = 1000
"""Elements inside each other; the tags of deeper ones are taken out, their text stays."""

ATTRIBUTES_LIMIT = 1000
"""Attributes of one element."""

INERT = {
    **{tag: tag for tag in ("script", "style", "template", "noscript", "iframe", "object", "canvas", "svg", "math")},
    "audio": "audio",
    "video": "video",
    "del": "deleted",
}
"""Elements that are left out, and what the finding calls them."""
SKIPPED = frozenset({"head", "meta", "link", "base", "col", "colgroup", "param", "source", "track", "area", "map", "datalist"})
INLINE = frozenset(
    {
        "a",
        "abbr",
        "acronym",
        "b",
        "bdi",
        "bdo",
        "big",
        "cite",
        "code",
        "data",
        "dfn",
        "em",
        "font",
        "i",
        "img",
        "ins",
        "kbd",
    }
    | {"label", "mark", "nobr", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time"}
    | {"tt", "u", "var", "wbr", "br", "input", "output", "meter", "progress", "picture"}
)
NAVIGATION = frozenset({"nav", "button", "select", "menuitem", "dialog"})
REGIONS = NAVIGATION | {"header", "footer"}
UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
"""Places where a word may be broken: no browser shows them."""
BLOCK_ROLES = frozenset({"row", "cell", "gridcell", "columnheader", "rowheader", "listitem", "heading", "paragraph"})
"""Roles of elements that stand by themselves whatever they are made of."""
NOT_IN_HEADINGS = frozenset({"p", "ul", "ol", "table", "dl", "pre", "blockquote", "form"})
"""Elements before which a heading ends whose end tag is missing."""
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
SPECIAL = (
    HEADINGS
    | REGIONS
    | {"a", "article", "aside", "blockquote", "br", "dd", "details", "dt", "img", "li", "main", "menu", "ol", "pre", "section"}
    | {"summary", "table", "textarea", "ul"}
)
"""Elements that mean something by their name alone."""
NAVIGATION_ROLES = frozenset(
    {"navigation", "banner", "contentinfo", "search", "menu", "menubar", "toolbar", "dialog", "tablist"}
)
MENU_NAME = re.compile(
    r"(?:^|[\s_-])(?:nav\w*|\w*menu|sidebar|breadcrumbs?|footer|header|cookies?|pagination|skip-?\w*|toolbar|ribbon\w*|share|sharing|social(?:-?(?:media|links?|sharing|icons?))?)(?=$|[\s_-])",
    re.I,
)
FOOTER_NAME = re.compile(r"(?:site|page|global|main)?[_-]?footer", re.I)
"""The whole id of the footer of a page whose makers knew no ``footer`` element."""
_SKIPS = re.compile(r"\s*(?:skip|jump)\s(?:to|over|past|navigation)\b", re.I)
CONSENT = re.compile(
    r"(?:^|[\s_-])cookies?[_-]?(?:banner|bar|notice|consent|popup|message|law|info)\b|\bgdpr[_-]|\bcc-(?:window|banner)\b", re.I
)
FOOTER_LIMIT = CONSENT_LIMIT = 2_000
"""Characters of a banner that asks for cookies; a page about cookies is longer."""
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all"
    r"|(?=.*font-size\s*:\s*[01](?:px|pt)?\s*(?:;|$))(?=.*(?:max-height|opacity|line-height)\s*:\s*[01](?:px|pt)?\s*(?:;|$))",
    re.IGNORECASE | re.DOTALL,
)
"""A style that hides; the last one is that of the line which mail programs show beside a subject."""
_NESTING = re.compile(
    r"<(/?)(div|span|section|article|main|aside|table|ul|ol|dl|blockquote|font|b|i|u|em|strong|center|form|fieldset|details"
    r"|small|big|code|tt|sub|sup|a|label|custom|figure|header|footer|nav)\b[^>]*>",
    re.IGNORECASE,
)
_LONG_TAG = re.compile(r"<([A-Za-z][\w-]*)[^<>]{2000,}>?")
_ATTRIBUTE = re.compile(r"\s[^\s=<>]+")


def without_masses(made: Composer, text: str) -> str:
    """*text* with elements of very many attributes stripped of them: parsers take quadratic time for them."""

    def bare(tag: re.Match[str]) -> str:
        if len(_ATTRIBUTE.findall(tag.group())) <= ATTRIBUTES_LIMIT:
            return tag.group()
        made.find("too_many_attributes", tag.group(1), f"an element with more than {ATTRIBUTES_LIMIT} attributes, read without")
        return f"<{tag.group(1)}>"

    return _LONG_TAG.sub(bare, text)


def _is_deep(text: str) -> bool:
    """Whether the tags of an element are anywhere inside so many others."""
    if text.count("<") < DEPTH_LIMIT:
        return False
    depth = 0
    for closing, _ in _NESTING.findall(text):
        if closing:
            depth -= depth > 0
        elif depth >= DEPTH_LIMIT:
            return True
        else:
            depth += 1
    return False


def flattened(made: Composer, text: str) -> str:
    """*text* without the tags of elements that are nested too deeply: parsers take quadratic time for them."""
    if not _is_deep(text):
        return text
    depth, deep, pieces, at = 0, 0, list[str](), 0
    for tag in _NESTING.finditer(text):
        closing = bool(tag.group(1))
        depth = max(depth - closing, 0)
        if depth >= DEPTH_LIMIT:
            deep += not closing
            pieces.append(text[at : tag.start()])
            at = tag.end()
        depth += not closing
    made.find("nested_too_deeply", f"{deep} elements", f"elements inside more than {DEPTH_LIMIT} others are read as their text")
    return " ".join([*pieces, text[at:]])


_SIGN = re.compile(r"[¶§#🔗⚓↩↵⏎⤴↑^\u200b\ufe0e\ufe0f\s]{0,3}\Z")


def are_divisions(page: LexborNode) -> bool:
    """Whether paragraphs say "Article 1" and no more, as in laws that are published without headings."""
    return sum(is_division(paragraph.text()) for paragraph in page.css("p")) > 1


def name_below(paragraph: LexborNode) -> LexborNode | None:
    """The paragraph after one that announces a division, where it may be its name; it may stand in an element of its own."""
    following = next_element(paragraph)
    if following is not None and following.tag == "div":
        following = following.css_first("p")
    named = following is not None and following.tag == "p" and names_division(" ".join(following.text().split()))
    return following if named else None


def heading_level(tag: str, attributes: dict[str, str | None]) -> int:
    """The level of a heading, by its tag or by its role; 0 for what is none."""
    if tag in HEADINGS:
        return int(tag[1])
    if attributes.get("role") == "heading":
        return min(max(whole_number(attributes.get("aria-level"), 2), 1), 6)
    return 0


_BOLD_LIMIT = 100
"""Characters above which a bold paragraph is no heading."""


def bold_words(paragraph: LexborNode) -> str:
    """The words of a paragraph that is bold as a whole, short and no sentence; "" of any other."""
    only = [child for child in children(paragraph) if child.tag != "-text" or (child.text_content or "").strip()]
    if len(only) != 1 or only[0].tag not in ("b", "strong"):
        return ""
    words = " ".join(only[0].text().split())
    return words if words and len(words) <= _BOLD_LIMIT and words[-1] not in ".;,!?" else ""


def are_bold(page: LexborNode) -> bool:
    """Whether several paragraphs are bold as a whole, and no more than the others: they are what divides the page."""
    bold = [bool(bold_words(paragraph)) for paragraph in page.css("p")]
    return 1 < sum(bold) <= 2 * (len(bold) - sum(bold) + len(page.css("li, table")))


def is_control(node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
    """What serves to get about on the page: the sign beside a heading, the way back from a note, "[edit]"."""
    if tag == "a":
        href = attributes.get("href") or ""
        return len(href) > 1 and href[0] == "#" and bool(_SIGN.match(node.text())) and not node.css("img")
    return tag == "span" and "mw-editsection" in (attributes.get("class") or "").split()


def skips(node: LexborNode, attributes: dict[str, str | None]) -> bool:
    """Whether a link leads past the menus: "Skip to main content"."""
    return (attributes.get("href") or "")[:1] == "#" and bool(_SKIPS.match(node.text()))


_LONGEST_HEADING = 300


def heading_words(node: LexborNode) -> str:
    """The words of a heading, a blank for what breaks its line; those before the first block where its end tag is missing."""
    only = node.child
    if only is not None and only.next is None and only.tag == "-text":
        return " ".join((only.text_content or "").translate(UNSEEN).split())
    pieces: list[str] = []
    for child in _inside(node):
        if child.tag in NOT_IN_HEADINGS and "".join(pieces).strip():
            break
        pieces.append(_heading_piece(child))
    words = " ".join("".join(pieces).translate(UNSEEN).split())
    return words if len(words) <= _LONGEST_HEADING else words[:_LONGEST_HEADING].rpartition(" ")[0]


def _heading_piece(node: LexborNode) -> str:
    if node.tag == "-text":
        return node.text_content or ""
    if node.tag == "img":
        return alternative(node.attributes)
    return "" if node.tag in INLINE and node.tag != "br" else " "


def _inside(node: LexborNode) -> Iterator[LexborNode]:
    """What is seen below *node*, in order."""
    waiting = [children(node)]
    while waiting:
        child = next(waiting[-1], None)
        if child is None:
            waiting.pop()
            continue
        tag = child.tag or "-"
        if tag != "-text" and (tag[0] in "-!" or tag in INERT or tag in SKIPPED):
            continue
        attributes = child.attributes if tag != "-text" else {}
        if attributes and (is_hidden(attributes) or is_control(child, tag, attributes)):
            continue
        yield child
        waiting.append(children(child))


def is_hidden(attributes: dict[str, str | None]) -> bool:
    if not attributes:
        return False
    style = attributes.get("style")
    return attributes.get("hidden", "until-found") != "until-found" or bool(style and _HIDDEN_STYLE.search(style))


_MARKERS = {
    "lower-alpha": "a",
    "lower-latin": "a",
    "upper-alpha": "A",
    "upper-latin": "A",
    "lower-roman": "i",
    "upper-roman": "I",
}
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s*:[^;]{0,40}?\b(none|(?:lower|upper)-(?:alpha|latin|roman))\b", re.IGNORECASE)


def list_style(attributes: dict[str, str | None]) -> str:
    """How the items of an ordered list are numbered: 1, a, A, i, I; "" where they show no numbers."""
    if style := _LIST_STYLE.search(attributes.get("style") or ""):
        return _MARKERS.get(style.group(1).lower(), "")
    return attributes.get("type") or "1"


_BOXES = frozenset({"admonition", "callout", "confluence-information-macro", "alert", "notice", "notecard"})


def role_of(attributes: dict[str, str | None]) -> str:
    """footnote for the notes of a page, note for a box that is set apart, "" for all else."""
    role, named = (attributes.get("role") or "").lower(), (attributes.get("class") or "").lower()
    if "doc-endnotes" in role or "doc-footnote" in role or "footnotes" in named.split():
        return "footnote"
    return "note" if role == "note" or (named and not _BOXES.isdisjoint(named.split())) else ""


_OPENS_A_MENU = re.compile(
    r"\b(?:menu|navigation|nav|search|filters?|language|share|close|settings|login|account)\b", re.IGNORECASE
)


def opened_by(page: LexborNode) -> Iterator[str]:
    """The ids of what controls open that have words: answers below their questions. Menus, searches and the like are none."""
    for control in page.css("[aria-controls][aria-expanded]"):
        attributes = control.attributes
        words = f"{control.text()} {attributes.get('aria-label') or ''}"
        if words.strip() and not _OPENS_A_MENU.search(words) and not _is_in_menu(control):
            yield attributes.get("aria-controls") or ""


def _is_in_menu(node: LexborNode | None) -> bool:
    while node is not None:
        if node.tag in ("nav", "header", "footer") or (node.attributes.get("role") or "") in NAVIGATION_ROLES:
            return True
        node = node.parent
    return False


def is_footer(attributes: dict[str, str | None], text: str) -> bool:
    names = (attributes.get("id") or "", attributes.get("class") or "")
    return len(text) < FOOTER_LIMIT and any(FOOTER_NAME.fullmatch(name) for name in names)


def is_mostly_links(node: LexborNode) -> bool:
    words = len(" ".join(node.text().split()))
    linked = sum(len(" ".join(link.text().split())) for link in node.css("a[href]"))
    return words > 0 and linked >= 0.5 * words


def alternative(attributes: dict[str, str | None]) -> str:
    """An image's alternative text, unless it is a file's name."""
    words = (attributes.get("alt") or "").strip()
    return "" if re.fullmatch(r"[\w-]+\.\w{3,4}", words) else words


def whole_number(value: str | None, otherwise: int) -> int:
    return int(value) if value and re.fullmatch(r"\s*-?\d{1,6}\s*", value) else otherwise


def children(node: LexborNode) -> Iterator[LexborNode]:
    child = node.child
    while child is not None:
        yield child
        child = child.next


def next_element(node: LexborNode) -> LexborNode | None:
    following = node.next
    while following is not None and (following.tag or "-")[0] in "-!":
        following = following.next
    return following


def table_rows(table: LexborNode) -> Iterator[tuple[LexborNode, str]]:
    """The table's own rows, each with its path below the table."""
    parts: Counter[str] = Counter()
    for part in children(table):
        parts[part.tag or ""] += 1
        if part.tag == "tr":
            yield part, f"tr[{parts['tr']}]"
        elif part.tag in ("thead", "tbody", "tfoot") and not is_hidden(part.attributes):
            rows = (row for row in children(part) if row.tag == "tr")
            for number, row in enumerate(rows, 1):
                if not is_hidden(row.attributes):
                    yield row, f"{part.tag}[{parts[part.tag]}]/tr[{number}]"


def data_rows(table: LexborNode, attributes: dict[str, str | None]) -> list[tuple[LexborNode, str]] | None:
    """The rows of a table that holds data; None where it lays out the page, and its cells are read one after the other."""
    if (attributes.get("role") or "") in ("presentation", "none"):
        return None
    rows, widest = list(table_rows(table)), 0
    for row, _ in rows:
        tags = [tag for cell in children(row) if (tag := cell.tag) in ("td", "th")]
        if "th" in tags:
            return rows
        widest = max(widest, len(tags))
    if any(node.tag == "caption" for node in children(table)):
        return rows
    if widest < 2:
        return None
    laid_out = table.css("table, h1, h2, h3, h4, form, nav, p + p + p")
    return rows if all(node.mem_id == table.mem_id for node in laid_out) else None
