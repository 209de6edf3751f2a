"""The annual edition of the Code as GovInfo publishes it: ``CFRGRANULE`` and ``CFRDOC``.

``SECTION`` with ``SECTNO`` and ``SUBJECT``, ``HD`` with its level in ``SOURCE``, ``GPOTABLE`` of ``ROW`` and ``ENT``. The table
of contents repeats every number, subject and subpart: in ``CONTENTS`` nothing is a division.
"""

from __future__ import annotations

import re

from pincite.model import Source
from pincite.parse.cfr_names import ABOVE, node_id_of, number_of, split_head, title_hint
from pincite.parse.reader import Identity, Reader, Waiting, dialect

LEAVES = {
    "": "P P-1 P-2 P-3 P1 P2 FL-2 FP FP-1 FP-2 FP1-2 FP2 FP2-2 FP2-3 FRP FRP0 FP-DASH P-DASH HALFDASH PSPACE LDRFIG LI"
    " BCAP TCAP STARS DATE DATED MIDWORD FP1 FP2-1 FP3 FP4 PARA BQ NPAR P1-3 P2-3 P2-4 P4-5 P6-7 P8-9 CODE",
    "heading": "HED HED1 DOCKETHD PARTHD TITLEHD CHAPHD SUBCHHD SECTNO SUBJECT CAPTION",
    "amendment_history": "CITA CITA1 AMDDATE",
    "authority": "SECAUTH PARAUTH",
    "notice": "APPRO XREF EXT-XREF OMBNO",
    "contents": "APP CHAPNO PG PT PTHD SECHD SUBJECT1 SUBJECT2 SUBJECT3 SUBJ1L SUBJ2L SUBJ3L SUBJ4L SUBJL ALPHHD CHHD PGHD",
    "reserved": "RESERVED",
    "page_furniture": "EAR LRH RRH GID MID CFRTITLE CFRTITLETEXT VOL ORIGINALDATE COVERONLY TITLE GRANULENUM HEADING"
    " STATUS PARENT PAGEINFO VOLUME TITLENUM PARTS REVISED CONTAINS PUB GPO EXPL CITEP IPAR STUB THISTITL ALL REV AGENCY"
    " SUBAGCY CFRID CFRHD CFRNO AGHD SUBTITL ENTRY VOLHD YEAR REG ONOTE OWNER ADDR PUBLI NAME POSITION OFFICE",
}
"""Elements with a text of their own, by the role of it; the Federal Register has most of them too."""

HOLDERS = {
    "": "EXTRACT BOXTXT LDRWK SCOL2 BODY TITLEPG SEQUENCE",
    "authority": "AUTH",
    "source_note": "SOURCE",
    "notice": "EDNOTE EFFDNOT EFFDNOTP CROSSREF REVTXT SUPERSED",
    "contents": "CONTENTS CFRTOC TOC CHAPTI SUBTI TITLENO SUPPLPUB FAIDS TOCHD",
    "footnote": "FTNT EFTNT TNOTE",
    "example": "EXAMPLE",
    "note": "NOTE",
    "table": "GPOTABLE BOXHD CHED ROW ENT TTITLE TDESC",
    "page_furniture": "GPH MATH FDSYS ANCESTORS FMTR BMTR BTITLE CITE EXPLA SIDEHED ALPHLIST TOCTAC LSA PUBYEAR OMBNOS",
}

INLINE = "AC E FR FTREF I PRTPAGE SU B br sup sub LINEBREAK"
QUOTING = "EXTRACT EXAMPLE NOTE FTNT EFTNT BOXTXT SCOL2 GPOTABLE"

ANNUAL = dialect(
    parser="cfr-annual-xml",
    inline=INLINE,
    named="HD",
    holders={**HOLDERS, "": HOLDERS[""] + " CFRGRANULE CFRDOC TEXT SIG"},
    leaves={**LEAVES, "heading": LEAVES["heading"] + " HD.HED HD.HD1 HD.HD2 HD.HD3 HD.HD4 HD.HD5 HD.HD6 HD."},
    divisions={
        "SUBTITLE": "subtitle",
        "CHAPTER": "chapter",
        "SUBCHAP": "subchapter",
        "PART": "part",
        "SUBPART": "subpart",
        "SUBJGRP": "subject_group",
        "SECTION": "section",
        "APPENDIX": "appendix",
    },
    roots="CFRGRANULE CFRDOC",
    quoting=QUOTING,
)

_NUMBER = {
    "part": re.compile(r"parts?\s+([\w–-]+)", re.IGNORECASE),
    "subpart": re.compile(r"subparts?\s+([\w–-]+)", re.IGNORECASE),
    "chapter": re.compile(r"chapter\s+([IVXLC]+)", re.IGNORECASE),
    "subchapter": re.compile(r"subchapter\s+(\w+)", re.IGNORECASE),
    "subtitle": re.compile(r"subtitle\s+(\w+)", re.IGNORECASE),
    "appendix": re.compile(r"(.+?)(?:\s*[—:]|\s*\[reserved\]|$)", re.IGNORECASE | re.DOTALL),
    "section": re.compile(r"§*\s*(\S+(?:\s*[–-]\s*\S+)?)"),
}
_HEAD_TAGS = ("HD.HED", "RESERVED")


class AnnualReader(Reader):
    """Divisions are named by their first headings."""

    dialect = ANNUAL

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.title = title_hint(source)

    def close(self, tag: str, raw: int, position: int) -> None:
        """A holder ends; the metadata has the title's number."""
        if tag == "FDSYS":
            self.title = next((t.text for t in self.texts if t.tag == "CFRTITLE"), self.title)
        elif tag in ("GPH", "MATH"):
            self.note(tag, {}, position)
        super().close(tag, raw, position)

    def identify(self, waiting: Waiting, kind: str) -> Identity:
        """From SECTNO and SUBJECT, or from the first HD."""
        heads = self._section_heads() if kind == "section" else self._division_heads()
        head = " ".join(" ".join(self.texts[i].text for i in heads).split())
        if not head and kind in ("chapter", "subtitle"):
            head = " ".join(self._head_in_contents(kind).split())
        match = _NUMBER[kind].match(head) if kind in _NUMBER else None
        number = number_of(match.group(1) if match else "", kind, head)
        if not self.title:
            self.title = "?"
            reason = "neither the file nor its path says which title of the Code this is"
            self.builder.find("unknown_title", waiting.tag, reason, waiting.position)
        label, heading = split_head(kind, head, number)
        if kind == "section" and len(heads) > 1:
            heading = " ".join(self.texts[heads[1]].text.split())
        above = self.above(ABOVE.get(kind)) if kind not in ("section", "part") else ""
        return Identity(node_id_of(self.title, kind, number, heading, above), label, heading, head, heads)

    def _section_heads(self) -> tuple[int, ...]:
        """SECTNO, and SUBJECT or RESERVED right after it."""
        tags = [text.tag for text in self.texts]
        if "SECTNO" not in tags:
            return ()
        first = tags.index("SECTNO")
        last = first + 1
        if last < len(tags) and tags[last] in ("SUBJECT", "RESERVED"):
            return first, last
        return (first,)

    def _division_heads(self) -> tuple[int, ...]:
        """The first heading that is no notice's: ``Authority:`` is an HD too."""
        for index, text in enumerate(self.texts):
            if text.tag in _HEAD_TAGS and not text.context.role:
                return (index,)
        return ()

    def _head_in_contents(self, kind: str) -> str:
        """The heading of a chapter in a whole volume, which stands in its table of contents only."""
        pattern = _NUMBER[kind]
        return next((t.text for t in self.texts if t.tag in _HEAD_TAGS and pattern.match(t.text)), "")
