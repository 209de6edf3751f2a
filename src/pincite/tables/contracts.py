"""``python -m pincite.tables.contracts [--check] [FILE]``: the column tables of docs/data-contracts.md, from the row types."""

from __future__ import annotations

import sys
import typing
from pathlib import Path
from typing import Any

from pincite.tables.schema import SCOPE_COLUMNS, TABLES, columns, field_comments, is_record, sql_type, strip_optional

HEADER = """# Data contracts

Written by `python -m pincite.tables.contracts` from the row types in `src/pincite/model.py`; a test compares the two.
Change a column there, never here.

- Every table begins with `project` and `collection`, the **scope**. A merge writes one scope and can touch no other. Locally
  tables are partitioned by it; on Databricks they are clustered by it.
- *Key* columns are unique within a scope and not null. `content_hash` covers every other column but the scope, so an
  unchanged row is recognised without comparing columns.
- Pages are 1-based; `start` and `end` are 0-based UTF-8 byte offsets into the page's extracted text, `end` excluded;
  `raw_start` and `raw_end` are byte offsets into the official file; hashes are full SHA-256 in lower-case hexadecimal.
- A table of an older version is migrated by adding columns, which are null in its old rows until they are written again;
  any other difference is refused with `SchemaDrift`, which names it.
"""


def document() -> str:
    """The whole page."""
    tables = "\n".join(_table(name) for name in TABLES)
    records = "\n".join(_record(record) for record in _records())
    return f"{HEADER}\n{tables}\n## Records inside columns\n\n{records}"


def _table(name: str) -> str:
    table = TABLES[name]
    kind = "Appended to, one row an event." if table.log else "Merged: a run writes the whole new state of a scope."
    key = {*SCOPE_COLUMNS, *table.key}
    lines = [_line(c.name, c.annotation, c.nullable, c.name in key, c.comment) for c in columns(name)]
    return f"## `{name}`\n\n{table.comment} {kind}\n\n{_head()}" + "\n".join(lines) + "\n"


def _record(record: Any) -> str:
    comments = field_comments(record)
    lines = []
    for name, hint in typing.get_type_hints(record).items():
        inner, nullable = strip_optional(hint)
        lines.append(_line(name, inner, nullable, False, comments.get(name, "")))
    summary = (record.__doc__ or "").strip().splitlines()[0]
    return f"### {record.__name__}\n\n{summary}\n\n{_head()}" + "\n".join(lines) + "\n"


def _head() -> str:
    return "| column | type | null | meaning |\n|---|---|---|---|\n"


def _line(name: str, hint: Any, nullable: bool, key: bool, comment: str) -> str:
    meaning = comment.replace("|", "\\|")
    return f"| `{name}` | {_type(hint)} | {'yes' if nullable else 'key' if key else 'no'} | {meaning} |"


def _type(hint: Any) -> str:
    if is_record(hint):
        return f"[{hint.__name__}](#{hint.__name__.lower()})"
    if typing.get_origin(hint) is tuple:
        return f"array of {_type(typing.get_args(hint)[0])}"
    return sql_type(hint).lower()


def _records() -> list[Any]:
    """The record types that stand inside columns, in the order they are met."""
    found: dict[Any, None] = {}
    for name in TABLES:
        for column in columns(name):
            _collect(column.annotation, found)
    return list(found)


def _collect(hint: Any, found: dict[Any, None]) -> None:
    hint, _ = strip_optional(hint)
    if typing.get_origin(hint) is tuple:
        _collect(typing.get_args(hint)[0], found)
    elif is_record(hint) and hint not in found:
        found[hint] = None
        for inner in typing.get_type_hints(hint).values():
            _collect(inner, found)


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` say whether it is what it should be."""
    names = [each for each in arguments if not each.startswith("--")]
    path = Path(names[0] if names else "docs/data-contracts.md")
    if "--check" in arguments:
        return 0 if path.is_file() and path.read_text(encoding="utf-8") == document() else 1
    path.write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
