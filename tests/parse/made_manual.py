"""Makes manuals as PDFs from a seed, in many layouts, and knows which paragraphs they have.

The text is invented. What is real are the traps: wrapped references that begin a line with a number, list items numbered like
paragraphs, contents pages, reserved ranges, running heads, footnotes, titles, boxes, paragraphs across pages.
"""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

import pymupdf

WORDS = tuple(
    "claim award benefit payment decision officer department budget account public money grant asset estimate control board "  # noqa: SIM905
    "report year period rate amount evidence partner household income capital value policy plan project appraisal risk cost "
    "option agency body fund audit approval consent spending delegated limit internal external annual proper regular".split()
)


class Layout(NamedTuple):
    """How a manual is set."""

    scheme: str  # dotted, flat, lettered, stop, plain
    font: str
    size: float
    hanging: bool  # numbers in a column of their own
    bold_numbers: bool
    gap: float  # space between paragraphs, in lines
    list_style: str  # "a", "1", "bullet", ""
    heads: bool  # running head and page number
    footnotes: bool


class Made(NamedTuple):
    """The file, and the labels of its numbered paragraphs in order."""

    data: bytes
    labels: list[str]


def layouts(rng: random.Random) -> Layout:
    """A random layout."""
    scheme = rng.choice(["dotted", "dotted", "flat", "lettered", "stop", "plain"])
    return Layout(
        scheme,
        rng.choice(["helv", "tiro", "cour"]),
        rng.choice([9.0, 10.0, 11.0, 12.0]),
        rng.random() < 0.6,
        rng.random() < 0.4,
        rng.choice([0.4, 0.6, 1.0]),
        rng.choice(["a", "1", "bullet", ""]) if scheme != "stop" else rng.choice(["a", "bullet", ""]),
        rng.random() < 0.8,
        rng.random() < 0.5,
    )


@cache
def advance(font: str, letter: str) -> float:
    """The width of a letter at size 1; asked for once, since wrapping asks for each line after each word."""
    return float(pymupdf.get_text_length(letter, fontname=font, fontsize=1.0))


class Maker:
    """Sets lines on pages, and breaks pages."""

    LEFT, RIGHT, TOP, BOTTOM = 60.0, 535.0, 80.0, 760.0

    def __init__(self, seed: int, layout: Layout | None = None) -> None:
        self.rng = random.Random(seed)
        self.layout = layout or layouts(self.rng)
        self.document = pymupdf.open()
        self.bold = {"helv": "hebo", "tiro": "tibo", "cour": "cobo"}[self.layout.font]
        self.labels: list[str] = []
        self.chapter = ""
        self.notes: list[str] = []
        self.note = 0
        self.shape = None
        self.new_page()

    def new_page(self) -> None:
        if self.notes:
            y = self.BOTTOM + 8
            for note in self.notes:
                self.shape.insert_text((self.LEFT, y - 3), note.split(" ", 1)[0], fontsize=5, fontname=self.layout.font)
                self.shape.insert_text(
                    (self.LEFT + 8, y), note.split(" ", 1)[1], fontsize=self.layout.size * 0.75, fontname=self.layout.font
                )
                y += 10
            self.notes = []
        if self.shape is not None:
            self.shape.commit()
        self.page = self.document.new_page(width=595, height=842)
        self.shape = self.page.new_shape()
        self.y = self.TOP
        if self.layout.heads:
            self.shape.insert_text(
                (self.LEFT, 40), f"The Manual of Things {self.chapter}", fontsize=8, fontname=self.layout.font
            )
            self.shape.insert_text((300, 815), str(self.document.page_count), fontsize=8, fontname=self.layout.font)

    def room(self, lines: float) -> None:
        if self.y + lines * self.leading > self.BOTTOM:
            self.new_page()

    @property
    def leading(self) -> float:
        return self.layout.size * 1.2

    def line(self, x: float, text: str, bold: bool = False, size: float = 0.0) -> None:
        self.room(1)
        self.y += self.leading
        self.shape.insert_text(
            (x, self.y), text, fontsize=size or self.layout.size, fontname=self.bold if bold else self.layout.font
        )

    def width(self, text: str) -> float:
        return self.layout.size * sum(advance(self.layout.font, letter) for letter in text)

    def wrap(self, text: str, width: float) -> list[str]:
        lines, line = [], ""
        for word in text.split(" "):
            if line and self.width(f"{line} {word}") > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        return [*lines, line]

    def sentence(self, length: int) -> str:
        words = [self.rng.choice(WORDS) for _ in range(length)]
        return (" ".join(words)).capitalize()

    def text(self) -> str:
        """A few sentences, some with references to other paragraphs."""
        parts = []
        for _ in range(self.rng.randint(1, 4)):
            sentence = self.sentence(self.rng.randint(6, 22))
            if self.labels and self.rng.random() < 0.5:
                one, two = self.rng.choice(self.labels), self.rng.choice(self.labels)
                sentence += self.rng.choice(
                    [
                        f" (see paragraph {one})",
                        f" as set out in paragraphs {one} to {two} and {one}",
                        f" (see {one} and {two})",
                    ]
                )
            parts.append(sentence + ".")
        return " ".join(parts)

    def heading(self, text: str, size: float) -> None:
        self.room(6)
        self.y += self.leading * 0.8
        self.line(self.LEFT, text, True, size)
        self.y += self.leading * 0.3

    def paragraph(self, label: str) -> None:
        """A numbered paragraph, perhaps with a list, perhaps with a footnote."""
        layout = self.layout
        text = self.text()
        printed = f"{label}." if layout.scheme == "stop" else label
        self.y += layout.gap * self.leading
        indent = 50.0 if layout.hanging else 0.0
        self.room(2)
        if layout.hanging:
            lines = self.wrap(text, self.RIGHT - self.LEFT - indent)
        else:
            lines = self.wrap(f"{printed} {text}", self.RIGHT - self.LEFT)
        first = self.y + self.leading
        for position, line in enumerate(lines):
            if position == 0 and layout.hanging:
                self.shape.insert_text(
                    (self.LEFT, first),
                    printed,
                    fontsize=layout.size,
                    fontname=self.bold if layout.bold_numbers else layout.font,
                )
            self.line(self.LEFT + indent, line)
        if layout.footnotes and self.rng.random() < 0.15 and len(self.notes) < 3:
            self.note += 1
            self.shape.insert_text(
                (self.LEFT + indent + self.width(lines[-1]), self.y - layout.size * 0.35),
                str(self.note),
                fontsize=layout.size * 0.6,
            )
            self.notes.append(f"{self.note} See the Act of {self.rng.randint(1950, 2020)}, section {self.rng.randint(1, 40)}")
        if layout.list_style and self.rng.random() < 0.25:
            self.items(indent)
        self.labels.append(label)

    def items(self, indent: float) -> None:
        for number in range(self.rng.randint(2, 5)):
            mark = {"a": f"{chr(97 + number)})", "1": f"{number + 1}.", "bullet": "•"}[self.layout.list_style]
            self.y += 0.25 * self.leading
            lines = self.wrap(self.sentence(self.rng.randint(4, 20)).lower(), self.RIGHT - self.LEFT - indent - 40)
            self.room(1)
            self.shape.insert_text(
                (self.LEFT + indent + 12, self.y + self.leading), mark, fontsize=self.layout.size, fontname=self.layout.font
            )
            for line in lines:
                self.line(self.LEFT + indent + 36, line)

    def box(self, number: str) -> None:
        """A box between paragraphs: titled, with a short list of its own."""
        self.y += self.leading
        self.line(self.LEFT + 10, f"Box {number}: {self.sentence(4)}", True)
        for _ in range(3):
            self.line(self.LEFT + 20, "• " + self.sentence(6).lower())
        self.y += self.leading

    def contents(self, titles: list[str]) -> None:
        self.line(self.LEFT, "Contents", True, self.layout.size * 1.8)
        for number, title in enumerate(titles):
            self.y += 0.4 * self.leading
            self.line(self.LEFT, title)
            self.shape.insert_text(
                (self.RIGHT - 15, self.y), str(3 + 4 * number), fontsize=self.layout.size, fontname=self.layout.font
            )
        self.new_page()

    def done(self) -> Made:
        self.new_page()
        self.shape.commit()
        return Made(self.document.tobytes(), self.labels)


class TwoColumns(Maker):
    """Fills two columns of a page, one after the other."""

    COLUMNS = ((50.0, 285.0), (310.0, 545.0))
    LEFT, RIGHT = COLUMNS[0]

    def room(self, lines: float) -> None:
        if self.y + lines * self.leading <= self.BOTTOM:
            return
        first, second = self.COLUMNS
        if first[0] == self.LEFT:
            (self.LEFT, self.RIGHT), self.y = second, self.TOP
        else:
            self.LEFT, self.RIGHT = first
            self.new_page()


def make(seed: int, layout: Layout | None = None) -> Made:
    """A manual of some hundred paragraphs."""
    maker = Maker(seed, layout)
    rng = maker.rng
    chapters = rng.randint(3, 6)
    titles = [f"{n} {maker.sentence(3)}" for n in range(1, chapters + 1)]
    maker.contents(titles)
    if maker.layout.scheme == "dotted":
        _dotted(maker, titles)
    else:
        _running(maker, titles)
    return maker.done()


def _dotted(maker: Maker, titles: list[str]) -> None:
    parts = [(str(n), f"Chapter {title}") for n, title in enumerate(titles, 1)]
    parts += [(f"A{n}.{m}", f"Annex {n}.{m} {maker.sentence(3)}") for n in (1, 2) for m in (1, 2)]
    for prefix, title in parts:
        maker.chapter = title
        maker.new_page()
        maker.heading(title, maker.layout.size * 2)
        for section in range(1, maker.rng.randint(2, 4)) if "." not in prefix else (0,):
            if section:
                maker.heading(f"{prefix}.{section} {maker.sentence(3)}", maker.layout.size * 1.3)
            for number in range(1, maker.rng.randint(5, 14)):
                maker.paragraph(f"{prefix}.{section}.{number}" if section else f"{prefix}.{number}")
                if maker.rng.random() < 0.08:
                    maker.box(f"{prefix}.{number}")


def _running(maker: Maker, titles: list[str]) -> None:
    scheme = maker.layout.scheme
    number = {"flat": 45001, "lettered": 3001}.get(scheme, 1)
    letter = maker.rng.choice("BCDEFGHK") if scheme == "lettered" else ""
    for title in titles:
        maker.chapter = title
        if maker.rng.random() < 0.5:
            maker.new_page()
        maker.heading(title.split(" ", 1)[1], maker.layout.size * 1.7)
        for _ in range(maker.rng.randint(8, 25)):
            if maker.rng.random() < 0.15:
                maker.heading(maker.sentence(3), maker.layout.size)
            maker.paragraph(f"{letter}{number}")
            number += 1
        if scheme in ("flat", "lettered"):
            last = number + maker.rng.randint(2, 20)
            maker.y += maker.leading
            maker.line(maker.LEFT, f"{letter}{number} - {letter}{last}")
            number = last + 1
