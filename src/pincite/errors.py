"""Everything that can go wrong, in one tree. Each message is one sentence: what, where, what next.

PinciteError              1
├── UsageError            2   a wrong option, name, manifest, gold set or configuration
├── SourceError           3
│   ├── MissingSource         a file is nowhere it was looked for
│   ├── HashMismatch          a file's bytes are not the pinned ones
│   └── DownloadFailed        the publisher did not answer, or with too much
├── ParseError            4
│   ├── Malformed             truncated, not well-formed, wrong root, wrong encoding, empty
│   ├── Forbidden             entity declarations, external entities; extraction not permitted
│   ├── NeedsPassword
│   ├── NoText                pages without text, and no OCR here
│   ├── TooExpensive          past the limit of memory, time or size
│   └── PoorQuality           a check of quality stops the document
├── TableError            5
│   ├── EmptySnapshot         a merge that would delete a whole scope without being told to
│   ├── CommitConflict        another writer won, repeatedly
│   ├── ScopeBusy             another run holds this scope
│   ├── SchemaDrift           a table has other columns than model.py says
│   ├── StorageFull
│   └── CountMismatch         chunks, edges and index do not agree
├── IndexFault            6   the index is missing, stale or damaged
│   └── ModelMissing          the embedding model is not here or has another hash
├── CheckFailed           7   a citation does not match the published file
├── FloorMissed           8   an evaluation or an acceptance run is below what was agreed
├── PlatformError         9   a Databricks service refused or failed; carries the request id
└── PartialFailure       10   some documents failed; the others are done
"""

from __future__ import annotations


class PinciteError(Exception):
    """Base of all. ``what`` happened, ``where``, and what to do ``next``; ``exit_code`` is documented in docs/cli.md."""

    exit_code = 1

    def __init__(self, what: str, *, where: str = "", next: str = "") -> None:
        self.what, self.where, self.next = what, where, next
        super().__init__(self.sentence())

    def sentence(self) -> str:
        """One line for standard error."""
        text = f"{self.where}: {self.what}" if self.where else self.what
        text = " ".join(text.split())
        return f"{text}; {self.next}" if self.next else text


class UsageError(PinciteError):
    exit_code = 2


class SourceError(PinciteError):
    exit_code = 3


class MissingSource(SourceError):
    pass


class HashMismatch(SourceError):
    pass


class DownloadFailed(SourceError):
    pass


class ParseError(PinciteError):
    exit_code = 4


class Malformed(ParseError):
    pass


class Forbidden(ParseError):
    pass


class NeedsPassword(ParseError):
    pass


class NoText(ParseError):
    pass


class TooExpensive(ParseError):
    pass


class PoorQuality(ParseError):
    pass


class TableError(PinciteError):
    exit_code = 5


class EmptySnapshot(TableError):
    pass


class CommitConflict(TableError):
    pass


class ScopeBusy(TableError):
    pass


class SchemaDrift(TableError):
    pass


class StorageFull(TableError):
    pass


class CountMismatch(TableError):
    pass


class IndexFault(PinciteError):
    exit_code = 6


class ModelMissing(IndexFault):
    pass


class CheckFailed(PinciteError):
    exit_code = 7


class FloorMissed(PinciteError):
    exit_code = 8


class PlatformError(PinciteError):
    """``status`` is the HTTP status, 0 where nothing answered; ``request_id`` is "" where the platform gave none."""

    exit_code = 9

    def __init__(self, what: str, *, where: str = "", next: str = "", status: int = 0, request_id: str = "") -> None:
        super().__init__(what, where=where, next=next)
        self.status, self.request_id = status, request_id


class PartialFailure(PinciteError):
    exit_code = 10
