"""Federal Register documents as GovInfo and federalregister.gov publish them: ``RULE``, ``PRORULE``, ``NOTICE``, ``PRESDOCU``.

A document is cited by its number, ``FR Doc. 2024-29957``; its preamble by heading; the regulation text it amends below the
document, ``FR Doc. 2024-29957 21 CFR 101.65(d)``, because it is not the text in force until it is codified.
"""

from __future__ import annotations

import re

from pincite.model import Document, Source
from pincite.parse.annual import HOLDERS, INLINE, LEAVES, QUOTING
from pincite.parse.cfr_names import number_of
from pincite.parse.reader import Identity, Reader, Waiting, dialect

FEDREG = dialect(
    parser="fr-xml",
    inline=INLINE,
    named="HD",
    holders={
        **HOLDERS,
        "": HOLDERS[""] + " FEDREG RULES PRORULES NOTICES PREAMB AGY ACT SUM DATES EFFDATE ADD SUPLINF PART SUBPART SUBJGRP"
        " CONTENTS SIG PRNOTICE EXECORD PROCLA DETERM PRESDOCS PRESDOC PRMEMO PRORDER PNOTICE PRIACT CHAPTER",
        "notice": HOLDERS["notice"] + " LSTSUB",
        "page_furniture": HOLDERS["page_furniture"] + " UNITNAME NEWPART PTITLE VOL",
        "contact": "FURINF",
        "contents": "CNTNTS AGCY AIDS CAT DOCENT SJDENT PTS",
    },
    leaves={
        **LEAVES,
        "": LEAVES[""] + " AMDPAR NAME TITLE PLACE POSITION OFFICE CFRPARA PRES PSIG OLNOTE1 OLNOTE2 OLNOTE3"
        " OLNOTE4 OLNOTE5 OLNOTE6",
        "heading": LEAVES["heading"] + " AGENCY SUBAGY CFR DEPDOC RIN AGENCYNAME PREAMHD PROC TITLE3 HD.HED HD.HD1 HD.HD2"
        " HD.HD3 HD.HD4 HD.HD5 HD.HD6 HD.HD8 HD.",
        "contents": LEAVES["contents"] + " DOC PGS SJ SJDOC SEE EAR",
        "page_furniture": "FRDOC FRDOCBP FILED BILCOD GID MID NO PARTNO HRULE EDITOR DATE1 PRTPAGENO",
        "contact": "PHONE EMAIL",
        "amendment_history": "CITA AMDDATE",
    },
    divisions={
        "RULE": "document",
        "PRORULE": "document",
        "NOTICE": "document",
        "PRESDOCU": "document",
        "REGTEXT": "amendment",
        "SECTION": "section",
        "APPENDIX": "appendix",
    },
    roots="FEDREG RULES PRORULES NOTICES",
    quoting=QUOTING,
)

_OWN = re.compile(rb"<FRDOC>[^<]*")
"""Where a document prints its own number; elsewhere it may print another's."""
_NUMBER = re.compile(rb"FR\s+Doc\.?\s*([0-9A-Z]{1,4}(?:-|\xe2\x80\x93|&#x2013;)[0-9]+)")
_TITLE = re.compile(r"\s*(\d{1,2})\s+CFR\b")
_AMENDMENT = re.compile(r"(\d+[a-z]?)\.\s")


class FedRegReader(Reader):
    """One or more documents of an issue."""

    dialect = FEDREG

    def __init__(self, source: Source, data: bytes) -> None:
        super().__init__(source)
        self.numbers = [
            re.sub("–|&#x2013;", "-", match.decode()) for match in _NUMBER.findall(b" ".join(_OWN.findall(data)) or data)
        ]
        self.name, self.title, self.amendments = "", "?", 0

    def identify(self, waiting: Waiting, kind: str) -> Identity:
        """A document by its number, an amendment by its own, a section by the Code's citation below the document."""
        if kind == "document":
            return self._document()
        if kind == "amendment":
            self.title = waiting.attributes.get("TITLE", self.title)
            self.amendments += 1
            first = next((t.text for t in self.texts if t.tag == "AMDPAR"), "")
            match = _AMENDMENT.match(first)
            number = match.group(1) if match else str(self.amendments)
            part = waiting.attributes.get("PART", "")
            heading = f"{self.title} CFR Part {part}" if part else ""
            return Identity(f"{self.name} Amendment {number}", f"Amendment {number}", heading, "", ())
        tags = [text.tag for text in self.texts]
        first_tag = "SECTNO" if kind == "section" else "HD.HED"
        index = tags.index(first_tag) if first_tag in tags else None
        if index is None:
            return Identity(f"{self.name} {kind.capitalize()}", "", "", "", ())
        printed = " ".join(self.texts[index].text.split())
        number = number_of(printed, kind, printed) if kind == "section" else printed.split("—")[0].strip()
        heads = (index, index + 1) if tags[index + 1 : index + 2] in (["SUBJECT"], ["RESERVED"]) else (index,)
        heading = " ".join(self.texts[heads[-1]].text.split()) if len(heads) > 1 or kind == "appendix" else ""
        node_id = f"{self.name} {self.title} CFR {number}" if kind == "section" else f"{self.name} {number}"
        return Identity(node_id, number, heading, f"{printed} {heading}", heads)

    def _document(self) -> Identity:
        """The next of the numbers the file prints; a document's own comes at its end."""
        self.name = f"FR Doc. {self.numbers.pop(0)}" if self.numbers else f"FR document {self.source.document_id}"
        self.amendments = 0
        titles = [match.group(1) for text in self.texts if text.tag == "CFR" and (match := _TITLE.match(text.text))]
        self.title = titles[0] if titles else "?"  # a proposed rule says it nowhere else
        index = next((i for i, t in enumerate(self.texts) if t.tag == "SUBJECT"), None)
        heading = " ".join(self.texts[index].text.split()) if index is not None else ""
        return Identity(self.name, self.name, heading, heading, ())


def parse_fedreg(source: Source, data: bytes) -> Document:
    """The document in *data*. Raises ``Malformed``, ``Forbidden`` or ``TooExpensive``."""
    return FedRegReader(source, data).document(data)
