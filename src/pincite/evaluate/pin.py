"""Write the hashes of the expected evidence into a gold set, from the parsed sources, or check those it has.

    python -m pincite.evaluate.pin conf/gold/cfr-gmp.yml conf/corpora/cfr-gmp.yml FOLDER [--check]
    python -m pincite.evaluate.pin questions.yml data/corpora/team.yml FOLDER          # a folder's own configuration

The authors name nodes; this fills ``spans``. Only the ``node`` lines of the file change, so comments and order survive.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from pincite.errors import HashMismatch, MissingSource, PinciteError, UsageError
from pincite.model import QUOTABLE_ROLES, Block, Document, Source, sha256_hex

_LINE = re.compile(r"^(?P<lead>\s*- )\{?node: (?P<node>[^,}]+?)(?:, via: (?P<via>[^,}]+?))?(?:, spans: \[.*\])?\}?\s*$")
_OWN_TEXT = QUOTABLE_ROLES - {"heading"}


def own_text(partition: Iterable[Block]) -> dict[str, tuple[str, ...]]:
    """The hashes of each node's own blocks, headings and descendants left out, in document order."""
    found: dict[str, list[str]] = {}
    for block in partition:
        if block.node_id and block.role in _OWN_TEXT:
            found.setdefault(block.node_id, []).append(block.sha256)
    return {node: tuple(hashes) for node, hashes in found.items()}


def pin(text: str, hashes: Mapping[str, tuple[str, ...]]) -> str:
    """The gold set's *text* with every expected node's spans filled in; ``UsageError`` for a node without text of its own."""
    lines = text.splitlines(keepends=True)
    for number, line in enumerate(lines):
        match = _LINE.match(line)
        if match is None:
            continue
        node, via = match["node"], match["via"]
        for name in (node, via):
            if name and name not in hashes:
                raise UsageError(
                    f"no node {name!r} with text of its own in the corpus", where=f"line {number + 1}", next="correct it"
                )
        via_field = f", via: {via}" if via else ""
        lines[number] = f"{match['lead']}{{node: {node}{via_field}, spans: [{', '.join(hashes[node])}]}}\n"
    return "".join(lines)


def documents(sources: Iterable[Source], folder: Path) -> list[Document]:
    """Every source of a manifest, verified and parsed."""
    from pincite.parse import parse

    found = []
    for source in sources:
        path = folder / source.path
        if not path.is_file():
            raise MissingSource("a source is not here", where=str(path), next="name the folder that holds the corpus")
        data = path.read_bytes()
        if sha256_hex(data) != source.source_sha256:
            raise HashMismatch(
                f"SHA-256 is {sha256_hex(data)}, pinned {source.source_sha256}", where=str(path), next="acquire it"
            )
        found.append(parse(source, data))
    return found


def sources_of(path: Path) -> list[Source]:
    """The sources of a manifest, or those of a folder's configuration that can be read."""
    from pincite.sources import folder, manifest

    if not folder.is_folder_corpus(path):
        return list(manifest.load(path).sources)
    state = path.resolve().parents[1] if path.is_file() else Path("data")
    found = folder.look(path, state).manifest
    return [source for source in found.sources if source.document_id not in found.barred]


def main(arguments: list[str] | None = None) -> int:
    """Rewrite the gold set in place, or with ``--check`` exit 1 where it would change."""
    reader = argparse.ArgumentParser(
        prog="pincite.evaluate.pin", description="Fill in and check the evidence hashes of a gold set."
    )
    reader.add_argument("gold", type=Path)
    reader.add_argument("manifest", type=Path)
    reader.add_argument("folder", type=Path)
    reader.add_argument("--check", action="store_true")
    options = reader.parse_args(arguments)
    hashes: dict[str, tuple[str, ...]] = {}
    for document in documents(sources_of(options.manifest), options.folder):
        hashes.update(own_text(document.partition))
    before = options.gold.read_text(encoding="utf-8")
    after = pin(before, hashes)
    if before == after:
        return 0
    if options.check:
        sys.stderr.write(f"{options.gold}: its evidence hashes are not those of the corpus; run without --check\n")
        return 1
    part = options.gold.with_name(f".{options.gold.name}.part")
    part.write_text(after, encoding="utf-8", newline="\n")
    os.replace(part, options.gold)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except PinciteError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(error.exit_code)
