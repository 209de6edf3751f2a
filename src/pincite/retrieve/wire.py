"""Answers as JSON, for programs and for ``pincite check``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pincite.model import Answer


def to_json(answer: Answer) -> str:
    """The answer as one line of JSON, sealed: any byte changed afterwards shows when it is checked."""
    from pincite.check import seal

    value = plain(answer)
    return json.dumps(value | {"seal": seal(value)}, ensure_ascii=False)


def plain(record: Any) -> Any:
    """Named tuples as objects, other sequences as lists; numbers rounded to what a reader can use."""
    if hasattr(record, "_asdict"):
        return {name: plain(value) for name, value in record._asdict().items()}
    if isinstance(record, Mapping):
        return {str(name): plain(value) for name, value in record.items()}
    if isinstance(record, (list, tuple)):
        return [plain(value) for value in record]
    return round(record, 6) if isinstance(record, float) else record
