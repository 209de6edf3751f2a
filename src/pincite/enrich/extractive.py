"""An ``LLMClient`` without a model: it picks the passage's own words. Deterministic, for tests, the demo and a first look."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

from pincite.enrich.prompt import unquoted

_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?=\S))+")
_SKIPPED = re.compile(r"^\s*(?:\([A-Za-z0-9]{1,5}\)\s*)+")


class ExtractiveClient:
    """Title and summary from the passage's first sentence; no rewrite, no questions: it invents nothing."""

    name = "local/extractive-1"

    def complete(self, system: str, messages: Iterable[Mapping[str, str]]) -> str:
        """The JSON that the prompt asks for."""
        text = unquoted(next(iter(messages))["content"])
        first = next(
            (found[0].strip() for found in _SENTENCE.finditer(_SKIPPED.sub("", text)) if len(found[0].split()) > 1), ""
        )
        words = first.split()
        return json.dumps({"title": " ".join(words[:12]), "summary": " ".join(text.split()) if len(text) < 400 else ""})
