"""Every form of reference, in sentences of our own: what is marked, what it names, and what must not be marked.

``shapes.txt`` and ``not_references.txt`` are the tables: a sentence, and under it, indented, each mention with its target
(``->`` the end of a range, ``!`` unsupported, ``?`` understood but not to be completed). ``@`` changes where the
sentences stand.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.model import Mention, Place
from pincite.references import find

FOLDER = Path(__file__).parent
CONTEXT = (
    "Title 21",
    "21 CFR Chapter I",
    "21 CFR Chapter I Subchapter C",
    "21 CFR Part 911",
    "21 CFR Part 911 Subpart B",
    "21 CFR 911.22",
)
HERE = Place("21 CFR 911.22(b)(2)", CONTEXT)


def table(name: str) -> list[tuple[str, Place, list[str]]]:
    """The sentences of a table, each with its place and the mentions expected in it."""
    cases: list[tuple[str, Place, list[str]]] = []
    place = HERE
    for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            node_id = line[1:].strip()
            place = HERE if node_id == "here" else Place(node_id)
        elif line.startswith("    "):
            cases[-1][2].append(line.strip())
        else:
            cases.append((_unescaped(line), place, []))
    return cases


def _unescaped(line: str) -> str:
    """``\\n`` and ``\\u00a0`` stand for the characters they name."""
    return re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), line).replace("\\n", "\n")


def shown(mention: Mention) -> str:
    target = {"unsupported": "!"}.get(mention.status) or mention.target_node_id or "?"
    end = f" -> {mention.target_end_node_id}" if mention.target_end_node_id else ""
    return f"{' '.join(mention.text.split())} = {target}{end}"


SHAPES = table("shapes.txt")
NOT_REFERENCES = table("not_references.txt")


@pytest.mark.parametrize(("text", "place", "expected"), SHAPES, ids=[text[:50] for text, _, _ in SHAPES])
def test_shape(text, place, expected):
    assert [shown(mention) for mention in find(text, place)] == expected


@pytest.mark.parametrize(("text", "place", "expected"), NOT_REFERENCES, ids=[text[:50] for text, _, _ in NOT_REFERENCES])
def test_must_not_match(text, place, expected):
    found = find(text, place)
    assert [shown(mention) for mention in found if mention.status != "unsupported"] == expected


def test_there_are_at_least_as_many_negatives_as_shapes():
    assert len(NOT_REFERENCES) >= len(SHAPES)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("§ 911.22", "cfr"),
        ("this section", "cfr"),
        ("42 U.S.C. 1983", "usc"),
        ("chapter 35 of title 44", "usc"),
        ("section 505 of the act", "act"),
        ("Pub. L. 104-191", "public_law"),
        ("sec. 5, Pub. L. 104-191", "public_law"),
        ("110 Stat. 1936", "stat"),
        ("43 FR 45077", "fr"),
        ("E.O. 10530", "executive_order"),
        ("§ 17200", "unknown"),
    ],
)
def test_kind(text, kind):
    assert [mention.kind for mention in find(text, HERE)] == [kind]


def test_an_act_known_by_a_short_name_says_where_the_name_comes_from():
    (by_usage,) = find("section 505 of the act", HERE)
    assert "usage" in by_usage.reason
    (defined,) = find("section 505 of the act", HERE, names={"act": "Quarry Safety Act"})
    assert (defined.target_node_id, defined.reason) == ("Quarry Safety Act § 505", "")
    (unknown,) = find("section 505 of the act", Place("16 CFR 5.1"))
    assert (unknown.target_node_id, unknown.status) == (None, "unresolved")
    assert "not defined" in unknown.reason


def test_an_unknown_family_is_refused():
    with pytest.raises(UsageError, match="cfr, internal, manual, paper, rulebook"):
        find("§ 911.22", HERE, family="klingon")
