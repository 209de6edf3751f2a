"""What can be told without reading: nothing there, far too long, hidden characters, another alphabet or another language."""

from __future__ import annotations

from pincite.enrich.gate import lexicon
from pincite.enrich.gate.clean import WORD, clean, letters, tricks

LEAST_WORDS = 6


def language(text: str) -> str:
    """The language a text's function words are of; "" where too few of them say so.

    >>> language("Rechnungen bis 250 Dollar werden vom Sachbearbeiter genehmigt und nicht von der Kasse.")
    'German'
    """
    words = [word.lower() for word in WORD.findall(text) if not word[0].isdigit()]
    if len(words) < LEAST_WORDS:
        return ""
    counts = {name: sum(word in known for word in words) for name, known in lexicon.languages().items()}
    best = max(counts, key=lambda name: counts[name])
    if best != "English" and counts[best] <= counts["English"]:
        best = "English"
    return best if counts[best] >= max(2, 0.12 * len(words)) else ""


def check(source: str, rewrite: str, largest: int) -> list[tuple[str, str]]:
    """Reasons not to read on."""
    if not clean(rewrite).strip():
        return [("empty", "the rewrite has no text")]
    if len(rewrite) > max(2_000, min(largest, 6 * len(source))):
        return [("length", f"the rewrite has {len(rewrite)} characters, the source {len(source)}")]
    hidden = tricks(rewrite) - tricks(source)
    if hidden:
        return [("characters", "the rewrite has " + ", ".join(sorted(hidden)[:4]))]
    ours, theirs = letters(source), letters(rewrite)
    foreign = [name for name in theirs if name not in ours]
    if foreign:
        return [("language", f"the rewrite has {foreign[0].lower()} letters, the source none")]
    spoken, written = language(clean(source)), language(clean(rewrite))
    if written and written != (spoken or "English"):
        return [("language", f"the rewrite is in {written}, the source in {spoken or 'another language'}")]
    if spoken and spoken != "English" and source.split() != rewrite.split():
        return [("language", f"the source is in {spoken}, which this gate cannot read")]
    return []
