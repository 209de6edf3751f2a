"""A small corpus in the fake workspace, that a test can change: the invented parts of ``fixtures/ecfr``, with a gold set."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import yaml
from deploy import Deployment, put

AS_OF = "2026-01-01"
QUESTIONS: list[dict[str, Any]] = [
    {"id": "q1", "kind": "direct", "question": "How long is the log of the light kept?", "expect": ["99 CFR 1.11(b)"]},
    {"id": "q2", "kind": "direct", "question": "When does a keeper's certificate end?", "expect": ["99 CFR 1.5(f)"]},
    {"id": "q3", "kind": "far", "question": "Which tariff applies to imported bicycles?"},
    {"id": "q4", "kind": "far", "question": "Who certifies aircraft mechanics?"},
]


class Corpus:
    """Files landed in the volume and the manifest that pins them."""

    def __init__(self, deployment: Deployment, fixtures: Path, name: str = "lights", agreed: float = 0.0) -> None:
        self.deployment, self.name, self.agreed = deployment, name, agreed
        self.files = {path: (fixtures / path).read_bytes() for path in ("title-99/part-1.xml", "title-99/part-2.xml")}

    @property
    def folder(self) -> str:
        return "/Volumes/" + "/".join(
            [
                self.deployment.variables["catalog"],
                self.deployment.resource_field("schemas", "pincite", "name"),
                self.deployment.resource_field("volumes", "landing", "name"),
            ]
        )

    def land(self) -> None:
        """Upload the files, write manifest and gold set."""
        import io

        for path, data in self.files.items():
            full = f"{self.folder}/{path}"
            self.deployment.client.files.create_directory(full.rpartition("/")[0])
            self.deployment.client.files.upload(full, io.BytesIO(data), overwrite=True)
        self.pin()

    def pin(self) -> None:
        """Write manifest and gold set for the files as they are, without landing them."""
        base = f"{self.deployment.base}/files/conf"
        put(self.deployment.client, f"{base}/corpora/{self.name}.yml", yaml.safe_dump(self.manifest()).encode())
        put(self.deployment.client, f"{base}/gold/{self.name}.yml", yaml.safe_dump(self.gold()).encode())

    def manifest(self) -> dict[str, Any]:
        return {
            "project": "demo",
            "collection": self.name,
            "title": "Lights (invented)",
            "as_of": AS_OF,
            "gold": f"../gold/{self.name}.yml",
            "documents": [
                {
                    "id": self.document_id(path),
                    "title": path,
                    "uri": f"https://example.invalid/{path}",
                    "path": path,
                    "media_type": "application/xml",
                    "bytes": len(data),
                    "sha256": hashlib.sha256(data).hexdigest(),
                }
                for path, data in self.files.items()
            ],
        }

    @staticmethod
    def document_id(path: str) -> str:
        return path.replace("/", "-").removesuffix(".xml")

    def gold(self) -> dict[str, Any]:
        """The questions, with the hashes of the evidence in the files as they are."""
        own = self.own_text()
        asked = []
        for question in QUESTIONS:
            nodes = question.get("expect", [])
            if all(node in own for node in nodes):
                asked.append({**question, "expect": [{"node": node, "spans": list(own[node])} for node in nodes]})
        return {"corpus": self.name, "as_of": AS_OF, "agreed": {"citation_recall": self.agreed}, "questions": asked}

    def own_text(self) -> dict[str, tuple[str, ...]]:
        from pincite.errors import ParseError
        from pincite.evaluate.pin import own_text
        from pincite.model import Source
        from pincite.parse import parse

        found: dict[str, tuple[str, ...]] = {}
        for path, data in self.files.items():
            digest = hashlib.sha256(data).hexdigest()
            source = Source(self.document_id(path), AS_OF, path, "", "application/xml", path, len(data), digest)
            with suppress(ParseError):
                found |= own_text(parse(source, data).partition)
        return found
