"""Register what the cases' documents are: run once when a case is written, and again only on purpose.

    python -m pincite.accept.register FOLDER        record extraction, page and passage hashes in protocol.json

The extraction's hashes bind the cases to one reading of the pages; a passage's hash, taken without white space from an
accepted observation, binds it to every one of its characters.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pincite.accept import protocol as registered
from pincite.accept.checks import whole_text
from pincite.accept.observation import candidate
from pincite.accept.run import document_of, hashes, seen_of, source_of
from pincite.model import sha256_hex


def register(path: Path, sources: Path) -> None:
    """Fill the hashes into the protocol at *path*."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for entry in content["documents"].values():
        entry.pop("extraction", None)
    for expected in (each for case in content["cases"] for each in case["passages"]):
        expected.pop("sha256", None)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    protocol = registered.load(path)
    documents = {name: document_of(protocol, name, sources) for name in content["documents"]}
    for name, (_, pages) in documents.items():
        content["documents"][name]["extraction"] = hashes(pages)
    observed = {name: candidate(source_of(protocol, name, data), data, pages) for name, (data, pages) in documents.items()}
    for case in content["cases"]:
        seen = seen_of(case, protocol, documents[case["document"]], observed[case["document"]])
        for expected in case["passages"]:
            unit = seen.unit(expected["citation"])
            if unit is not None:
                expected["sha256"] = sha256_hex(whole_text(unit["spans"], seen).encode())
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    register(Path(__file__).with_name("protocol.json"), Path(sys.argv[1]))
