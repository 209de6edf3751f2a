"""What the places of a document are called, and how a name is written down so that two spellings of it are one key.

A document of a team's own is cited by its title, its code ("SOP-012"), its file or a link; a place in it by heading, number or
anchor. ``names_of`` tells every such name of a document; they are kept with its nodes, so that a reference that waits for a
document is resolved when the document comes, without reading anything again. Two kinds of names:

- names for the whole corpus: ``title:incident response policy``, ``code:sop-12``, ``code:sop-12@3`` (a revision),
  ``file:escalation.md``, ``path:policies/escalation.md``, ``url:example.org/x``;
- names inside a document, which begin with ``§``: ``§ 4.2``, ``§ annex b``, ``§ heading response targets``, ``§ #targets``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote

from pincite.model import Block, Document, Node, is_generic, is_paper
from pincite.parse.numbers import split_number

HERE = "§ "
"""Begins a name that counts inside its document only."""


def words(text: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(text.split())


DOCUMENT_WORDS = words(
    """policy policies procedure procedures plan plans standard standards guideline guidelines guide guides handbook handbooks
    manual manuals playbook playbooks runbook runbooks register registers charter charters protocol protocols checklist
    checklists template templates agreement agreements framework frameworks specification specifications matrix instruction
    instructions sop strategy glossary catalogue catalog memo directive document documents form page section process"""
)
"""Words that say what a document is; alone they name none."""
_COMMON = words(
    """the a an this that these those our your their its his her my any all each every some such no other another same new old
    current existing following preceding previous next above below applicable relevant appropriate related corresponding own
    standard operating general internal external company corporate local main full whole entire final draft good best common
    written formal official overall detailed separate specific single first second third last project team department
    business and or of for to in on at by with from as is are be overview introduction index readme home contents untitled"""
)

NOT_FIRST = words(
    """The This That These Those Our Your Their Its His Her My Any All Each Every Some A An If When While Where Per Under See
    Refer In On At By For From To With As And Or But Follow Following Read Both Either Please Also Note Use Using Consult
    Review Update Create Complete Download Submit Sign Is Are Was Were Which Whose After Before Once Unless Until Since
    Because Both Additionally Furthermore However Therefore Thus Then Next Finally Visit Check Review Reviewing Related
    Linked Most Many Few More Via"""
)
"""Words that open a sentence, and are no part of a name that follows them."""

_WORD = re.compile(r"[^\W_]+(?:[’'][^\W_]+)*")
_TAIL = re.compile(
    r"[\s,(\[–-]*\b(?:rev(?:ision)?|version|ver|v|issue|edition)\.?\s*(?P<rev>\d+(?:\.\d+)*|[A-Z])\s*[)\]]?\s*$", re.IGNORECASE
)
_PREFIX = r"[A-Z][A-Z0-9]{0,9}(?:[-_][A-Z][A-Z0-9]{0,7}){0,3}"
CODE = re.compile(
    rf"(?<![\w./-])(?P<prefix>{_PREFIX})[-–_ ]?(?P<number>\d{{1,6}}(?:[.-]\d{{1,4}}){{0,2}})(?P<letter>[a-z]?)(?![\w-])"
)
_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")
_NO_CODES = words(
    """ISO IEC IEEE RFC UTF SHA MD AES RSA TLS SSL HTTP HTTPS COVID CVE CWE CFR USC FY CY PST UTC GMT CET EST Q H ANSI ASTM DIN
    EN BS NIST SP FIPS PCI SOC SOX GDPR GPT IPV IP USB RS MP MPEG JPEG A B C CO PM AM PO TCP UDP WCAG ES X AMD I ARM K8S P
    CSS HTML BCP STD-IEEE AWS EC OMB SLA KPI US UK EU"""
)
"""Prefixes of other people's numbers: standards, protocols, years."""
_SPACED = words("""SOP POL WI QP QMS FRM PROC STD GDL TPL TMP PRO""")
"""Prefixes that are a code even where a space or nothing divides them from the number."""


def fold(name: str) -> str:
    """A name as a key: lower case, its words only, no article before it, no revision after it.

    >>> fold("The Incident-Response Policy (rev. 3)")
    'incident response policy'
    """
    name = unicodedata.normalize("NFKC", name[:400]).replace("&", " and ").replace("\u00ad", "").replace("\u200b", "")
    name = _TAIL.sub("", name)
    kept = [word.casefold().replace("’", "'") for word in _WORD.findall(name)]
    while len(kept) > 1 and kept[0] in ("the", "a", "an", "our"):
        kept.pop(0)
    return " ".join(kept)


def is_common(key: str) -> bool:
    """Whether a folded name is too common to mean one document: "the following procedure", "Overview".

    >>> is_common(fold("Standard Operating Procedure")), is_common(fold("Travel Policy"))
    (True, False)
    """
    return all(word in _COMMON or word in DOCUMENT_WORDS or word.isdigit() for word in key.split())


def code_key(prefix: str, number: str, letter: str = "") -> str:
    """``SOP-012`` and ``SOP 12`` as one key.

    >>> code_key("QA-SOP", "012", "")
    'qa-sop-12'
    """
    return f"{prefix.replace('_', '-')}-{_ZEROS.sub('', number)}{letter}".casefold()


def codes_in(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Every document code of a text with its key: ``SOP-012``, ``QA-POL-7.1``, ``SOP 12``."""
    for match in CODE.finditer(text):
        prefix, divider = match["prefix"], text[match.end("prefix") : match.start("number")]
        parts = re.split("[-_]", prefix)
        if parts[0] in _NO_CODES or prefix in _NO_CODES or (len(prefix) < 2 and divider not in "-–"):
            continue
        if divider in ("-", "–", "_") or prefix in _SPACED:
            yield match, code_key(prefix, match["number"], match["letter"].replace("s", ""))  # "SF-182s" is a plural


def revision_in(text: str, at: int = 0) -> re.Match[str] | None:
    """A revision that begins at *at*: ``rev 3``, ``(version 2.1)``."""
    return _REVISION.match(text, at)


_REVISION = re.compile(
    r",?\s{0,2}[(\[]?\b(?:rev(?:ision)?\.?|version|v\.?|issue)\s?(?P<rev>\d+(?:\.\d+)*|[A-Z]\b)[)\]]?", re.IGNORECASE
)


def anchor(heading: str) -> str:
    """A heading as the anchor that GitHub and most site generators make of it.

    >>> anchor("4.2 Response targets (P1–P4)")
    '42-response-targets-p1p4'
    """
    kept = "".join(c for c in heading.strip().lower() if c.isalnum() or c in " -_")
    return kept.replace(" ", "-")


def anchor_key(name: str) -> str:
    """The name of an anchor: browsers tell capitals apart, the sites that show Markdown do not."""
    return f"{HERE}#{name.casefold()}"


# --- the names of one document ------------------------------------------------------------------------------------------


def names_of(document: Document) -> list[tuple[str, ...]]:
    """The names of every node, in the order of ``document.nodes``; () for a regulation or a manual, whose ids are citations."""
    if not is_generic(document) and not is_paper(document):
        return []
    anchors: dict[str, list[str]] = {}
    for name, node_id in document.anchors.items():
        anchors.setdefault(node_id, []).append(anchor_key(name))
    captions = _captions(document)
    first = _first_words(document)
    root, slugs = document.nodes[0], dict[str, int]()
    opened = [anchor_key(_again(anchor(root.heading), slugs)), f"{HERE}heading {fold(root.heading)}"] if root.heading else []
    found = [tuple(dict.fromkeys((*_of_document(document), *opened, *anchors.get(root.node_id, ()))))]
    items = _items(document)
    message = _is_message(document)  # the records of an attached register are those of the register
    for node in document.nodes[1:]:
        names = [*anchors.get(node.node_id, ()), *_of_place(node, slugs), *captions.get(node.node_id, ())]
        names += [HERE + items[node.node_id]] if node.kind == "item" and node.node_id in items else []
        if node.kind == "record" and not message:
            names += _of_record(first.get(node.node_id, ""))
        found.append(tuple(dict.fromkeys(names)))
    return found


def _of_place(node: Node, slugs: dict[str, int]) -> Iterator[str]:
    """Names of a headed section, a numbered item, a sheet."""
    if node.kind == "item":
        if " " in node.label and (number := _number(node.label.strip(" .)"))):  # "Section 1.01", "Article I."
            yield HERE + number
        elif "." in (label := node.label.strip(" .)")) and label[:1].isalnum():
            yield HERE + label.casefold()
        return
    if node.kind == "paragraph" and _number(node.label):  # of a PDF
        yield HERE + _number(node.label)
    if node.kind not in ("heading", "sheet", "slide", "table"):
        return
    printed = f"{node.label} {node.heading}".strip()
    if not printed:
        return
    if not node.label:
        label, heading = split_number(node.heading)  # a PDF's headings are as they are printed
        node = node._replace(label=label, heading=heading)
    if node.kind == "heading":
        yield anchor_key(_again(anchor(printed), slugs))
    if node.heading:
        yield f"{HERE}heading {fold(node.heading)}"
    if number := _number(node.label) or _number(printed):
        yield HERE + number


def _items(document: Document) -> dict[str, str]:
    """``1.2(b)(ii)`` of each item below a numbered heading or clause, and the numbers of these themselves."""
    found: dict[str, str] = {}
    for node in document.nodes[1:]:
        if node.kind == "heading" and (number := _number(node.label) or _number(f"{node.label} {node.heading}".strip())):
            found[node.node_id] = number
        elif node.kind == "item":
            mark = node.label.strip(" ().").casefold()
            if "." in mark and mark[:1].isalnum() and _number(mark):  # a clause with a number of its own: "1.2"
                found[node.node_id] = mark
            elif (above := found.get(node.parent_id or "")) and mark.isalnum():
                found[node.node_id] = f"{above}({mark})"
    return found


def _again(name: str, seen: dict[str, int]) -> str:
    """A repeated anchor gets ``-1``, ``-2``, ... as on GitHub."""
    count = seen[name] = seen.get(name, -1) + 1
    return f"{name}-{count}" if count else name


_KINDS = r"section|chapter|part|article|annex|appendix|schedule|attachment|exhibit|table|figure|form|clause|module|stage|phase"
_NUMBERED = re.compile(
    rf"(?:(?P<kind>{_KINDS})\s{{1,2}})?(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{0,5}}|[A-Z](?:\.\d{{1,3}}){{0,4}}|[IVXL]{{1,6}})\b",
    re.I,
)


def _number(label: str) -> str:
    """``4.2`` or ``annex b`` of a heading's number; "" where it has none. "Section 4" is 4."""
    match = _NUMBERED.match(label.strip())
    if not match or (match["kind"] is None and label.strip(" .)") != match["number"]):
        return ""
    kind = (match["kind"] or "").casefold()
    return f"{kind} {match['number'].casefold()}" if kind not in ("", "section", "clause") else match["number"].casefold()


_CAPTION = re.compile(
    r"[\W_]{0,4}(?P<kind>Table|Figure|Form|Exhibit)\s{1,2}(?P<number>[A-Z]?\d{1,3}(?:[.-]\d{1,3})?)[\W_]{0,3}(?=[:.–—\s-]|$)"
)


def _captions(document: Document) -> dict[str, list[str]]:
    """Names that captions give: ``Table 3: Targets`` beside a table names the table, any other the place it stands in."""
    found: dict[str, list[str]] = {}
    kinds = {node.node_id: node.kind for node in document.nodes}
    before: tuple[str, str] | None = None  # a caption that waits for its table: name, place
    table = ""
    for block in document.partition:
        if block.role == "blank":
            continue
        name = _caption(document, block) if block.role == "body" and block.end - block.start < 400 else ""
        if before:
            found.setdefault(block.node_id if kinds.get(block.node_id) == "table" else before[1], []).append(before[0])
        before = None
        if name and table and f"{HERE}{name}" not in found.get(table, ()) and not found.get(table):
            found.setdefault(table, []).append(f"{HERE}{name}")
        elif name:
            before = f"{HERE}{name}", block.node_id
        table = block.node_id if kinds.get(block.node_id) == "table" else ""
    if before:
        found.setdefault(before[1], []).append(before[0])
    return found


def _caption(document: Document, block: Block) -> str:
    match = _CAPTION.match(_opening(document, block))
    return f"{match['kind']} {match['number']}".casefold() if match else ""


# --- a record's code ----------------------------------------------------------------------------------------------------

_LABELLED = re.compile(
    r"[\s\"'|{\[*`-]{0,12}(?:(?:[\w .-]{0,20}?\b)?(?:id|key|code|number|no|ref|reference)"
    r"[\"'*`]{0,3}\s{0,2}[:=|]\s{0,2}[\"'*`]{0,3})?",
    re.I,
)


def _first_words(document: Document) -> dict[str, str]:
    """The first 80 bytes of each record."""
    records = {node.node_id for node in document.nodes if node.kind == "record"}
    found: dict[str, str] = {}
    for block in document.partition if records else ():
        if block.node_id in records and block.node_id not in found and block.role != "blank":
            found[block.node_id] = _opening(document, block)
    return found


def _of_record(opening: str) -> list[str]:
    """``code:r-12`` where a record begins with its code, alone in its cell."""
    label = _LABELLED.match(opening)
    match = CODE.match(opening, label.end() if label else 0)
    if match is None or opening[match.end("prefix") : match.start("number")] not in ("-", "–", "_"):
        return []
    after = opening[match.end() : match.end() + 1]
    return [f"code:{code_key(match['prefix'], match['number'], match['letter'])}"] if after in ("", *"\"'|,;\t\n*` ") else []


def _opening(document: Document, block: Block) -> str:
    """The first 80 bytes of a block."""
    return document.slice(block.page, block.start, min(block.end, block.start + 80)).decode(errors="ignore")


# --- the document's own -------------------------------------------------------------------------------------------------

_FIELD = re.compile(r"^[\"']?(?P<key>[\w -]{1,30}?)[\"']?\s*[:=]\s*(?P<value>.*)$")
_LISTED = re.compile(r"^\s*-\s+(?P<value>.+)$")
_TITLES = frozenset({"title", "aliases", "alias", "name", "short title", "short-title", "linktitle", "also known as"})
_IDS = words(
    """id code number ref reference document_id document-id doc_id doc-id docid document_number document-number policy_id
    policy-id identifier sop uid key"""
)
_REVISIONS = frozenset({"version", "revision", "rev", "issue"})
_STATED_CODE = re.compile(
    r"\b(?:document|doc|procedure|policy|sop|form|record)\W{0,3}(?:number|no\.?|id|code|ref(?:erence)?\.?)\W{0,6}(?=[A-Z])",
    re.IGNORECASE,
)
_STATED_REVISION = re.compile(
    r"^\W{0,6}(?:rev(?:ision)?\.?|version|issue)(?:\s+(?:no\.?|number))?\W{1,6}(?P<rev>\d+(?:\.\d+)*)\b", re.I | re.M
)
_OPENING_BYTES = 1500
"""How far into a document it states its own number and revision, if at all."""
_MANY_FIELDS = 200


def _of_document(document: Document) -> Iterator[str]:
    source = document.source
    path = PurePosixPath(source.path)
    given = fields_of(document)
    if _is_message(document):  # "Re: SOP-12" is about it
        yield from _files_of(path)
        return
    titles = [source.title, document.nodes[0].heading, *(value for key, value in given if key in _TITLES), _stem(path)]
    titles += _first_heading(document)
    codes = list(dict.fromkeys(_codes_of(document, titles, given)))
    for title in titles:
        for key in dict.fromkeys((fold(title), fold(_without_code(title)))):
            if key and not is_common(key):
                yield f"title:{key}"
    revisions = _revisions(document, titles, given) if codes else []
    for code in codes:
        yield f"code:{code}"
        yield from (f"code:{code}@{revision}" for revision in revisions or [""])
    yield from _files_of(path)
    if source.uri.startswith(("http://", "https://")):
        yield url_key(source.uri)


_MESSAGES = frozenset({"message/rfc822", "application/mbox"})
"""Their titles are subjects: what they are about, and no name that anything else would use."""


def _is_message(document: Document) -> bool:
    return document.source.media_type.partition(";")[0] in _MESSAGES


def _files_of(path: PurePosixPath) -> Iterator[str]:
    if not is_common_file(path.name):
        yield f"file:{path.name.casefold()}"
    yield from _paths(path)


def is_common_file(name: str) -> bool:
    """Whether every folder may have a file of this name: "README.md", "index.html", "LICENSE.txt".

    >>> is_common_file("README.md"), is_common_file("escalation.md")
    (True, False)
    """
    stem = name.partition(".")[0]
    return stem.casefold() in _COMMON_FILES or (stem.isupper() and not any(map(str.isdigit, stem)) and "-" not in stem)


_COMMON_FILES = words("readme index _index contributing license changelog security default main home package config")


def _stem(path: PurePosixPath) -> str:
    spaced = re.sub(r"[-_]+", " ", path.stem)
    return spaced if " " in spaced.strip() else ""


def _first_heading(document: Document) -> list[str]:
    """The heading a document opens with, where it is the only one at the top; the title of a deck's first slide."""
    slide = next((node for node in document.nodes if node.kind == "slide"), None)
    if slide is not None:
        return [slide.heading]
    top = [node for node in document.nodes[1:] if node.parent_id == document.nodes[0].node_id and node.kind == "heading"]
    return [f"{top[0].label} {top[0].heading}".strip()] if len(top) == 1 else []


def _codes_of(document: Document, titles: list[str], given: list[tuple[str, str]]) -> Iterator[str]:
    """Codes a document bears: at the end or beginning of a title or of the file's name, in its properties, in its opening."""
    stem = PurePosixPath(document.source.path).stem.replace("_", "-")
    for title in [*titles, stem if stem.isupper() else _uppered(stem)]:
        for match, key in codes_in(title):
            if match.start() <= 1 or match.end() >= len(title.rstrip(" )]")) - 1 or "(" in title[: match.start()]:
                yield key
    for key, value in given:
        if key in _IDS:
            yield from (code for _, code in codes_in(value))
    yield from _codes_of_furniture(document)
    opening = document.pages[0][:_OPENING_BYTES].decode(errors="ignore")
    for stated in _STATED_CODE.finditer(opening):
        if found := CODE.match(opening, stated.end()):
            yield code_key(found["prefix"], found["number"], found["letter"])


def _codes_of_furniture(document: Document) -> Iterator[str]:
    """The one code that page heads and feet bear: that of a document printed on each page. Two may be a form's and its own."""
    heads = [block for block in document.partition[:_MANY_FIELDS] if block.role == "page_furniture"]
    found = {key for block in heads for _, key in codes_in(document.slice(block.page, block.start, block.end).decode())}
    yield from found if len(found) == 1 else ()


def _uppered(stem: str) -> str:
    """A file's name whose beginning is a code in lower case: ``sop-012-deviations``."""
    match = re.match(r"[a-z]{2,5}(?:-[a-z]{2,5})?-\d{1,5}(?![\w])", stem)
    return match[0].upper() if match else ""


def _without_code(title: str) -> str:
    """A title without its code and the mark between them: "SOP-012: Deviation handling" is also "Deviation handling"."""
    spans = [match.span() for match, _ in codes_in(title)]
    for start, end in reversed(spans):
        title = title[:start] + " " + title[end:]
    return title


def _revisions(document: Document, titles: list[str], given: list[tuple[str, str]]) -> list[str]:
    found = [value.strip("v ").casefold() for key, value in given if key in _REVISIONS]
    found += [match["rev"].casefold() for title in titles if (match := _TAIL.search(title))]
    if not found:
        stated = _STATED_REVISION.search(document.pages[0][:_OPENING_BYTES].decode(errors="ignore"))
        found = [stated["rev"]] if stated else []
    return list(dict.fromkeys(revision_key(value) for value in found if value))


def revision_key(revision: str) -> str:
    """``3`` and ``3.0`` and ``03`` as one.

    >>> revision_key("03.0")
    '3'
    """
    return re.sub(r"(?:\.0+)+$", "", _ZEROS.sub("", revision.casefold()))


def _paths(path: PurePosixPath) -> Iterator[str]:
    """A file's path; without its extension, as site generators link it; and of an index file its folder.

    Each in small letters too: a folder that lay on Windows or a Mac has links that spell a name otherwise.
    """
    spelled = [str(path)]
    if path.suffix:
        spelled.append(str(path.with_suffix("")))
    if path.stem.casefold() in ("readme", "index", "_index"):
        spelled.append(str(path.parent))
    yield from (f"path:{each}" for each in spelled)
    yield from (folded_path(each) for each in spelled)


def folded_path(path: str) -> str:
    """A path as a key whatever its capitals.

    >>> folded_path("handbook/README.md")
    'ipath:handbook/readme.md'
    """
    return f"ipath:{path.casefold()}"


def url_key(url: str) -> str:
    """An address without scheme, fragment and last slash.

    >>> url_key("https://Example.org/a/#b")
    'url:example.org/a'
    """
    address = url.split("//", 1)[-1].split("#", 1)[0]
    host, slash, rest = address.partition("/")
    return f"url:{host.casefold()}{slash}{unquote(rest)}".rstrip("/")


def fields_of(document: Document) -> list[tuple[str, str]]:
    """Keys and values of the front matter or properties: ``key: value``, ``key: [a, b]`` and lists below a key."""
    stated = [document.slice(b.page, b.start, b.end).decode() for b in document.partition[:8] if b.role == "metadata"]
    found: list[tuple[str, str]] = []
    key = ""
    for line in [line for text in stated for line in text.split("\n")][:_MANY_FIELDS]:
        listed, field = _LISTED.match(line), _FIELD.match(line)
        if listed and key:
            found.append((key, _plain(listed["value"])))
        elif field:
            key = field["key"].strip().casefold()
            found += [(key, _plain(value)) for value in _values(field["value"])]
    return found


def _values(value: str) -> Iterable[str]:
    value = value.strip()
    return value[1:-1].split(",") if value.startswith("[") and value.endswith("]") else [value]


def _plain(value: str) -> str:
    return value.strip().strip("\"'").strip()
