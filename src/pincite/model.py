"""The nouns of Pincite, and the only definition of a row.

Every record here is an immutable ``NamedTuple``: a regulation of 60 sections makes some two thousand of them, and a
named tuple is built in a fraction of the time of a frozen dataclass (``docs/decisions/0001-records-are-named-tuples.md``).
The Delta schema (``tables/schema.py``) and the column tables in ``docs/data-contracts.md`` are derived from the
annotations and the comments below; nothing else may define a column.

Units, everywhere: pages are 1-based; ``start`` and ``end`` are 0-based UTF-8 **byte** offsets into that page's extracted
text, ``end`` excluded; ``raw_start`` and ``raw_end`` are byte offsets into the official file; hashes are full SHA-256 in
lower-case hexadecimal. Offsets in *characters* occur only in ``Mention`` (found in a Python string) and are named so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

# --- roles, kinds and statuses: closed vocabularies, checked when a row is made ------------------------------------

ROLES = (
    "heading",
    "body",
    "contents",
    "table",
    "reserved",
    "reference_dictionary",
    "example",
    "note",
    "footnote",
    "annotation",
    "contact",
    "notice",
    "metadata",
    "navigation",
    "authority",
    "source_note",
    "amendment_history",
    "page_furniture",
    "blank",
)
"""What a stretch of a document is. The partition gives one of these to every extracted byte."""

QUOTABLE_ROLES = frozenset({"heading", "body", "table", "example", "note", "footnote", "annotation", "reserved"})
"""Roles whose text belongs to the rule or guidance itself; the others are kept but never become a passage's body."""

STATUSES = ("resolved", "out_of_corpus", "ambiguous", "unresolved", "unsupported")
"""What is known of a reference's target. Exactly one candidate is ``resolved``; more are ``ambiguous``."""

DERIVATIONS = ("observed", "extracted_by_ocr", "model_rewritten")
ANSWER_STATUSES = ("answered", "abstained", "refused")


class Scope(NamedTuple):
    """Whose rows these are. A merge writes one scope and can touch no other."""

    project: str
    collection: str


class Source(NamedTuple):
    """One file of a corpus, as its manifest pins it."""

    document_id: str  # chosen in the manifest; survives re-uploads and edits, e.g. "21-cfr-211"
    corpus_version: str  # as-of date or edition, e.g. "2026-07-29"
    title: str
    uri: str  # where the publisher serves it
    media_type: str  # "application/xml", "application/pdf"
    path: str  # relative to the landing folder, e.g. "title-21/part-211.xml"
    source_bytes: int
    source_sha256: str


class Span(NamedTuple):
    """A quotable stretch of one page. ``sha256`` is of exactly the bytes ``page_text[start:end]``."""

    page: int  # 1-based
    start: int  # byte offset in the page's text
    end: int  # excluded
    sha256: str  # of exactly these bytes
    raw_start: int | None = None  # byte range of the enclosing element in the official XML file
    raw_end: int | None = None  # excluded


class Node(NamedTuple):
    """One addressable place: a part, a section, a paragraph. ``node_id`` is the citation a lawyer would write."""

    node_id: str  # "21 CFR 211.22(a)", "21 CFR Part 211 Subpart B", "DMG 77161"
    parent_id: str | None  # the node above, null at the top
    kind: str  # title, chapter, subchapter, part, subpart, subject_group, section, appendix, paragraph, item, memo, ...
    label: str  # what the source prints: "211.22", "(a)", "77161"
    heading: str  # display text of the heading, "" where there is none
    ordinal: int  # document order, from 0
    page: int  # the range of the node and all its descendants
    start: int  # byte where the node begins, with all its descendants
    page_end: int  # last page of the range
    end: int  # byte after its last, on page_end
    raw_start: int | None = None  # byte range of its element in the official XML file
    raw_end: int | None = None  # excluded
    reserved: bool = False  # whether the source reserves the place without text
    readings: tuple[str, ...] = ()  # every admissible node_id where more than one reading was possible, the chosen first
    reason: str = ""  # why there were several, and what decided


class Block(NamedTuple):
    """One entry of the partition: an ordered, gapless, non-overlapping cover of every extracted byte."""

    ordinal: int  # order within the document, from 0
    page: int  # 1-based
    start: int  # byte offset in the page's text
    end: int  # excluded
    role: str  # one of ROLES in model.py
    node_id: str  # the node these bytes belong to, "" outside any
    sha256: str  # of exactly these bytes
    raw_start: int | None = None  # byte range of the element in the official XML file
    raw_end: int | None = None  # excluded
    origin: str = ""  # where in the original, for a format without text of its own: a cell, a shape, a JSON pointer


class Finding(NamedTuple):
    """Something a parser saw and could not settle or does not support. Counted, shown, never dropped."""

    kind: str  # unsupported_element, uncertain_boundary, duplicate_node, failed_page, needs_ocr, ...
    page: int  # 1-based
    start: int  # byte offset in the page's text
    end: int  # excluded
    subject: str  # the element name, the candidate number, ...
    reason: str  # what is wrong or open, for people
    candidates: tuple[str, ...] = ()  # the readings it could not choose between


class Link(NamedTuple):
    """Two stretches of one document that belong together: a footnote mark and its footnote, a marker and its citation."""

    kind: str  # footnote, legal_citation, annotation
    page: int  # of the mark, 1-based
    start: int  # byte offset of the mark
    end: int  # excluded
    target_page: int  # of what it belongs to, 1-based
    target_start: int  # byte offset of it
    target_end: int  # excluded


class Hyperlink(NamedTuple):
    """A link a document's author made: the words that carry it and where it leads, as written."""

    page: int  # of the words, 1-based
    start: int  # byte where the words (in Markdown the whole link) begin; equal to end where the link carries no words
    end: int  # excluded
    target: str  # the href: "escalation.md#targets", "#footnote", "https://..."; never opened


class Document(NamedTuple):
    """What a parser returns. ``pages`` is the extraction artefact every span points into; it is never edited."""

    source: Source
    parser: str
    parser_version: str
    pages: tuple[bytes, ...]  # UTF-8 text of each page; XML has one page: all character data in document order
    nodes: tuple[Node, ...]
    partition: tuple[Block, ...]
    links: tuple[Link, ...] = ()
    findings: tuple[Finding, ...] = ()
    display: Mapping[int, str] = {}  # block ordinal -> text to show where it differs from the source (hyphens, spacing)
    hyperlinks: tuple[Hyperlink, ...] = ()
    anchors: Mapping[str, str] = {}  # names a "#name" may lead to (explicit ids, bookmarks) -> node_id

    def slice(self, page: int, start: int, end: int) -> bytes:
        """The source bytes of a span."""
        return self.pages[page - 1][start:end]


class Place(NamedTuple):
    """Where a text stands, so that "this section" and "part 11 of this chapter" can be completed."""

    node_id: str = ""  # "21 CFR 211.22(a)"; "" when unknown
    context: tuple[str, ...] = ()  # node_ids of the ancestors, outermost first, where the parser knows them


class Mention(NamedTuple):
    """A reference as found in a string. ``start`` and ``end`` are **character** offsets into that string."""

    start: int
    end: int
    text: str  # exactly string[start:end]
    kind: str  # cfr, usc, act, public_law, stat, fr, executive_order, dmg, adm, memo, rule, ...
    target_node_id: str | None  # None where the form is understood but cannot be completed, or is unsupported
    target_end_node_id: str | None = None  # a range stays a range
    status: str = "unresolved"  # "unsupported" for a form not understood; anything else is decided by resolution
    candidates: tuple[str, ...] = ()
    reason: str = ""
    sought: str = ""  # what the corpus is asked for where the mention names no citation: see references/named.py


class Observed(NamedTuple):
    """A mention in its document: the node it stands in and its byte span in the extracted text."""

    source_node_id: str
    span: Span
    mention: Mention


class Passage(NamedTuple):
    """A row of ``chunks``: what is searched, cited and quoted."""

    chunk_id: str  # SHA-256 over length-prefixed fields; unique
    document_id: str  # the document it is from
    corpus_version: str  # as-of date or edition of that document
    node_id: str  # the citation of the passage
    ordinal: int  # order within the document, from 0
    heading_path: tuple[str, ...]  # headings from the outermost in
    breadcrumb: str  # the same in one line, for people
    role: str  # of its text, one of ROLES in model.py
    evidence_text: str  # the document's own words: the spans' bytes joined with "\n"; the only text that may be quoted
    retrieval_text: str  # for matching only: breadcrumb and text, may be model-written
    spans: tuple[Span, ...]  # where its text stands, in order
    tokens: int  # estimate without a model: see passages/budget.py
    derivation: str  # observed, extracted_by_ocr or model_rewritten (of retrieval_text)
    groundedness: float | None  # 0 to 1, of a model-written retrieval_text
    indexable: bool  # whether search may return it
    exclusion_reason: str  # why not, where it is not
    content_hash: str  # of every other column but the scope


class Edge(NamedTuple):
    """A row of ``relation_edges``: one cross-reference, as observed, with an honest status."""

    edge_id: str  # SHA-256 over length-prefixed fields; unique
    document_id: str  # the document the reference stands in
    source_node_id: str  # the node it stands in
    source_chunk_id: str  # "" where the mention stands outside every passage
    mention: str  # its words, as observed
    mention_span: Span  # where they stand
    kind: str  # family of the authority: cfr, usc, act, public_law, stat, fr, executive_order, ...
    target_node_id: str | None  # the citation meant; null where it cannot be completed
    target_end_node_id: str | None  # the last of a range, which stays a range
    target_chunk_ids: tuple[str, ...]  # passages that hold the target, where it is resolved
    status: str  # resolved, out_of_corpus, ambiguous, unresolved or unsupported
    candidates: tuple[str, ...]  # what it could be, where it is not exactly one
    reason: str  # why the status is not resolved
    legal_effect: str  # "unresolved" unless a review says otherwise
    corpus_version: str  # as-of date or edition of the document
    content_hash: str  # of every other column but the scope
    sought: str = ""  # the name it is resolved by, where it is no citation: "code:sop-12 § 4.2"; see references/named.py


class DocumentRow(NamedTuple):
    """A row of ``documents``: one source as it was last authored. Written last, so a killed run is taken up again."""

    document_id: str  # chosen in the manifest; survives re-uploads and edits
    corpus_version: str  # as-of date or edition
    title: str  # as the manifest gives it
    source_uri: str  # where the publisher serves it
    source_path: str  # relative to the landing folder
    media_type: str  # of the file
    source_sha256: str  # of the file's bytes
    text_sha256: str  # of all pages' text, joined without a separator
    source_bytes: int  # size of the file
    text_bytes: int  # size of the extracted text, in UTF-8
    pages: int  # how many; 1 for formats without pages
    parser: str  # which parser read it
    parser_version: str  # its version
    author_version: str  # of everything that decides this document's rows; another one means it is authored again
    source_instructions_inert: bool  # always true: text inside a source is data
    status: str  # "parsed", or "failed" for a document that could never be read; its rows are none
    nodes: int  # how many rows it has in nodes
    blocks: int  # how many rows it has in partition
    passages: int  # how many rows it has in chunks
    findings: tuple[Finding, ...]  # what the parser saw and could not settle
    links: tuple[Link, ...]  # footnote marks, markers of citations
    content_hash: str  # of every other column


class IngestRow(NamedTuple):
    """A row of ``ingest_log``: what one run decided about one document. A skip is a decision with a reason."""

    run_id: str  # one for all rows of a run
    logged_at: str  # ISO 8601, UTC
    document_id: str  # the document decided about
    corpus_version: str  # of the source, as the manifest gives it
    action: str  # parse, skip, remove, fail
    reason: str  # why
    source_sha256: str  # pinned in the manifest
    nodes: int  # rows made, 0 where nothing was parsed
    blocks: int  # rows of partition made
    passages: int  # rows of chunks made
    edges: int  # rows of relation_edges made
    findings: int  # of the parser
    seconds: float  # spent on this document
    kind: str = ""  # new, changed, moved, again, described, unchanged, removed, duplicate, or what bars it: empty, ...


class EnrichmentRow(NamedTuple):
    """A row of ``enrichment_log``: one text a model wrote about a passage, and the gate's word on it."""

    run_id: str  # one for all rows of a run
    logged_at: str  # ISO 8601, UTC
    document_id: str  # the passage's document
    chunk_id: str  # the passage
    node_id: str  # its citation
    part: str  # retrieval_text, title, questions, summary; reply where there is no part to judge
    status: str  # accepted, unsupported, invalid, failed, withheld
    score: float  # 0 to 1, the weaker of claim and measurement
    claimed: float | None  # the model's own opinion
    reason: str  # why it is not accepted
    text: str  # what the model wrote; never searched unless accepted, never quoted
    model: str  # which model
    prompt: str  # name and version
    prompt_sha256: str  # of the prompt's file


class Candidate(NamedTuple):
    """One entry of a ranked list as retrieval saw it: what was found, how well, and whether it was taken."""

    chunk_id: str  # the passage
    node_id: str  # its citation
    score: float  # fused; comparable within one query only
    bm25_rank: int | None  # 1-based, null where that list lacks it
    vector_rank: int | None  # the same in the vectors' list
    bm25: float | None  # raw score, where the backend tells it
    cosine: float | None  # raw score, where the backend tells it
    selected: bool  # whether the answer took it


class Cut(NamedTuple):
    """Something an answer left out, and why: the budget, a range, a target outside the corpus."""

    chunk_id: str  # "" where no passage stands for it
    node_id: str  # the citation left out
    step: str  # search, follow, expand
    reason: str  # why


class AnswerPassage(NamedTuple):
    """One quotable passage of an answer, with everything needed to check it against the published file."""

    chunk_id: str
    document_id: str
    corpus_version: str
    node_id: str  # the citation
    breadcrumb: str
    role: str
    evidence_text: str
    spans: tuple[Span, ...]
    path: str  # of the source file, relative to the landing folder
    source_sha256: str
    derivation: str
    tokens: int
    step: str  # cited (named in the question), search, follow, expand
    provenance: str  # why it is here, for people: "found by search", "followed from 21 CFR 211.3 (\"§ 210.3 of this chapter\")"
    edge_id: str = ""  # the reference that was followed
    score: float | None = None
    reading: str = ""  # of a table's rows: each value after the name of its column; for understanding, never a quotation


class Trace(NamedTuple):
    """How an answer came about. Everything needed to repeat or to contest it."""

    backend: str
    query_type: str
    floor: float  # the backend's declared floor
    calibration: str  # how it was calibrated
    confidence: float  # of the decision to answer, 0 to 1
    features: Mapping[str, float]  # what the decision looked at
    candidates: tuple[Candidate, ...]
    cut: tuple[Cut, ...]
    tokens: int  # of all passages together
    budget: int
    follow: int  # hops allowed: 0 is the baseline, 1 follows references


class Answer(NamedTuple):
    """What a question gets: quotable passages, or an honest nothing. ``status`` is one of ``ANSWER_STATUSES``."""

    question: str
    status: str
    reason: str  # of an abstention or a refusal, "" otherwise
    passages: tuple[AnswerPassage, ...]
    trace: Trace


class RetrievalRow(NamedTuple):
    """A row of ``retrieval_log``: one question, and everything needed to see why it got this answer."""

    retrieval_id: str  # unique
    logged_at: str  # ISO 8601, UTC
    question: str  # as asked
    mode: str  # baseline, edge_aware
    backend: str  # which index answered
    query_type: str  # how it was asked: HYBRID, ...
    floor: float | None  # the backend's declared floor
    floor_calibration: str  # how the floor was set
    confidence: float  # of the decision to answer or not, 0 to 1
    candidates: tuple[Candidate, ...]  # what search proposed, best first
    selected: tuple[str, ...]  # chunk_ids of the answer, in order
    followed: tuple[str, ...]  # edge_ids
    cut: tuple[Cut, ...]  # what the answer left out
    tokens: int  # of the selected passages, estimated
    budget: int  # tokens allowed
    status: str  # answered, abstained or refused
    reason: str  # of an abstention or a refusal
    seconds: float  # from question to answer
    chunks_version: int  # version of the chunks table the index was built from; -1 unknown


class HealthRow(NamedTuple):
    """A row of ``health_log``: one count of a scope as a run left it. The tables hold what is; this, what was."""

    run_id: str  # one for all rows of a run
    logged_at: str  # ISO 8601, UTC
    corpus_version: str  # of its documents, where all have one: an as-of date or edition; "" where they differ, as in a folder
    measure: str  # documents, passages, references, uncertain
    kind: str  # a status, "indexed" or why not, a status of references, what is uncertain
    value: int  # how many
    chunks_version: int  # of the chunks table


class EvaluationRow(NamedTuple):
    """A row of ``evaluation_log``: one measure of one setting in one run, with its denominator."""

    evaluation_id: str  # of run, time, setting and measure
    run_id: str  # of the job's run
    logged_at: str  # ISO 8601, UTC
    gold_sha256: str  # of the gold set's file
    part: str  # dev, test or all
    setting: str  # baseline, edge_aware
    measure: str  # its name in pincite.evaluate.measures
    numerator: float  # what counted
    denominator: int  # fixed by the gold set: a failed question stays in it
    value: float  # numerator / denominator
    index_kind: str  # what was searched
    floor: float | None  # the backend's declared floor
    chunks_version: int  # of the chunks table that was searched


# --- identity -------------------------------------------------------------------------------------------------------


def sha256_hex(data: bytes) -> str:
    """Full SHA-256 of *data*, lower-case hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest(*fields: object) -> str:
    """SHA-256 over length-prefixed fields, so that no two field lists share an id by concatenation.

    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    hasher = hashlib.sha256()
    for field in fields:
        data = b"" if field is None else str(field).encode()
        hasher.update(b"%d:" % (-1 if field is None else len(data)))
        hasher.update(data)
    return hasher.hexdigest()


def span_of(page_text: bytes, page: int, start: int, end: int, raw: tuple[int, int] | None = None) -> Span:
    """The span of ``page_text[start:end]``, hashed now, so that a row cannot be made with a wrong hash."""
    if not 0 <= start <= end <= len(page_text):
        raise ValueError(f"span {start}:{end} is outside page {page}, which has {len(page_text)} bytes")
    raw_start, raw_end = raw if raw else (None, None)
    return Span(page, start, end, sha256_hex(page_text[start:end]), raw_start, raw_end)


def is_generic(document: Document) -> bool:
    """Whether a composer made it: its root is named by the document id, not by a citation. A team's own document."""
    return bool(document.nodes) and document.nodes[0][0:3:2] == (document.source.document_id, "document")


def is_paper(document: Document) -> bool:
    """Whether it is a PDF of a team's own: read as a manual, of no known series and from no publisher's address."""
    known = next((found.subject for found in document.findings if found.kind == "profile"), "")
    return known == "generic" and not document.source.uri.startswith(("http://", "https://"))


def conserved(document: Document) -> bool:
    """Whether the partition covers every byte of every page exactly once, in order."""
    return not list(uncovered(document.pages, document.partition))


def uncovered(pages: tuple[bytes, ...], partition: Iterable[Block]) -> Iterable[str]:
    """Each place where a partition leaves a gap, overlaps, or hashes other bytes than it names."""
    position = dict.fromkeys(range(1, len(pages) + 1), 0)
    last_page = 0
    for block in partition:
        if block.page not in position or block.page < last_page:
            yield f"block {block.ordinal}: page {block.page} is out of order"
            continue
        last_page = block.page
        if block.start != position[block.page] or block.end < block.start:
            yield f"block {block.ordinal}: page {block.page} starts at {block.start}, expected {position[block.page]}"
        position[block.page] = block.end
        if sha256_hex(pages[block.page - 1][block.start : block.end]) != block.sha256:
            yield f"block {block.ordinal}: its hash is not that of its bytes"
    for number, end in position.items():
        if end != len(pages[number - 1]):
            yield f"page {number}: covered to byte {end} of {len(pages[number - 1])}"
