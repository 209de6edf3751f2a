"""The eCFR's XML in both dialects: ecfr.gov's versioner and GPO's bulk data, under any root.

``DIV1`` title > ``DIV3`` chapter > ``DIV4`` subchapter > ``DIV5`` part > ``DIV6`` subpart > ``DIV7`` subject group > ``DIV8``
section; ``DIV9`` appendix. Any level may be missing. Paragraph levels are not in the markup (:mod:`pincite.parse.outline`).
Every element of GPO's user guide for the bulk dialect is in the table below; the versioner dialect has no others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from pincite.model import Source
from pincite.parse.cfr_names import ABOVE, above_in_path, node_id_of, number_of, split_head, title_hint
from pincite.parse.reader import Identity, Reader, Waiting, dialect

ECFR = dialect(
    parser="ecfr-xml",
    inline="a AC B br E em FR fr FTREF I MATH strong SU sub sup b i u",
    noted="img",
    holders={
        "": "ECFR DLPSTEXTCLASS TEXT BODY ECFRBRWS DIV EXTRACT BOXTXT SCOL2 LDRWK",
        "page_furniture": "HEADER FILEDESC TITLESTMT PUBLICATIONSTMT SERIESSTMT PROFILEDESC TEXTCLASS",
        "authority": "AUTH",
        "source_note": "SOURCE",
        "notice": "EDNOTE EFFDNOT CROSSREF REVTXT SUPERSED",
        "contents": "CFRTOC CHAPTI SUBTI SUBCHIND",
        "footnote": "FTNT EFTNT DIV.table_foot",
        "example": "EXAMPLE",
        "note": "NOTE",
        "table": "TABLE THEAD TBODY TFOOT TR TD TH CAPTION DIV.table_head",
    },
    leaves={
        "": "P P-1 P-2 P-3 P1 P2 FL-2 FP FP-1 FP-2 FP1-2 FP2 FP2-2 FP2-3 FRP FRP0 FP-DASH P-DASH HALFDASH PSPACE LDRFIG LI"
        " BCAP TCAP STARS HED TITLE DATE",
        "heading": "HEAD HD1 HD2 HD3 HD4 HD5 HD6 HED1 DOCKETHD PARTHD SECHD SECTNO",
        "amendment_history": "CITA AMDDATE",
        "authority": "SECAUTH PARAUTH",
        "notice": "APPRO XREF",
        "contents": "ABBR ALPHHD APP CHAPNO PG PT PTHD SUBJECT SUBJECT1 SUBJECT2 SUBJ1L SUBJ2L SUBJ3L SUBJL",
        "reserved": "RESERVED",
        "page_furniture": "AUTHOR IDNO KEYWORDS PUBLISHER PUBPLACE VOLUME",
    },
    divisions={
        "DIV1": "title",
        "DIV2": "subtitle",
        "DIV3": "chapter",
        "DIV4": "subchapter",
        "DIV5": "part",
        "DIV6": "subpart",
        "DIV7": "subject_group",
        "DIV8": "section",
        "DIV9": "appendix",
    },
    roots="ECFR DLPSTEXTCLASS",
    quoting="EXTRACT EXAMPLE NOTE FTNT EFTNT BOXTXT SCOL2 TABLE DIV.table_head DIV.table_foot",
)

_CITED_TITLE = re.compile(r"\b(\d{1,2}) CFR\b|\bTitle (\d{1,2})\b|title-(\d{1,2})/")
_VOLUME = re.compile(r"\s*-{2}\s*Volume \d+\s*$")


class EcfrReader(Reader):
    """Divisions are ``DIV1`` to ``DIV9`` with their number in ``N`` and their heading in ``HEAD``."""

    dialect = ECFR

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.title = title_hint(source)
        self.stated = False  # the file's metadata says the title

    def close(self, tag: str, raw: int, position: int) -> None:
        """A holder ends; the bulk dialect's header has the title's number."""
        if tag == "PUBLICATIONSTMT":
            self.title = next((t.text for t in self.texts if t.tag == "IDNO" and t.text.isdigit()), self.title)
        super().close(tag, raw, position)

    def identify(self, waiting: Waiting, kind: str) -> Identity:
        """From ``N``, the metadata and the first HEAD."""
        attributes = waiting.attributes
        index = self._head()
        printed = self.texts[index].text if index is not None else ""
        head = " ".join((_VOLUME.sub("", printed) if kind == "title" else printed).split())
        self.title = self._title_of(kind, head, attributes) or self.title
        if not self.title:
            self.title = "?"
            reason = "neither the file nor its path says which title of the Code this is"
            self.builder.find("unknown_title", waiting.tag, reason, waiting.position)
        number = number_of(attributes.get("N", ""), kind, head)
        label, heading = split_head(kind, head, number)
        above = self.above(ABOVE.get(kind)) if kind not in ("section", "part", "title") else ""
        if not self.divisions and not above:
            stated = attributes.get("hierarchy_metadata", "") or self.source.path
            above = above_in_path(self.title, kind, stated)
        node_id = node_id_of(self.title, kind, number, heading, above)
        return Identity(node_id, label, heading, head, () if index is None else (index,))

    def _head(self) -> int | None:
        """Which text is the division's heading: nearly always the first."""
        for index, text in enumerate(self.texts):
            if text.tag == "HEAD" and not text.context.role:
                return index
        return None

    def _title_of(self, kind: str, head: str, attributes: Mapping[str, str]) -> str:
        """The title's number, from the first of: the citation in the metadata, the heading, the bulk NODE, N."""
        cited = attributes.get("hierarchy_metadata", "")
        if cited:
            if self.stated:
                return self.title
            if match := _CITED_TITLE.search(cited):
                self.stated = True
                return next(group for group in match.groups() if group)
        if kind == "title" and (match := _CITED_TITLE.search(head)):
            return next(group for group in match.groups() if group)
        if ":" in attributes.get("NODE", ""):
            return attributes["NODE"].split(":")[0]
        return attributes.get("N", "") if kind == "title" else ""
