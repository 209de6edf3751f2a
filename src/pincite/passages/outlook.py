"""What is indexed and how a place is shown: the roles that are kept but not searched, and the names in a breadcrumb."""

from __future__ import annotations

from pincite.model import Node

INNER_KINDS = frozenset({"paragraph", "definition", "item", "table"})
"""Nodes inside a section. Every other node is a unit of its own: no passage reaches across two of them."""

MANUAL_KINDS = frozenset({"manual", "volume", "chapter", "memo", "annex", "heading", "margin_section"})
"""Divisions of a numbered manual: a paragraph directly below one is a unit of its own, with its notes and examples."""

EXCLUSIONS = {
    "contents": "navigation: a table of contents",
    "heading": "navigation: a heading without text of its own",
    "reserved": "reserved: there is no text",
    "authority": "authority statement, not text of the rule",
    "source_note": "source note, not text of the rule",
    "amendment_history": "amendment history, not text of the rule",
    "notice": "editorial notice, not text of the rule",
    "page_furniture": "running head, foot or file header",
    "reference_dictionary": "list of references, not text",
    "metadata": "properties of the document, not text of it",
    "navigation": "navigation: menus, links to other pages",
    "contact": "contact details, not text of the rule",
}
"""Role of a passage -> why it is not indexed."""

_MAIN_ROLES = ("body", "table", "example", "note", "footnote", "annotation", "reserved", "heading")


def role_of(roles: list[str]) -> str:
    """The role of a passage: that of its weightiest block."""
    if len(set(roles)) == 1:
        return roles[0]
    return next((role for role in _MAIN_ROLES if role in roles), roles[0])


def printed_name(node: Node) -> str:
    """A place as it stands in a breadcrumb: label and heading, as the source prints them."""
    _, _, kind, label, heading = node[:5]
    if kind == "paragraph":
        return f"{label} {heading}".rstrip()
    if kind == "item" and not any(map(str.isalnum, label)):
        return heading  # a bullet
    if kind == "section":
        return f"§ {label} {heading}".rstrip()
    if kind in ("subject_group", "appendix", "definition", "division"):
        return heading or label
    return f"{label}—{heading}" if heading and label and heading != label else label or heading
