"""The elements of the eCFR's XML, both dialects: what each is to the scanner, and the role of the text in it.

Every element of GPO's user guide for the bulk dialect is here; the versioner dialect has no others. An element that is not
here becomes a finding, and its text is kept with the role ``notice``: it is shown, but never taken for the rule.
"""

from __future__ import annotations

from pincite.parse.scan import HOLDER, INLINE, LEAF, NOTED

_INLINE = "a AC B br E em FR FTREF I MATH strong SU sub sup b i u"
_HOLDERS = {
    "": "ECFR DLPSTEXTCLASS TEXT BODY ECFRBRWS DIV DIV1 DIV2 DIV3 DIV4 DIV5 DIV6 DIV7 DIV8 DIV9 EXTRACT BOXTXT SCOL2 LDRWK",
    "page_furniture": "HEADER FILEDESC TITLESTMT PUBLICATIONSTMT SERIESSTMT PROFILEDESC TEXTCLASS",
    "authority": "AUTH",
    "source_note": "SOURCE",
    "notice": "EDNOTE EFFDNOT CROSSREF REVTXT SUPERSED",
    "contents": "CFRTOC CHAPTI SUBTI SUBCHIND",
    "footnote": "FTNT EFTNT",
    "example": "EXAMPLE",
    "note": "NOTE",
    "table": "TABLE THEAD TBODY TFOOT TR TD TH CAPTION",
}
_LEAVES = {
    "": "P P-1 P-2 P-3 P1 P2 FL-2 FP FP-1 FP-2 FP1-2 FP2 FP2-2 FP2-3 FRP FRP0 FP-DASH P-DASH HALFDASH PSPACE LDRFIG LI"
    " BCAP TCAP STARS HED TITLE DATE",
    "heading": "HEAD HD1 HD2 HD3 HD4 HD5 HD6 HED1 DOCKETHD PARTHD SECHD SECTNO",
    "amendment_history": "CITA AMDDATE",
    "authority": "SECAUTH PARAUTH",
    "notice": "APPRO XREF",
    "contents": "ABBR ALPHHD APP CHAPNO PG PT PTHD SUBJECT SUBJECT1 SUBJECT2 SUBJ1L SUBJ2L SUBJ3L SUBJL",
    "reserved": "RESERVED",
    "page_furniture": "AUTHOR IDNO KEYWORDS PUBLISHER PUBPLACE VOLUME",
}

KINDS: dict[str, int] = {
    **dict.fromkeys(_INLINE.split(), INLINE),
    "img": NOTED,
    **{tag: HOLDER for tags in _HOLDERS.values() for tag in tags.split()},
    **{tag: LEAF for tags in _LEAVES.values() for tag in tags.split()},
}
"""What each element is to the scanner."""

HOLDER_ROLES = {tag: role for role, tags in _HOLDERS.items() if role for tag in tags.split()}
"""The role a holder gives to everything in it."""

LEAF_ROLES = {tag: role or "body" for role, tags in _LEAVES.items() for tag in tags.split()}
"""The role of a leaf's text where no holder around it says otherwise."""

DIVISIONS = {
    "DIV1": "title",
    "DIV2": "subtitle",
    "DIV3": "chapter",
    "DIV4": "subchapter",
    "DIV5": "part",
    "DIV6": "subpart",
    "DIV7": "subject_group",
    "DIV8": "section",
    "DIV9": "appendix",
}
"""The levels of the Code."""

QUOTING = frozenset({"EXTRACT", "EXAMPLE", "NOTE", "FTNT", "EFTNT", "BOXTXT", "SCOL2", "TABLE"})
"""Holders whose paragraphs are not the section's own: a designator in them opens no paragraph of the section."""

FOOTNOTES = frozenset({"FTNT", "EFTNT"})

ROOTS = frozenset({"ECFR", "DLPSTEXTCLASS", *DIVISIONS})
