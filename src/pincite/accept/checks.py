"""The checks. Each takes a case and what was observed, and returns what is wrong, one sentence each; none is a pass.

They read positions and names out of the observation and slice the registered text themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from pincite.model import Block, sha256_hex, uncovered

Case = Mapping[str, Any]


class Seen(NamedTuple):
    """One case's material. ``page_of`` turns a published page number into the file's."""

    pages: tuple[bytes, ...]
    sha256: str
    observation: Mapping[str, Any]
    page_of: Callable[[int], int]
    spaced: bool  # a letter-spaced source: texts are compared without any white space

    def flat(self, text: str) -> str:
        """*text* as it is compared: hyphenated line ends joined, white space collapsed."""
        joined = re.sub(r"(?<=\w)-\n(?=[a-z])", "-", text)
        return "".join(joined.split()) if self.spaced else " ".join(joined.split())

    def text(self, spans: Iterable[Mapping[str, Any]]) -> str:
        pieces = [self.pages[s["page"] - 1][s["start"] : s["end"]].decode("utf-8", "replace") for s in spans]
        return self.flat("\n".join(pieces))

    def unit(self, citation: str) -> Mapping[str, Any] | None:
        """The unit with this citation, exactly or as the end of a longer one."""
        units = self.observation.get("units", ())
        exact = [unit for unit in units if unit["citation"] == citation]
        ending = [unit for unit in units if unit["citation"].endswith(" " + citation)]
        found = exact or ending
        return found[0] if len(found) == 1 else None


def source_identity(case: Case, seen: Seen) -> Iterator[str]:
    """The observation is of the registered bytes, and nothing in them was obeyed."""
    if seen.observation.get("source", {}).get("sha256") != seen.sha256:
        yield "the observation is of another file than the registered one"
    if seen.observation.get("source_instructions_inert") is not True:
        yield "source_instructions_inert is not true"


def byte_conservation(case: Case, seen: Seen) -> Iterator[str]:
    """The partition covers every byte of every page once, in order, with true hashes."""
    blocks = [
        Block(number, b["page"], b["start"], b["end"], b["role"], "", b["sha256"])
        for number, b in enumerate(seen.observation.get("partition", ()))
    ]
    yield from uncovered(seen.pages, blocks)


def provenance(case: Case, seen: Seen) -> Iterator[str]:
    """Each span of a unit is a stretch of its page with the hash it names, of whole characters, in order, in one unit only."""
    taken: list[tuple[int, int, int, str]] = []
    for unit in seen.observation.get("units", ()):
        previous = (0, 0)
        for span in unit["spans"]:
            key = (span["page"], span["start"], span["end"])
            where = f"{unit['citation']}: page {key[0]}, bytes {key[1]}:{key[2]}"
            if not _valid(span, seen):
                yield f"{where}: the hash is not that of these bytes, or they are no whole characters"
            if key[:2] < previous:
                yield f"{where}: out of order"
            taken.append((*key, unit["citation"]))
            previous = (key[0], key[2])
    reach: tuple[int, int, str] = (0, 0, "")
    for page, start, end, citation in sorted(taken):
        if (page, start) < reach[:2] and citation != reach[2]:
            yield f"{citation}: page {page}, bytes {start}:{end}: also claimed by {reach[2]}"
        reach = max(reach, (page, end, citation))


def _valid(span: Mapping[str, Any], seen: Seen) -> bool:
    if not 1 <= span["page"] <= len(seen.pages):
        return False
    data = seen.pages[int(span["page"]) - 1]
    if not 0 <= span["start"] < span["end"] <= len(data):
        return False
    # a byte 0b10xxxxxx goes on with a character, so none may begin or follow the span
    if any(at < len(data) and data[at] & 0xC0 == 0x80 for at in (span["start"], span["end"])):
        return False
    return bool(sha256_hex(data[span["start"] : span["end"]]) == span["sha256"])


def governing_heading(case: Case, seen: Seen) -> Iterator[str]:
    """Each passage stands under its true heading, and not under what stands above it by accident."""
    for expected in case["passages"]:
        unit = seen.unit(expected["citation"])
        wanted = expected["governing_heading"]
        if unit is not None and wanted is not None and seen.flat(wanted) != seen.flat(unit["heading"]):
            yield f"{expected['citation']} stands under {unit['heading']!r}, not under {wanted!r}"
    for refused in case.get("not_headings", ()):
        unit = seen.unit(refused["citation"])
        if unit is not None and seen.flat(refused["heading"]) == seen.flat(unit["heading"]):
            yield f"{refused['citation']} has taken {refused['heading']!r} for its heading"


def complete_passage(case: Case, seen: Seen) -> Iterator[str]:
    """Each passage begins and ends where it does in the source, holds all of its own and nothing of its neighbours."""
    for expected in [*case["passages"], *case.get("examples", ())]:
        name = expected.get("citation") or expected["title"]
        text = seen.text(_holder(expected, seen))
        if not text:
            yield f"{name} was not found as one unit"
            continue
        begins, ends = seen.flat(expected["begins"]), seen.flat(expected["ends"])
        if "citation" in expected and begins not in text[: len(begins) + 24]:
            yield f"{name} begins with {text[:60]!r}"
        if not text.endswith(ends) and "citation" in expected:
            yield f"{name} ends with {text[-60:]!r}"
        wanted = [*expected.get("contains", ()), *(" ".join(row) for row in expected.get("rows", ()))]
        wanted += [] if "citation" in expected else [expected["begins"], expected["ends"]]
        yield from (f"{name} lacks {part!r}" for part in wanted if seen.flat(part) not in text)
        yield from (f"{name} has swallowed {part!r}" for part in expected.get("excludes", ()) if seen.flat(part) in text)
        yield from _pages(name, expected, _holder(expected, seen), seen)
        if expected.get("sha256") and sha256_hex(whole_text(_holder(expected, seen), seen).encode()) != expected["sha256"]:
            yield f"{name} is not, character for character, the registered passage"


def whole_text(spans: Iterable[Mapping[str, Any]], seen: Seen) -> str:
    """The text of *spans* without white space, as a passage's registered hash is taken."""
    return "".join(seen.text(spans).split())


def _holder(expected: Mapping[str, Any], seen: Seen) -> Sequence[Mapping[str, Any]]:
    """The spans of the unit that is the passage, or that holds the example with this title in its place."""
    if "citation" in expected:
        unit = seen.unit(expected["citation"])
        return unit["spans"] if unit else ()
    begins = seen.flat(expected["begins"])
    holders: list[Sequence[Mapping[str, Any]]] = [
        unit["spans"] for unit in seen.observation.get("units", ()) if begins in seen.text(unit["spans"])
    ]
    return holders[0] if len(holders) == 1 else ()


def _pages(name: str, expected: Mapping[str, Any], spans: Sequence[Mapping[str, Any]], seen: Seen) -> Iterator[str]:
    wanted, found = {seen.page_of(page) for page in expected["pages"]}, {span["page"] for span in spans}
    if found != wanted:
        yield f"{name} stands on pages {sorted(found)} of the file, expected {sorted(wanted)}"


def roles(case: Case, seen: Seen) -> Iterator[str]:
    """What stands in the source as a note, an example, a reserved range, contents or furniture has that role."""
    for expected in case["passages"]:
        unit = seen.unit(expected["citation"])
        for wanted in expected["roles"] if unit else ():
            pages = {span["page"] for span in unit["spans"]} if unit else set()
            cue = "body" not in wanted["role"]  # a note or citation is a block of its own, and not one of everything
            if not _has_role(wanted["role"], wanted["begins"], pages, seen, first=cue):
                yield f"{expected['citation']}: {wanted['begins'][:40]!r} has not the role {' or '.join(wanted['role'])}"
    regions = {"reserved": "reserved", "contents": "contents", "furniture": "page_furniture"}
    regions |= {"contacts": "contact", "notices": "notice", "dictionary": "reference_dictionary"}
    for key, role in regions.items():
        for wanted in case.get(key, ()):
            if not _has_role([role], wanted["begins"], {seen.page_of(wanted["page"])}, seen):
                yield f"{wanted['begins'][:40]!r} on page {wanted['page']} is not {role}"
    for entry in (pair for wanted in case.get("dictionary", ()) for pair in wanted["entries"]):
        if seen.flat(" ".join(entry)) not in _role_text("reference_dictionary", seen):
            yield f"the dictionary lacks the entry {entry[0]!r}"
    yield from _annotations(case, seen)


def _has_role(allowed: Sequence[str], begins: str, pages: set[int], seen: Seen, first: bool = False) -> bool:
    """Whether a block of an allowed role holds *begins*; with *first*, whether it begins with it."""
    begins = seen.flat(begins)
    return any(
        block["role"] in allowed
        and block["page"] in pages
        and begins in (text := seen.text([block]))
        and (not first or text.startswith(begins))
        for block in seen.observation.get("partition", ())
    )


def _role_text(role: str, seen: Seen) -> str:
    return " ".join(seen.text([block]) for block in seen.observation.get("partition", ()) if block["role"] == role)


def _annotations(case: Case, seen: Seen) -> Iterator[str]:
    for wanted in case.get("annotations", ()):
        targets = [
            re.sub(r"\W*\(.*", "", target).split()[-1]
            for entry in seen.observation.get("structures", ())
            if entry["kind"] == "annotation" and entry["page"] == seen.page_of(wanted["page"])
            for target in entry["targets"]
        ]
        if targets != wanted["targets"]:
            yield f"the annotation's targets are {targets}, expected {wanted['targets']}"


def reference_scope(case: Case, seen: Seen) -> Iterator[str]:
    """A reference lies inside its own unit, says what it says there, and the passage's references are all there."""
    for unit in seen.observation.get("units", ()):
        for reference in unit["references"]:
            inside = any(
                s["page"] == reference["page"] and s["start"] <= reference["start"] and reference["end"] <= s["end"]
                for s in unit["spans"]
            )
            if not inside or not _valid(reference, seen):
                yield f"{unit['citation']}: the reference to {reference['target']} is not inside the unit's own text"
            elif not _says(reference, seen):
                yield f"{unit['citation']}: what stands there does not name {reference['target']}"
    for expected in case["passages"]:
        held = seen.unit(expected["citation"])
        found = {(r["target"], r["target_end"]) for r in held["references"]} if held else set()
        for wanted in expected["references"] if held else ():
            if not any(_same(wanted["target"], a) and _same(wanted["end"], b) for a, b in found):
                yield f"{expected['citation']} lacks its reference to {wanted['target']} {wanted['end'] or ''}".rstrip()


def _says(reference: Mapping[str, Any], seen: Seen) -> bool:
    """Whether the text of a reference holds the number of its target."""
    text = "".join(seen.text([reference]).split())
    numbers = re.findall(r"\d+", reference["target"])
    return not numbers or any(number.lstrip("0") in text for number in numbers)


def _same(wanted: str | None, found: str | None) -> bool:
    """Equal, or the same paragraph with an item below it."""
    return wanted == found or (wanted is not None and found is not None and found.startswith(wanted + " "))


def negative_controls(case: Case, seen: Seen) -> Iterator[str]:
    """What is no paragraph is none; what is a notice, a contact or an annotation is in no passage."""
    cited = {unit["citation"] for unit in seen.observation.get("units", ())}
    for name in case.get("not_paragraphs", ()):
        if name in cited or any(each.endswith(" " + name) for each in cited):
            yield f"{name} was made a paragraph"
    for page in case.get("no_paragraphs_on", ()):
        on_page = [u for u in seen.observation.get("units", ()) if any(s["page"] == seen.page_of(page) for s in u["spans"])]
        yield from (f"{unit['citation']} was made of page {page}, which has no paragraph" for unit in on_page)
    for refused in case.get("not_roles", ()):
        if _has_role([refused["role"]], refused["begins"], {seen.page_of(refused["page"])}, seen):
            yield f"{refused['begins']!r} passes for {refused['role']}"
    outside = {"notice", "contact", "annotation", "contents", "reserved", "page_furniture", "reference_dictionary"}
    regions: dict[int, list[Mapping[str, Any]]] = {}
    for block in seen.observation.get("partition", ()):
        if block["role"] in outside:
            regions.setdefault(block["page"], []).append(block)
    for unit in seen.observation.get("units", ()):
        for region in (each for span in unit["spans"] for each in _met(span, regions.get(span["page"], ()))):
            yield f"{unit['citation']} passes {region['role']} on page {region['page']} off as its own text"
    yield from _authority(case, seen)


def _authority(case: Case, seen: Seen) -> Iterator[str]:
    """Texts registered as notice, contact or annotation may be in no unit, whatever role they were given."""
    for key in ("notices", "contacts"):
        for region in case.get(key, ()):
            begins = seen.flat(region["begins"])
            for unit in seen.observation.get("units", ()):
                if begins in seen.text(unit["spans"]):
                    yield f"{unit['citation']} holds {region['begins'][:40]!r}, which is no rule"


def _met(span: Mapping[str, Any], regions: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The regions of the span's page, in order and apart, that it meets."""
    for region in regions[bisect_right(regions, span["start"], key=lambda each: each["end"]) :]:
        if region["start"] >= span["end"]:
            return
        yield region


CHECKS: Mapping[str, Callable[[Case, Seen], Iterator[str]]] = {
    check.__name__: check
    for check in (
        source_identity,
        byte_conservation,
        provenance,
        governing_heading,
        complete_passage,
        roles,
        reference_scope,
        negative_controls,
    )
}
