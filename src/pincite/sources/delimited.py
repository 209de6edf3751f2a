"""Whether a text is delimited: records of fields, one a line, with the same number of fields throughout."""

from __future__ import annotations

import csv
import re

_RECORDS = 60
_NUMBER = re.compile(r"[-+]?[\d.,]*\d%?|")
_NAMED = {"csv": ",", "tsv": "\t", "tab": "\t", "psv": "|"}


def delimiter_of(body: str, extension: str = "", *, whole: bool = True) -> str:
    """What delimits *body*, "" where it is no delimited text. Under such a file's name a title may stand above the header."""
    lines = body.split("\n")
    lines = [line for line in (lines if whole else lines[:-1])[:_RECORDS] if line.strip()]
    found = next((delimiter for delimiter in ",;\t|" if _regular(lines, delimiter)), "")
    return found or (_NAMED.get(extension, "") if lines else "")


def _regular(lines: list[str], delimiter: str) -> bool:
    """Three records or more (two by tabs), all with the same number of short fields, the first of them names."""
    try:
        records = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return False
    counts = {len(record) for record in records}
    header = [field.strip() for field in records[0]] if records else []
    return (
        len(counts) == 1
        and len(header) > 1
        and len(records) >= (2 if delimiter == "\t" else 3)
        and all(header)
        and (len(set(header)) == len(header) or (delimiter == "\t" and len(header) > 2))
        and all(len(field) < 60 and not field.endswith((".", ":")) for field in header)
        and not _is_prose(records)
    )


def _is_prose(records: list[list[str]]) -> bool:
    """Sentences have blanks after their commas; records seldom, and then mostly a column of numbers."""
    fields = [field for record in records for field in record[1:]]
    if sum(field.startswith(" ") for field in fields) < 0.5 * len(fields):
        return False
    return not any(all(_NUMBER.fullmatch(field.strip()) for field in column) for column in zip(*records[1:]))
