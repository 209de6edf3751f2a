"""Running heads and feet: what stands in the margins of the pages and is no text of the manual.

Two kinds: what says the same on neighbouring pages, but for a number that counts them; and what stands at one place on all
pages, apart from the text, and says something else on each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from pincite.parse.manual.places import roman_value
from pincite.parse.pdf.pieces import RawPage, by_left

MARGIN_ZONE = 0.09  # share of the text's height at top and bottom where running heads and feet are looked for
_NUMBERS = re.compile(r"\d[\d.]*")
_LONE_NUMBERS = re.compile(r"\d(?<![\w.-]\d)\d*(?![\w.-])")  # begins with a digit, which is what a search is quick to find
_ROMAN = re.compile(r"[ –—-]*(?=[ivxl])(?:x{0,3}|xl|lx{0,3})(?:ix|iv|v?i{0,3})[ –—-]*", re.IGNORECASE)

Band = tuple[str, int]
"""A strip of a margin: "head" or "foot", and its position."""

Shape = tuple[str, tuple[int, ...]]
"""The text of a band: its words without spaces, numbers as "#"; and the numbers."""


def furniture_of(pages: Sequence[RawPage], low: float, high: float, size: float, leading: float) -> list[frozenset[Band]]:
    """Of each page, the bands that are its running head and foot.

    Text stands between *low* and *high* (see ``margins``), in *size* and *leading* (see ``usual``).
    """
    repeated = repeating_bands([_margin_texts(page, low, high, _LARGER * size) for page in pages])
    standing = standing_bands(pages, low, repeated, size, leading)
    return [bands | more for bands, more in zip(repeated, standing, strict=True)]


def margins(pages: Sequence[RawPage]) -> tuple[float, float]:
    """Baselines above and below which running heads and feet are looked for: a share of where pages usually have text."""
    firsts = sorted(min(page.pieces)[0] for page in pages if page.pieces)
    lasts = sorted(max(page.pieces)[0] for page in pages if page.pieces)
    if not firsts:
        return 0.0, 0.0
    top, bottom = firsts[len(firsts) // 10], lasts[-1 - len(lasts) // 10]
    zone = MARGIN_ZONE * (bottom - top)
    return top + zone, bottom - zone


def _margin_texts(page: RawPage, low: float, high: float, large: float) -> dict[Band, Shape]:
    """The text in each band of a page's margins, but that of *large* pieces with a number: "Chapter 2" may take a page."""
    found: dict[Band, str] = {}
    for piece in page.pieces:
        if (piece[0] < low or piece[0] > high) and (piece[5] < large or _NUMBERS.search(piece[7]) is None):
            key = band_of(piece[0], low)
            found[key] = f"{found[key]} {piece.text}" if key in found else piece.text
    return {key: shape_of(text, key[0]) for key, text in found.items()}


def band_of(baseline: float, low: float) -> Band:
    return ("head" if baseline < low else "foot", round(baseline / 3))


def shape_of(text: str, zone: str) -> Shape:
    """A line as a running head: its words without spaces, and the numbers that stand alone in it.

    At the foot of a page a number with points is masked: the section that a page is in. At its head it is not: "Exhibit
    2.3.59-1" and "Exhibit 2.3.59-2" at the heads of two pages are two titles, not one running head.
    """
    if _ROMAN.fullmatch(text):
        return "#", (roman_value(text.strip(" -–—").lower()),)
    if _NUMBERS.search(text) is None:
        return "".join(text.split()).lower(), ()
    numbers = tuple(int(number) for number in _LONE_NUMBERS.findall(text) if len(number) < 7)
    masked = _LONE_NUMBERS.sub("#", text)
    if zone == "foot":
        masked = _NUMBERS.sub("#", masked)
    return "".join(masked.split()).lower(), numbers


def repeats(one: Shape | None, other: Shape, pages_between: int) -> bool:
    """Whether two lines are one running head: the same words, and numbers that stay the same or count the pages."""
    if one is None or one[0] != other[0] or len(one[1]) != len(other[1]):
        return False
    return all(b == a or b - a == pages_between for a, b in zip(one[1], other[1], strict=True))


def repeating_bands(pages: Sequence[dict[Band, Shape]]) -> list[frozenset[Band]]:
    """Of each page, the bands of its margins that hold a running head, a running foot or a page number.

    Such a band mostly says the same on neighbouring pages, and does so on this one. A first line of body text stands in a
    band too, but says something new on every page. *pages* gives the shape of the text in each band.
    """
    present: Counter[Band] = Counter()
    repeated: list[set[Band]] = []
    for index, bands in enumerate(pages):
        near = [(step, pages[index + step]) for step in (-2, -1, 1, 2) if 0 <= index + step < len(pages)]
        present.update(bands.keys())
        repeated.append(
            {key for key, shape in bands.items() if any(repeats(other.get(key), shape, -step) for step, other in near)}
        )
    count = Counter(key for keys in repeated for key in keys)
    enough = max(2, len(pages) * 0.1)
    common = {key for key in count if count[key] >= enough and count[key] >= 0.5 * present[key]}
    return [frozenset(keys & common) for keys in repeated]


_SAMPLE = 20  # pages that say what is usual
_LARGER = 1.12  # of the size of running text: a title
_APART = 1.6  # of the usual leading: how far what stands outside the text is from it, at least
_FOOTNOTE = re.compile(r"\d{1,3}\.? *[^\W\d_].{12}")
_FULL = 6  # lines that a page must have to say where its text ends
_PEELED = 3  # lines of a head or foot


def standing_bands(
    pages: Sequence[RawPage], low: float, known: Sequence[frozenset[Band]], size: float, leading: float
) -> list[frozenset[Band]]:
    """Of each page, the bands of a head or foot that says something else on every page: the paragraphs it has, its title.

    It is the outermost line on most pages, at one place, always well apart from the text, and in no larger type. Text
    ends at one place too where pages are full, but then close to the line above it.
    """
    lines = [_baselines(page, low, bands) for page, bands in zip(pages, known, strict=True)]
    found: list[set[Band]] = [set() for _ in pages]
    for edge in (0, -1):
        for _ in range(_PEELED):
            place, apart = _outermost(lines, edge, leading)
            least = max(0.6 * sum(len(each) > 1 for each in lines), 0.9 * place)
            if len(apart) < max(3, least):
                break
            standing = [index for index in apart if _may_stand(pages[index], lines[index][edge], size)]
            full = [index for index in standing if len(lines[index]) >= _FULL]
            if len(full) < 3 or len(standing) < least:
                break
            for index in standing:
                found[index].add(band_of(lines[index].pop(edge), low))
    return [frozenset(bands) for bands in found]


def _may_stand(page: RawPage, baseline: float, size: float) -> bool:
    """Whether a line may be of a head or foot: in no larger type than the text, and no footnote."""
    pieces = [piece for piece in page.pieces if abs(piece[0] - baseline) < 2]
    if any(piece[5] > 1.03 * size or (piece[6] and piece[5] > 0.95 * size) for piece in pieces):
        return False
    first = min(pieces, key=by_left)
    return not (first[9] and first[9][0][0] == 0) and _FOOTNOTE.match(" ".join(piece[7] for piece in pieces)) is None


def _baselines(page: RawPage, low: float, known: frozenset[Band]) -> list[float]:
    """The baselines of a page's lines from top to bottom, but those of its known head and foot."""
    kept: list[float] = []
    for baseline in sorted({piece[0] for piece in page.pieces}):
        if (not kept or baseline - kept[-1] > 2) and band_of(baseline, low) not in known:
            kept.append(baseline)
    return kept


def usual(pages: Sequence[RawPage]) -> tuple[float, float]:
    """Size of most characters, and leading of most pieces that begin below one another: columns have lines at other heights."""
    characters: Counter[float] = Counter()
    steps: Counter[float] = Counter()
    for page in pages[:: max(1, -(-len(pages) // _SAMPLE))]:
        above: dict[int, float] = {}  # left edge -> baseline of the last piece there
        for piece in sorted(page.pieces):
            characters[piece[5]] += len(piece[7])
            place = int(piece[1] / 4)
            step = piece[0] - above.get(place, 0.0)
            if 4 < step < 40:
                steps[round(step)] += 1
            above[place] = piece[0]
    sizes: Counter[float] = Counter()
    for size, count in characters.items():
        sizes[round(size, 1)] += count
    return (sizes.most_common(1)[0][0] if sizes else 10.0), (steps.most_common(1)[0][0] if steps else 12.0)


def _outermost(lines: Sequence[Sequence[float]], edge: int, leading: float) -> tuple[int, list[int]]:
    """How many pages have their first (0) or last (-1) line where most have it; and those where it stands apart or alone."""
    places = Counter(round(each[edge]) for each in lines if len(each) > 1)
    if not places:
        return 0, []
    place = places.most_common(1)[0][0]
    here = [index for index, each in enumerate(lines) if each and abs(each[edge] - place) < 2]
    inner = 1 if edge == 0 else -2
    apart = [i for i in here if len(lines[i]) == 1 or abs(lines[i][inner] - lines[i][edge]) >= _APART * leading]
    return len(here), apart
