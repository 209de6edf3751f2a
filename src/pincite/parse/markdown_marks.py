"""What is marked in Markdown beyond CommonMark: boxes, directives of site generators, bold paragraphs for headings, HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape

from markdown_it.token import Token

from pincite.parse.numbers import exponent

INERT = re.compile(r"\s*(?:<!--.*?-->|<(script|style|template)\b.*?</\1\s*>)\s*", re.DOTALL | re.IGNORECASE)
TAG = re.compile(r"<!--.*?-->|</?[A-Za-z][^>]*>", re.DOTALL)
BREAK = re.compile(r"<(?:br|/p|/li|/td|/th)\b", re.IGNORECASE)
HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^>]*>(.*)</h\1\s*>\s*\Z", re.DOTALL | re.IGNORECASE)
_BOXES = "note|tip|info|warning|caution|danger|important|attention|hint|error|seealso|example|question|success|failure|abstract"
BOX = re.compile(
    rf"\A:{{3,}} *\{{?(?P<kind>{_BOXES})\}}?[ \t]*(?:\{{[^}}\n]*\}})?[ \t]*\[?(?P<title>[^\n\]]*)\]?", re.IGNORECASE
)
ALERT = re.compile(r"\A\[!(?P<kind>\w+)\][+-]?[ \t]*(?P<title>[^\n]*)")
FENCED_BOX = re.compile(rf"\{{(?:{_BOXES}|admonition)\}}", re.IGNORECASE)
DIRECTIVE = re.compile(r"\{\{[<%][^\n]*?[>%]\}\}|\{%[^%\n]*%\}|\{:[^}\n]*\}|\{/\*.*?\*/\}", re.DOTALL)
"""What a site's generator is told: tags of templates, attributes of a paragraph, comments of MDX."""
MODULE = re.compile(
    r"(?:\s*(?:import\b[^\n]*\bfrom\s+[\"'][^\"'\n]+[\"'];?|import\s+[\"'][^\"'\n]+[\"'];?"
    r"|export\s+(?:const|let|default|function)\b.*))+\Z",
    re.DOTALL,
)
"""Imports and exports of MDX, a paragraph by themselves."""
_BOLD_LIMIT = 100
"""Characters above which a bold paragraph is no heading."""
FENCE = re.compile(r"^:{3,} *(?:\{?[\w.#-]+\}?(?=\s|$))?(?:\s*\{[^}]*\})? *|\s*:{3,}\s*$")
"""The lines ``:::note`` and ``:::`` around a box, in a paragraph's text."""


def title_in(tokens: Sequence[Token]) -> str:
    """The words of the first heading, if it is the only one of the first level."""
    at = [(level, index) for index, token in enumerate(tokens) if token.level == 0 and (level := heading_level(token))]
    if not at or at[0][0] != 1 or any(level == 1 for level, _ in at[1:]):
        return ""
    token = tokens[at[0][1]]
    return tokens[at[0][1] + 1].content if token.type == "heading_open" else in_one_line(token.content)


def is_same(heading: str, given: str) -> bool:
    """Whether a heading and the title in the front matter name the same, perhaps one of them with more words."""
    one, other = (set(re.findall(r"\w+", words.casefold())) for words in (heading, given))
    return not one or not other or one <= other or other <= one


def bold_words(content: str) -> str:
    """The words of a paragraph that is bold as a whole, short and no sentence; "" of any other."""
    found = re.fullmatch(r"(?:\*\*|__)([^*_\n]+)(?:\*\*|__):?", content.strip())
    words = found[1].strip() if found else ""
    return words.rstrip(":") if words and len(words) <= _BOLD_LIMIT and words[-1] not in ".;,!?" else ""


def are_bold(tokens: Sequence[Token]) -> bool:
    """Whether a document has no headings but bold paragraphs, several of them, with text between."""
    if any(heading_level(token) > 1 for token in tokens if token.type in ("heading_open", "html_block")):
        return False
    bold = [
        bool(bold_words(tokens[index + 1].content))
        for index, token in enumerate(tokens)
        if token.type == "paragraph_open" and not token.level
    ]
    others = sum(token.type in ("bullet_list_open", "ordered_list_open", "table_open") for token in tokens if not token.level)
    return 1 < sum(bold) <= 2 * (len(bold) - sum(bold) + others) and not (bold[-1] and not others)


def heading_level(token: Token) -> int:
    """The level of the heading a token begins or is; 0 for none."""
    if token.type == "heading_open":
        return int(token.tag[1:])
    found = HTML_HEADING.match(INERT.sub(" ", token.content))
    return int(found[1]) if found and in_one_line(found[2]) else 0


def shown_of(children: Sequence[Token]) -> str:
    """The text of inline tokens without markup, in one line."""
    words = list[str]()
    raised = False
    for child in children:
        if child.type in ("text", "text_special", "code_inline"):
            words.append(exponent(words, child.content) if raised else child.content)
        elif child.type in ("softbreak", "hardbreak"):
            words.append(" ")
        elif child.type == "image":
            words.append(shown_of(child.children or ()))
        elif child.type == "html_inline":
            raised = child.content.lower().startswith("<sup")
            words += [" "] if BREAK.match(child.content) else []
    return "".join(words).strip()


def in_one_line(html: str) -> str:
    """The words of a piece of HTML."""
    return " ".join(unescape(TAG.sub("", BREAK.sub(r" \g<0>", html))).split())


_PIPE = re.compile(r"(?<!\\)\|")
_CODE_OR_PIPE = re.compile(r"(?P<code>(`+)(?!`).*?(?<!`)\2(?!`))|(?<!\\)\|")


def cells_beyond(line: str, columns: int) -> list[str]:
    """The cells of a row that has more than its header, of which the library leaves out the last; [] of any other.

    A bar in code parts cells only where the row has too few otherwise.
    """
    row = line.strip(" \t\r\n>").removeprefix("|")
    row = row[:-1] if row.endswith("|") and not row.endswith("\\|") else row
    if row.count("|") < columns or len(parts := _PIPE.split(row)) <= columns:
        return []
    ends = [found.start() for found in _CODE_OR_PIPE.finditer(row) if not found["code"]]
    cells = [row[start + 1 : end] for start, end in zip([-1, *ends], [*ends, len(row)])]
    cells = cells if len(cells) >= columns else parts
    return [cell.strip().replace("\\|", "|") for cell in cells]
