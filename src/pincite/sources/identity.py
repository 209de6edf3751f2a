"""Which document a file is: ids that survive moves and edits, from what the last discovery remembered.

In this order: an id the file itself gives; the same path; the same bytes, where their old path is gone; most of the same lines,
where the old path is gone and no other file comes near; else it is new, and its id is made from its path.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import NamedTuple
from zlib import crc32

from pincite.parse.compose import slug

SKETCH_LINES = 32
ALIKE, CLEAR = 0.6, 0.15
"""A moved and edited file shares so much of its lines with its former self, and so much more than with any other file."""
_COMMON = 20  # a line in more documents than these says nothing
_FEWEST_LINES = 5


class Seen(NamedTuple):
    """A file as discovery needs it to be named."""

    path: str
    sha256: str  # "" where it was not read
    explicit: str  # the id its front matter gives, or ""
    sketch: tuple[int, ...]


class Remembered(NamedTuple):
    """A document of an earlier discovery. *gone*: its path was not there the last time."""

    document_id: str
    path: str
    sha256: str
    sketch: tuple[int, ...]
    gone: bool = False


class Named(NamedTuple):
    """A file's document id, and how it came to it."""

    document_id: str
    how: str


def sketch_of(text: str) -> tuple[int, ...]:
    """The smallest checksums of a text's distinct lines: the share that two sketches have in common estimates the texts'."""
    lines = {line.strip() for line in text.splitlines()}
    return tuple(nsmallest(SKETCH_LINES, {crc32(line.encode("utf-8", "replace")) for line in lines if len(line) > 7}))


def name_all(files: Sequence[Seen], known: Iterable[Remembered]) -> list[Named]:
    """The id of each file, in order; no two are equal."""
    naming = _Naming(files, known)
    for step in (naming.by_claim, naming.by_path, naming.by_bytes, naming.by_lines, naming.by_new):
        step()
    return [naming.names[i] for i in range(len(files))]


class _Naming:
    """The state of one naming: files without a name yet, documents without a file yet."""

    def __init__(self, files: Sequence[Seen], known: Iterable[Remembered]) -> None:
        self.files = files
        self.known = {each.document_id: each for each in known}
        self.names: dict[int, Named] = {}
        self.free = dict(self.known)
        self.here = {seen.path for seen in files}
        self.refused: dict[int, str] = {}

    def _give(self, i: int, document_id: str, how: str) -> None:
        self.names[i] = Named(document_id, how)
        self.free.pop(document_id, None)

    def _unnamed(self) -> list[int]:
        return [i for i in range(len(self.files)) if i not in self.names]

    def _lost(self) -> list[Remembered]:
        """Documents that no file has, whose path is not there any more."""
        return [each for each in self.free.values() if each.path not in self.here]

    def by_claim(self) -> None:
        """A file that gives its id has it, unless two files give the same or another file has it."""
        claims = Counter(seen.explicit for seen in self.files if seen.explicit)
        for i, seen in enumerate(self.files):
            if not seen.explicit:
                continue
            holder = self.known.get(seen.explicit)
            if claims[seen.explicit] > 1 and not (holder and holder.path == seen.path):
                self.refused[i] = f"its front matter gives the id {seen.explicit!r} as other files do"
            elif holder and holder.path != seen.path and holder.path in self.here:
                self.refused[i] = f"its front matter gives the id {seen.explicit!r}, which {holder.path!r} has"
            else:
                self._give(i, seen.explicit, "its front matter gives the id")

    def by_path(self) -> None:
        at = {each.path: each for each in sorted(self.free.values(), key=lambda each: not each.gone)}
        for i in self._unnamed():
            document = at.get(self.files[i].path)
            if document is not None and document.document_id in self.free:
                self._give(i, document.document_id, "the same path as before")

    def by_bytes(self) -> None:
        lost = defaultdict(list)
        for each in self._lost():
            lost[each.sha256].append(each)
        for i in self._unnamed():
            seen = self.files[i]
            candidates = lost.get(seen.sha256) if seen.sha256 else None
            if candidates:
                best = min(candidates, key=lambda each: (_name(each.path) != _name(seen.path), each.path))
                candidates.remove(best)
                self._give(i, best.document_id, f"moved: the same bytes as {best.path!r} before, which is gone")

    def by_lines(self) -> None:
        """Moved and edited at once: each the other's best match, by a clear margin."""
        lost = [each for each in self._lost() if len(each.sketch) >= _FEWEST_LINES]
        waiting = [i for i in self._unnamed() if len(self.files[i].sketch) >= _FEWEST_LINES]
        if not lost or not waiting:
            return
        scores = _likeness([self.files[i].sketch for i in waiting], [each.sketch for each in lost])
        backwards = {(b, a): score for (a, b), score in scores.items()}
        there, back = _best(scores), _best(backwards)
        for a, b in there.items():
            if back.get(b) == a:
                seen, document = waiting[a], lost[b]
                how = f"moved and edited: {scores[a, b]:.0%} of its lines are those of {document.path!r} before, which is gone"
                self._give(seen, document.document_id, how)

    def by_new(self) -> None:
        taken = {*self.known, *(named.document_id for named in self.names.values())}
        counts: dict[str, int] = {}
        for i in self._unnamed():
            base = _id_of(self.files[i].path)
            name = base
            while name in taken:
                counts[base] = counts.get(base, 1) + 1
                name = f"{base}-{counts[base]}"
            taken.add(name)
            self._give(i, name, "; ".join(filter(None, ("new", self.refused.get(i)))))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _id_of(path: str) -> str:
    """An id that can be read and typed, from a path without its extension.

    >>> _id_of("Guides/Response targets.md"), _id_of("手順/対応.md")
    ('guides-response-targets', '手順-対応')
    """
    folder, slash, name = path.rpartition("/")
    stem = name.rpartition(".")[0] or name
    return slug(folder + slash + stem, 100)


def _likeness(mine: Sequence[tuple[int, ...]], theirs: Sequence[tuple[int, ...]]) -> dict[tuple[int, int], float]:
    """The estimated share of common lines, for pairs that have a line in common which few others have."""
    holders = defaultdict(list)
    for b, sketch in enumerate(theirs):
        for line in sketch:
            holders[line].append(b)
    pairs = {
        (a, b)
        for a, sketch in enumerate(mine)
        for line in sketch
        if len(holders.get(line, ())) <= _COMMON
        for b in holders.get(line, ())
    }
    return {(a, b): _share(mine[a], theirs[b]) for a, b in pairs}


def _share(mine: tuple[int, ...], theirs: tuple[int, ...]) -> float:
    """Of the smallest lines of both together, how many are in both."""
    both = set(nsmallest(SKETCH_LINES, {*mine, *theirs}))
    return len(both & set(mine) & set(theirs)) / len(both)


def _best(scores: dict[tuple[int, int], float]) -> dict[int, int]:
    """For each on the left the one on the right that is alike enough and clearly the best."""
    rows = defaultdict(list)
    for (a, b), score in scores.items():
        rows[a].append((score, b))
    best = {}
    for a, row in rows.items():
        row.sort(reverse=True)
        if row[0][0] >= ALIKE and (len(row) == 1 or row[0][0] - row[1][0] >= CLEAR):
            best[a] = row[0][1]
    return best
