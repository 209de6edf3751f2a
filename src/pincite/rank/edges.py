"""Cross-references between plain passages: detected and resolved by the product's grammars, or read from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pincite.errors import MissingSource, UsageError
from pincite.model import Mention, Place
from pincite.rank.collection import Item
from pincite.rank.features import Links
from pincite.references import find
from pincite.references.glossary import learn
from pincite.references.rulebook_shelf import Provision, resolve, shelve
from pincite.references.terms import uses

_MOST_TARGETS = 12  # of one range: a reference to a whole part says little about any passage of it
_HEADER = re.compile(r"\s*source\w*[\s,]+target\w*\s*$", re.I)
_FEDERAL = re.compile(r"\b(?:CFR|U\.?S\.?C\.?)\b")


def none(size: int) -> Links:
    """No references at all."""
    return Links([[] for _ in range(size)], [[] for _ in range(size)])


class Found(NamedTuple):
    """A reference in the passage at ``source`` and the positions it leads to; of an ambiguous term all that define it."""

    source: int
    mention: Mention
    targets: tuple[int, ...]


def detect(items: Sequence[Item], terms: bool = False) -> Links:
    """References found in the texts: federal ones where the citations are federal, else those of rulebooks.

    With *terms*, a defined term used in a rulebook is a link to the passage that defines it.
    """
    links = none(len(items))
    for found in references(items, terms):
        for target in found.targets if found.mention.status != "ambiguous" else ():
            _add(links, found.source, target)
    return links


def references(items: Sequence[Item], terms: bool = True) -> list[Found]:
    """Every reference between *items*, in order; those that lead to no passage have no target."""
    return list(_federal(items)) if _are_federal(items) else list(_rulebook(items, terms))


def rows(items: Sequence[Item]) -> Iterator[dict[str, Any]]:
    """The same as rows for a file, which ``read`` understands: one for each target, or one without."""
    for source, mention, targets in references(items):
        ids = [items[target].id for target in targets]
        ambiguous = mention.status == "ambiguous"
        for target in ids if ids and not ambiguous else [None]:
            yield {
                "source": items[source].id,
                "target": target,
                "kind": mention.kind,
                "mention": mention.text,
                "start": mention.start,
                "end": mention.end,
                "status": mention.status,
                "target_node_id": mention.target_node_id,
                "candidates": ids if ambiguous else [],
                "reason": mention.reason,
            }


def read(path: Path, items: Sequence[Item]) -> Links:
    """References from JSON lines with source and target, or lines of two ids, a header of those names passed over.

    Of what ``pincite refs --passages`` lists, references that lead nowhere and defined terms are passed over.
    """
    places = {item.id: at for at, item in enumerate(items)}
    links = none(len(items))
    try:
        lines = path.read_bytes().decode("utf-8").split("\n")
    except OSError as error:
        raise MissingSource(f"cannot be read ({error.strerror})", where=str(path), next="check the path") from error
    except UnicodeDecodeError as error:
        raise UsageError(
            "this is no text in UTF-8", where=path.name, next='give lines of {"source": …, "target": …}'
        ) from error
    for number, line in enumerate(lines, start=1):
        if line.strip() and not (number == 1 and _HEADER.match(line)):
            source, target = _pair(line, f"{path.name} line {number}")
            for id in (source, target) if target else ():
                if id not in places:
                    raise UsageError(f'"{id}" is no passage', where=f"{path.name} line {number}", next="check the ids")
            if target:
                _add(links, places[source], places[target])
    return links


def _pair(line: str, where: str) -> tuple[str, str]:
    if not line.lstrip().startswith("{"):
        fields = line.replace(",", " ").split()
        if len(fields) == 2:
            return fields[0], fields[1]
    else:
        try:
            row = {key.lower().replace("_", "").removesuffix("id"): value for key, value in json.loads(line).items()}
            passed = row["target"] is None or row.get("kind") == "term"  # a term is defined there, no rule is cited
            return str(row["source"]), "" if passed else str(row["target"])
        except (ValueError, KeyError):
            pass
    raise UsageError("this line is no reference", where=where, next='give {"source": …, "target": …} or two ids')


def _add(links: Links, source: int, target: int) -> None:
    if source != target and target not in links.out[source]:
        links.out[source].append(target)
        links.into[target].append(source)


def _are_federal(items: Sequence[Item]) -> bool:
    cited = [item.citation for item in items if item.citation]
    return bool(cited) and sum(bool(_FEDERAL.search(citation)) for citation in cited) > len(cited) / 2


def _rulebook(items: Sequence[Item], terms: bool) -> Iterator[Found]:
    provisions = [Provision(item.document, item.citation, item.text, _heading(item)) for item in items]
    mentions = [find(provision.text, Place(), "rulebook") for provision in provisions]
    shelf = shelve(provisions, mentions)
    glossary = learn(provisions, shelf) if terms else None
    for source, (provision, cited) in enumerate(zip(provisions, mentions)):
        here = []
        for mention in cited:
            status, targets = resolve(mention, provision.document, shelf, provision.label)
            here.append(Found(source, mention._replace(status=status), targets[:_MOST_TARGETS]))
        if glossary is not None:
            here += [Found(source, use.mention, use.positions) for use in uses(source, glossary, cited)]
            here.sort(key=lambda found: found.mention.start)
        yield from here


def _heading(item: Item) -> str:
    return item.title or (item.heading_path[-1] if item.heading_path else "")


def _federal(items: Sequence[Item]) -> Iterator[Found]:
    """Exact node ids only, and a paragraph's nearest section that is there."""
    places: dict[str, int] = {}
    for at, item in enumerate(items):
        places.setdefault(item.citation, at)
    for source, item in enumerate(items):
        for mention in find(item.text, Place(item.citation)):
            target = mention.target_node_id
            while target and target not in places and target.endswith(")"):
                target = target[: target.rindex("(")]
            held = target in places
            status = "resolved" if held else "unsupported" if mention.status == "unsupported" else "out_of_corpus"
            yield Found(source, mention._replace(status=status), (places[target],) if held and target else ())
