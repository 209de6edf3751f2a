"""Letter-spaced text for the reference grammars: read without its spaces, reported where it stands."""

from __future__ import annotations

from pincite.model import Mention


def is_letter_spaced(text: str) -> bool:
    """Whether words came out as single letters: most tokens have one character, and many of these are letters. A line of short
    citations ("1 WRA 12, s 5(1); 2 s 6") has as many single characters, but they are figures."""
    tokens = text[:400].split()
    single = [token for token in tokens if len(token) == 1]
    return len(tokens) > 8 and len(single) > 0.5 * len(tokens) and sum(map(str.isalpha, single)) > 0.25 * len(tokens)


class Closed:
    """A text without white space, and the way back to the original's character offsets."""

    def __init__(self, text: str) -> None:
        self.original = text
        self.at = [index for index, letter in enumerate(text) if not letter.isspace()]
        self.text = "".join(text[index] for index in self.at)

    def open(self, mention: Mention) -> Mention:
        """The mention in the original text."""
        start, end = self.at[mention.start], self.at[mention.end - 1] + 1
        return mention._replace(start=start, end=end, text=self.original[start:end])
