"""Cross-references between plain passages: detected and resolved by the product's grammars, or read from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from pincite.errors import MissingSource, UsageError
from pincite.model import Place
from pincite.rank.collection import Item
from pincite.rank.features import Links
from pincite.references import find
from pincite.references.rulebook_shelf import Provision, resolve, shelve

_MOST_TARGETS = 12  # of one range: a reference to a whole part says little about any passage of it
_HEADER = re.compile(r"\s*source\w*[\s,]+target\w*\s*$", re.I)
_FEDERAL = re.compile(r"\b(?:CFR|U\.?S\.?C\.?)\b")


def none(size: int) -> Links:
    """No references at all."""
    return Links([[] for _ in range(size)], [[] for _ in range(size)])


def detect(items: Sequence[Item]) -> Links:
    """References found in the texts: federal ones where the citations are federal, else those of rulebooks."""
    links = none(len(items))
    pairs = _federal(items) if _are_federal(items) else _rulebook(items)
    for source, target in pairs:
        _add(links, source, target)
    return links


def read(path: Path, items: Sequence[Item]) -> Links:
    """References from JSON lines with source and target, or lines of two ids, a header of those names passed over."""
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
            for id in (source, target):
                if id not in places:
                    raise UsageError(f'"{id}" is no passage', where=f"{path.name} line {number}", next="check the ids")
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
            return str(row["source"]), str(row["target"])
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


def _rulebook(items: Sequence[Item]) -> list[tuple[int, int]]:
    provisions = [Provision(item.document, item.citation, item.text) for item in items]
    mentions = [find(provision.text, Place(), "rulebook") for provision in provisions]
    shelf = shelve(provisions, mentions)
    pairs = []
    for source, (provision, cited) in enumerate(zip(provisions, mentions)):
        for mention in cited:
            _, targets = resolve(mention, provision.document, shelf, provision.label)
            pairs += [(source, target) for target in targets[:_MOST_TARGETS]]
    return pairs


def _federal(items: Sequence[Item]) -> list[tuple[int, int]]:
    """Exact node ids only, and a paragraph's nearest section that is there."""
    places: dict[str, int] = {}
    for at, item in enumerate(items):
        places.setdefault(item.citation, at)
    pairs = []
    for source, item in enumerate(items):
        for mention in find(item.text, Place(item.citation)):
            target = mention.target_node_id
            while target and target not in places and target.endswith(")"):
                target = target[: target.rindex("(")]
            if target in places:
                pairs.append((source, places[target]))
    return pairs
