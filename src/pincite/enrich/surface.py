"""What can be told without reading: nothing there, far too long, hidden characters, another alphabet or another language."""

from __future__ import annotations

from pincite.enrich.clean import WORD, clean, letters, tricks

_FUNCTION_WORDS = {
    "English": "the of and to in is that for it with as on be by this are or from at not have has must shall may any which will been if when their his its was were",
    "German": "der die das und ist nicht den von zu mit auf für im dem des ein eine als auch werden wird sind oder bei nach aus wenn muss darf bis durch über zum zur",
    "French": "le la les des et est que dans du un une pour qui pas sur au avec ne sont par plus ce ou aux être doit cette en si ses tout",
    "Spanish": "el la los las de que y en un una por con no para es se del al lo como más su sus o debe ser si este esta son",
    "Italian": "il lo la gli le di che e un una per con non è del della dei in sono come si alla nel al deve essere o se",
    "Dutch": "de het een van en is dat niet op te zijn voor met als aan er door om bij ook of moet naar uit worden wordt",
    "Portuguese": "o a os as de que e em um uma para com não é do da dos das no na por se mais ao ou deve ser",
    "Norwegian": "og er det som en et til på av for med ikke den har de skal må kan fra om eller ved innen",
}
_SETS = {name: frozenset(words.split()) for name, words in _FUNCTION_WORDS.items()}
LEAST_WORDS = 6


def language(text: str) -> str:
    """The language a text's function words are of; "" where too few of them say so.

    >>> language("Rechnungen bis 250 Dollar werden vom Sachbearbeiter genehmigt und nicht von der Kasse.")
    'German'
    """
    words = [word.lower() for word in WORD.findall(text) if not word[0].isdigit()]
    if len(words) < LEAST_WORDS:
        return ""
    counts = {name: sum(word in known for word in words) for name, known in _SETS.items()}
    best = max(counts, key=lambda name: counts[name])
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
